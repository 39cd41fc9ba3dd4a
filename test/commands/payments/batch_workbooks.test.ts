import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readBytes } from '../../sheets/sheet_files.ts'
import { full } from '../../support/full.ts'
import { batchWorld, colones, payees, rowsOf } from './batch_file.ts'
import { setUp } from './batch_service.ts'
import { isPayment } from './service.ts'

const [iban = '', phone = ''] = payees

const workbook = async (path: string) => {
  const { header, rows } = await readBytes(readFileSync(path), {}, 10_000)
  const cells = rows.map((row) =>
    Object.fromEntries((header?.cells ?? []).map((name, at) => [name, [row.kinds?.[at], row.cells[at]]])),
  )
  return cells.toSorted((one, other) => Number(one.line?.[1]) - Number(other.line?.[1]))
}

describe('results in a workbook', () => {
  test('have money as numbers, and references, phones and columns of the caller’s own as text', async () => {
    const world = await batchWorld()
    const rows = [`${phone},1500.25,,007,=1+1`, `${iban},2,,,0104560789`, '87999999,3,,,x']
    const file = world.file('a.csv', `to,amount,description,reference,Carné\n${rows.join('\n')}\n`)
    const result = world.file('result.xlsx', 'an earlier one')

    const { code, stderr } = await world.batch(file, '--from', colones.id, '--output-file', result)

    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining(`Results in ${result}`) })
    expect(await workbook(result)).toMatchObject([
      { line: ['number', '2'], to: ['text', phone], amount: ['number', '1500.25'], reference: ['text', '007'] },
      {
        line: ['number', '3'],
        to: ['text', iban],
        Carné: ['text', '0104560789'],
        status: ['text', expect.stringMatching(/pending|completed/)],
      },
      { line: ['number', '4'], status: ['text', 'rejected'], error: ['text', expect.any(String)] },
    ])
    expect((await workbook(result))[0]?.Carné).toEqual(['text', '=1+1'])
    expect(statSync(result).mode & 0o777).toBe(0o600)
    expect(existsSync(`${result}.unfinished.ndjson`)).toBe(false)
  })

  test('of a killed run are in a file beside it, and in the workbook once it is run again', async () => {
    const { service, cli, file } = await setUp(6)
    let open = 3
    service.before = (request) => (isPayment(request) && open-- <= 0 ? 'handled' : undefined)
    const result = join(cli.folder, 'result.xlsx')
    const draft = `${result}.unfinished.ndjson`
    const argv = ['payments', 'batch', file, '--yes', '--concurrency', '1', '--output-file', result]

    const { child, finished } = cli.start(argv)
    await vi.waitFor(() => expect(rowsOf(readFileSync(draft, 'utf8'))).toHaveLength(3), 20_000)
    child.kill('SIGKILL')
    await finished
    const left = [existsSync(result), rowsOf(readFileSync(draft, 'utf8')).map(({ status }) => status)]
    service.before = () => undefined
    const again = await cli.run(...argv)

    expect(left).toEqual([false, ['pending', 'pending', 'pending']])
    expect(again.code).toBe(0)
    expect(await workbook(result)).toHaveLength(6)
    expect(existsSync(draft)).toBe(false)
  })

  test('never follow a link, nor go where nothing can be written: nothing is sent', async () => {
    const { service, cli, argv } = await setUp(2)
    const link = join(cli.folder, 'link.xlsx')
    symlinkSync(cli.file('mine.xlsx', 'mine'), link)

    const refused = [
      await cli.run(...argv, '--output-file', link),
      await cli.run(...argv, '--output-file', join(cli.folder, 'nowhere', 'result.xlsx')),
    ]

    for (const { code, stderr } of refused) {
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Nothing was sent') })
    }
    expect(readFileSync(link, 'utf8')).toBe('mine')
    expect(service.received.filter(isPayment)).toHaveLength(0)
  })

  test.runIf(full)(
    'of more rows than it can have are refused before anything is sent',
    { timeout: 600_000 },
    async () => {
      const { service, cli } = await setUp(0)
      const rows = Array.from({ length: 100_001 }, (_, at) => `${phone},1,Payment number ${at} of many,${colones.id}`)
      const file = cli.file('many.csv', `to,amount,description,from\n${rows.join('\n')}\n`)
      service.before = ({ path }) => (path === '/api/accounts' ? [403, 'No'] : undefined)

      const { code, stderr } = await cli.run(
        'payments',
        'batch',
        file,
        '--yes',
        '--output-file',
        join(cli.folder, 'r.xlsx'),
      )
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/100000 rows at most.+Nothing was sent/),
      })
      expect(service.received.filter(isPayment)).toHaveLength(0)
    },
  )
})

test('refused rows of a CSV file have amounts as numbers in a workbook, which has one reading', async () => {
  const world = await batchWorld()
  const rows = [`${phone};1.500,25;;`, `87999999;1.500;;007`, '8700;20.000;;', `${phone};x;;`]
  const content = `sep=;\r\nto;amount;description;reference\r\n${rows.join('\r\n')}\r\n`
  const bad = join(world.folder, 'bad.xlsx')

  const { code } = await world.batch(world.file('a.csv', content), '--from', colones.id, '--rejects-file', bad)

  expect(code).toBe(2)
  expect(await workbook(bad)).toEqual([
    expect.objectContaining({ to: ['text', '8700'], amount: ['number', '20000'] }),
    expect.objectContaining({ to: ['text', phone], amount: ['text', 'x'] }),
  ])

  const payable = world.file('b.csv', `sep=;\r\nto;amount;description;reference\r\n${rows[1]}\r\n`)
  const refused = await world.batch(payable, '--from', colones.id, '--rejects-file', bad, '--force')
  expect(refused.code).toBe(7)
  expect(await workbook(bad)).toMatchObject([{ amount: ['number', '1500'], reference: ['text', '007'] }])
})

test('refused rows whose amount has two readings keep its text', async () => {
  const world = await batchWorld()
  const file = world.file('a.csv', `to;amount;description\n${phone};1.500;\n${phone};20.50;\n`)
  const bad = join(world.folder, 'bad.xlsx')

  await world.batch(file, '--from', colones.id, '--rejects-file', bad)

  expect(await workbook(bad)).toMatchObject([{ amount: ['text', '1.500'] }])
})
