import { expect, test } from 'vitest'
import { batchAtTerminal } from './at_terminal.ts'
import { batchWorld, colones, payees } from './batch_file.ts'
import { payctl } from './payctl.ts'
import { account, iban, startService } from './service.ts'

const [first = '', second = '', third = ''] = payees.filter((payee) => /^8/.test(payee))
const from = colones.id

const file = (...rows: readonly string[]) => ['to,amount,from,description,name', ...rows].join('\n')
const row = (to: string, amount: string, name = '', text = 'Salary of November') =>
  `${to},${amount},${from},${text},${name}`

/** A world in which two payees were paid before. */
async function afterPayments() {
  const world = await batchWorld()
  const name = await nameOf(world, first)
  const rows = ['100', '110', '90'].map((amount) => row(first, amount, name, `Salary of ${amount} colones`))
  await world.batch(world.file('before.csv', file(...rows, row(second, '50'))), '--batch-id', 'before', '--wait')
  return { world, name }
}

async function nameOf({ run }: Awaited<ReturnType<typeof batchWorld>>, phone: string): Promise<string> {
  return JSON.parse((await run('phone', phone, '--json')).stdout)[0].name
}

test('the summary marks what differs from earlier payments, in one line for each kind', async () => {
  const { world, name } = await afterPayments()
  const rows = [
    row(first, '201', name),
    row(second, '50'),
    row(third, '1'),
    row(third, '2'),
    row(first, '200'),
    row(second, '7'),
  ]

  const { code, stdout, stderr } = await world.run(
    'payments',
    'batch',
    world.file('a.csv', file(...rows)),
    '--dry-run',
    '--json',
  )

  expect(code).toBe(0)
  expect(stderr).toContain('Unusual      1 row pays more than twice the usual amount: line 2 (201.00, usually 100.00)')
  expect(stderr).toMatch(
    /Unusual {6}1 row repeats a payee and amount of the last 8 days: line 3 \(on 20\d\d-\d\d-\d\d\)/,
  )
  expect(stderr).toContain('Unusual      1 payee has never been paid before: line 4\n')
  expect(JSON.parse(stdout).unusual).toMatchObject([
    { kind: 'large_amount', rows: 1, lines: [2] },
    { kind: 'paid_lately', rows: 1, lines: [3] },
    { kind: 'new_payee', rows: 1, lines: [4] },
  ])
})

test('a name at another phone or account than before is marked, in any spelling', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  const list = (to: string, name: string) => cli.file('a.csv', `to,amount,from,name\n${to},1,${account},${name}`)
  await cli.run('payments', 'batch', list(iban, 'Luis Solano'), '--batch-id', 'first', '--yes')

  const { stderr } = await cli.run('payments', 'batch', list(first, 'SOLANO LUIS'), '--dry-run')
  const same = await cli.run('payments', 'batch', list(iban, 'SOLANO LUIS'), '--batch-id', 'next', '--dry-run')

  expect(stderr).toContain(
    'Unusual      1 row pays a known payee at a different account or phone: line 2 (SOLANO LUIS, before at CR05 0152',
  )
  expect(stderr).not.toContain('paid before')
  expect(same.stderr).not.toContain('different account')
})

test('a journal without payments marks nothing', async () => {
  const world = await batchWorld()

  const { stdout } = await world.run(
    'payments',
    'batch',
    world.file('a.csv', file(row(first, '1'))),
    '--dry-run',
    '--json',
  )

  expect(JSON.parse(stdout).unusual).toEqual([])
})

test('at a terminal new payees are looked up, and named before the question', async () => {
  const { world } = await afterPayments()
  const name = await nameOf(world, third)

  const terminal = batchAtTerminal(world, [world.file('a.csv', file(row(third, '1'), row(second, '3')))])
  await terminal.answer('(y/N)', 'n\r')
  await terminal.ended
  const refused = batchAtTerminal(world, [world.file('b.csv', file(row('87999999', '1')))])
  expect(await refused.ended).toBe(2)
  const skipped = batchAtTerminal(world, [world.file('b.csv', file(row('87999999', '1'))), '--no-check-new'])
  await skipped.answer('(y/N)', 'n\r')

  expect(terminal.screen).toMatch(new RegExp(`New +line 2: [\\d ]+, ${name}`))
  expect(terminal.screen.match(/New {2}/g)).toHaveLength(1)
  expect(refused.screen).toContain('line 2: the payee 87999999 is not known to the service')
})

test('at a terminal the dry run is shown once, and the question names rows that were paid lately', async () => {
  const { world } = await afterPayments()
  const repeated = world.file('a.csv', file(row(second, '50', '', 'Salary of December'), row(first, '7')))

  const rehearsed = batchAtTerminal(world, [repeated, '--batch-id', 'again', '--dry-run'])
  expect(await rehearsed.ended).toBe(0)
  const terminal = batchAtTerminal(world, [repeated, '--batch-id', 'again'])
  await terminal.answer(
    /1 of 2 rows repeats a payment of the last 8 days\.\s+Send 2 payments, 57\.00 CRC\?\s+\(y\/N\)/,
    'n\r',
  )
  expect(await terminal.ended).toBe(2)

  expect(rehearsed.screen).toContain('a.csv')
  expect(rehearsed.screen).not.toMatch(/To send|Sent before/)
  expect(terminal.screen).toContain('Run the command again to be asked again')
  expect(terminal.screen).not.toContain('--yes')
})
