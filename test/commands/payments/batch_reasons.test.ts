import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchAtTerminal } from './at_terminal.ts'
import { batchWorld, colones, heading, payees } from './batch_file.ts'

const [, phone = ''] = payees
const unregistered = '87999999'

const row = (to: string, amount: string) => `${to},${amount},Salary of ${amount} colones,${colones.id},`
const file = (...rows: readonly string[]) => [heading, ...rows].join('\n')

test('at a terminal the check prints each reason once, for all rows with this reason', async () => {
  const world = await batchWorld()
  const path = world.file(
    'a.csv',
    file(row(phone, '1'), ...Array.from({ length: 60 }, () => row(phone, '')), row(phone, 'x'), row(phone, '')),
  )

  const terminal = batchAtTerminal(world, [path], 80)
  expect(await terminal.ended).toBe(2)
  const { stderr } = await world.batch(path)

  expect(terminal.screen).toContain('62 rows are wrong. Nothing was sent.')
  expect(terminal.screen).toContain('lines 3 to 62 and 64: amount is empty')
  expect(terminal.screen).toMatch(/line 63: amount "x"/)
  expect(terminal.screen.split('amount is empty')).toHaveLength(2)
  expect(stderr).toContain('line 3: amount is empty\n  line 4: amount is empty')
})

test('at a terminal the result has each reason once, and the result file has the reason beside each row', async () => {
  const world = await batchWorld()
  const rows = ['1', '2', '3', '4'].map((amount) => row(amount === '2' ? phone : unregistered, amount))
  const path = world.file('a.csv', file(...rows))
  const result = join(world.folder, 'result.csv')

  const checked = batchAtTerminal(world, [path], 80)
  expect(await checked.ended).toBe(2)
  expect(checked.screen).toContain('lines 2, 4 and 5: the payee 87999999 is not known to the service')
  const terminal = batchAtTerminal(world, [path, '--no-check-new', '--output-file', result], 80)
  await terminal.answer('(y/N)', 'y\r')
  expect(await terminal.ended).toBe(7)

  expect(terminal.screen).toMatch(/ {2}lines 2, 4 and 5, 8\.00 CRC/)
  const [, ...written] = readFileSync(result, 'utf8').trim().split('\n')
  const [reason = ''] = /[^,]+$/.exec(written[0] ?? '') ?? []
  expect(terminal.screen.split(reason.slice(0, 20))).toHaveLength(2)
  expect(written.filter((line) => line.endsWith(reason))).toHaveLength(3)
})
