import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openResultFile } from '../../../src/commands/payments/result_file.ts'
import { columnsOf } from '../../../src/output/columns.ts'
import type { ResultRow } from '../../../src/payments/batch_result.ts'
import { readSheet } from '../../../src/sheets/read_sheet.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { batchWorld, colones, heading, payees, rowsOf } from './batch_file.ts'
import { setUp } from './batch_service.ts'
import { recover } from './service.ts'

const [, phone = ''] = payees

/** Phone to which payments fail. */
const failing = '87000006'

const unregistered = '87999999'

type World = Awaited<ReturnType<typeof batchWorld>>

const row = (to: string, amount: string, reference: string): string =>
  `${to},${amount},Payment of ${amount} in all,${colones.id},${reference}`

/** Pays a batch of four rows: the first and last complete, one fails, one is refused. */
async function paid(world: World, name: string) {
  const rows = [row(phone, '1', 'A'), row(failing, '2', 'B'), row(unregistered, '3', 'C'), row(phone, '4', 'D')]
  const file = world.file(`${name}.csv`, [heading, ...rows].join('\n'))
  await world.batch(file, '--batch-id', name, '--wait')
}

test('lists the batches with their file, outcomes and sums, the newest first', async () => {
  const world = await batchWorld()
  await paid(world, 'june')
  await world.batch(world.file('b.csv', [heading, row(phone, '9', 'E')].join('\n')), '--batch-id', 'july', '--wait')

  const { stdout } = await world.run('payments', 'batch', 'list', '--json')

  expect(JSON.parse(stdout)).toMatchObject([
    { batch: 'july', file: 'b.csv', rows: 1, completed: 1 },
    {
      batch: 'june',
      file: 'june.csv',
      rows: 4,
      completed: 2,
      unsuccessful: 1,
      rejected: 1,
      totals: [{ currency: 'CRC', amount: 1000, completed: 500, in_progress: 0 }],
    },
  ])
})

test('shows the rows in the order of the file, with holder, fee, references and outcome, a repetition in its place', async () => {
  const world = await batchWorld()
  await paid(world, 'june')
  await world.run('payments', 'batch', 'retry', 'june', '--yes', '--wait')

  const { code, stdout, stderr } = await world.run('payments', 'batch', 'show', 'jun', '--output', 'ndjson')

  expect(code).toBe(0)
  const rows = rowsOf(stdout)
  expect(rows.map(({ line, reference, status }) => [line, reference, status])).toEqual([
    [2, 'A', 'completed'],
    [3, 'B', 'failed'],
    [4, 'C', 'rejected'],
    [5, 'D', 'completed'],
  ])
  expect(rows[0]).toMatchObject({ name: 'Carlos Jiménez Mora', fee: { value: 0 }, sinpe_reference: expect.any(String) })
  expect(rows[2]).toMatchObject({ name: null, fee: null, sinpe_reference: null })
  expect(stderr).toContain('june.csv')
  expect(stderr).toContain(
    'Batch june: 4 rows, 2 completed, 1 failed, 1 refused; 5.00 CRC of 10.00 CRC paid or in progress.',
  )
})

test('shows what was last read if the service does not answer', async () => {
  const { service, cli, argv } = await setUp(2)
  await cli.run(...argv, '--batch-id', 'run')
  service.before = () => [503, null]

  const { code, stdout, stderr } = await cli.run('payments', 'batch', 'show', '--output', 'ndjson', '--retries', '0')

  expect(code).toBe(0)
  expect(rowsOf(stdout)).toMatchObject([{ line: 2 }, { line: 3 }])
  expect(stderr).toContain('so the rows are as last read')
})

test('a part of a name that several have lists them, and one that none has says so', async () => {
  const world = await batchWorld()
  await paid(world, 'june')
  await world.batch(world.file('b.csv', [heading, row(phone, '9', 'E')].join('\n')), '--batch-id', 'july')

  const several = await world.run('payments', 'batch', 'show', 'ju')
  const none = await world.run('payments', 'batch', 'show', 'may')

  expect(several.code).toBe(2)
  expect(several.stderr).toMatch(/part of the names of 2 batches[\s\S]+july: .*b\.csv, 1 row[\s\S]+june: .*june\.csv/)
  expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('payctl payments batch list') })
})

test('without any batch, no name is said to be missing', async () => {
  const world = await batchWorld()

  const { code, stderr } = await world.run('payments', 'batch', 'show')

  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/^error: No batches on this machine\.$/m) })
  expect(stderr).not.toContain('last')
})

test('with --yes nothing is sent for a part of a name, nor without one if several batches fit', async () => {
  const world = await batchWorld()
  await paid(world, 'june')
  const before = (await world.payments()).length

  const part = await world.run('payments', 'batch', 'retry', 'jun', '--yes')
  const resumed = await world.run('payments', 'resume', '--batch', 'jun', '--yes')
  const only = await world.run('payments', 'batch', 'retry', '--yes', '--wait')
  await world.batch(world.file('b.csv', [heading, row(failing, '9', 'E')].join('\n')), '--batch-id', 'july', '--wait')
  const several = await world.run('payments', 'batch', 'retry', '--yes')

  expect([part.code, resumed.code]).toEqual([2, 2])
  expect(part.stderr).toMatch(/Batch jun does not exist\. Nothing was sent\.\s+june: /)
  expect(only.stderr).toMatch(/^Batch june$/m)
  expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was sent') })
  expect((await world.payments()).length).toBe(before + 2)
})

test('resume writes its results, and says the sums of the whole batch', async () => {
  const { service, cli, argv } = await setUp(3)
  service.afterCommit = (_, response) => {
    if (service.payments.size === 1) return
    response.destroy()
    return 'handled'
  }
  await cli.run(...argv, '--batch-id', 'run', '--concurrency', '1')
  recover(service)
  const result = join(await temporaryDirectory(), 'rest.csv')

  const { code, stderr } = await cli.run('payments', 'resume', '--batch', 'run', '--yes', '--output-file', result)

  expect(code).toBe(0)
  expect(stderr).toMatch(/^Batch run: 3 rows, 2 completed, 1 in progress; /m)
  expect(readFileSync(result, 'utf8').trim().split('\n')).toHaveLength(3) // the heading and two rows
})

test('a result has the separator, the decimal mark and the byte order mark of the file, also after a retry', async () => {
  const world = await batchWorld()
  const file = world.file(
    'a.csv',
    `\ufeffto;amount;description;from;reference;Área\n${phone};1,50;Payment one of two;CRC;A;x\n${failing};2;Payment two of two;CRC;B;a\n`,
  )
  const first = join(world.folder, 'r.csv')
  const second = join(world.folder, 'again.csv')

  await world.batch(file, '--batch-id', 'run', '--wait', '--output-file', first)
  await world.run('payments', 'batch', 'retry', 'run', '--yes', '--wait', '--output-file', second)

  const [head, one, two] = readFileSync(first, 'utf8').split('\n')
  expect(head).toBe('\ufeffline;reference;to;amount;currency;status;payment_id;intent;error;Área')
  expect(one).toMatch(/^2;A;87000001;1,50;CRC;completed;/)
  expect(two).toMatch(/^3;B;87000006;2,00;CRC;failed;.*;a$/)
  expect(readFileSync(second, 'utf8')).toMatch(/^\ufeffline;.+\n3;B;87000006;2,00;CRC;/)
})

const outOfOrder = [3, 4, 2, 5].map((line) => ({ line, status: `ñ${line}` }) as ResultRow)

test.each(['csv', 'tsv', 'json', 'JSON', 'ndjson', 'xlsx'])(
  'a result in .%s is in the order of the file',
  async (ending) => {
    const path = join(await temporaryDirectory(), `result.${ending}`)
    const columns = columnsOf<ResultRow>('line', 'status')
    const file = await openResultFile(path, { columns, chosen: undefined, form: null })

    await file.write(
      (async function* () {
        yield* outOfOrder
      })(),
    )
    await file.close()

    expect(await linesIn(path, ending)).toEqual([2, 3, 4, 5])
  },
)

async function linesIn(path: string, ending: string): Promise<readonly number[]> {
  const text = readFileSync(path, 'utf8')
  if (ending.toLowerCase() === 'json') return JSON.parse(text).map(({ line }: ResultRow) => line)
  if (ending === 'ndjson') return rowsOf(text).map(({ line }) => Number(line))
  if (ending !== 'xlsx') return text.trim().split('\n').slice(1).map(Number.parseFloat)
  const bytes = async function* () {
    yield readFileSync(path)
  }
  const sheet = await readSheet(bytes(), { header: ([first]) => first === 'line', isStrict: true })
  const lines: number[] = []
  for await (const { cells } of sheet.rows) lines.push(Number(cells[0]))
  return lines
}

test('writes a receipt for each completed row, as the command for one does', async () => {
  const world = await batchWorld()
  await paid(world, 'june')
  const folder = join(world.folder, 'receipts')

  const { code, stderr } = await world.run('payments', 'batch', 'show', 'june', '--receipts', folder)

  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`2 receipts in ${folder}.`) })
  const names = readdirSync(folder).toSorted()
  expect(names).toEqual([
    expect.stringMatching(/^0002-carlos-jimenez-mora-[0-9a-f]{5}\.html$/),
    expect.stringMatching(/^0005-carlos-jimenez-mora-[0-9a-f]{5}\.html$/),
  ])
  const pages = names.map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(pages.map((page) => /(\d\.00) CRC/.exec(page)?.[1])).toEqual(['1.00', '4.00'])
  const again = await world.run('payments', 'batch', 'show', 'june', '--receipts', folder)
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists. It was left unchanged') })
  const forced = await world.run('payments', 'batch', 'show', 'june', '--receipts', folder, '--force', '--lang', 'en')
  expect(forced.code).toBe(0)
  expect(readFileSync(join(folder, names[0] ?? ''), 'utf8')).toContain('<html lang="en">')
})

test('writes no receipt if the service does not answer', async () => {
  const { service, cli, argv } = await setUp(2)
  await cli.run(...argv, '--batch-id', 'run')
  service.before = () => [503, null]
  const folder = join(cli.folder, 'receipts')

  const { code, stderr } = await cli.run('payments', 'batch', 'show', 'run', '--receipts', folder, '--retries', '0')

  expect({ code, stderr }).toMatchObject({ code: 12, stderr: expect.stringContaining('no receipt was written') })
  expect(existsSync(folder)).toBe(false)
})

test('adds the fees that the service has shown to the sums', async () => {
  const world = await batchWorld()
  const iban = payees.find((payee) => payee.startsWith('CR')) ?? ''
  const file = world.file('a.csv', [heading, row(iban, '1', 'A'), row(iban, '2', 'B'), row(phone, '4', 'C')].join('\n'))
  await world.batch(file, '--batch-id', 'june', '--wait')

  const { stderr } = await world.run('payments', 'batch', 'show', 'june')

  expect(stderr).toMatch(/7\.00 CRC paid or in progress, fees \d+\.00 CRC\.\n$/)
})
