import { expect, test } from 'vitest'
import { demoRegistry } from '../../emulator/demo_registry.ts'
import { batchWorld, colones, dollars, payees, rowsOf } from './batch_file.ts'

const [, phone = ''] = payees
const from = colones.id
const inDollars =
  demoRegistry.find(({ currency, outcome }) => currency === 'USD' && outcome === 'completed')?.address ?? ''

const list = (...lines: readonly string[]) => ['name,to,amount,from', ...lines].join('\n')
const paid = [`Carlos Jiménez Mora,${phone},1000,${from}`, `Carlos Jiménez Mora,${phone},234.50,${from}`]

test.each([
  ['beside the sum', 'TOTAL,,1234.50,'],
  ['in place of the payee', ',Total,1234.50,'],
  ['in Spanish', 'Total a pagar,,"₡1,234.50",'],
])('a total %s is compared with the amounts, and is not a payment', async (_, total) => {
  const world = await batchWorld()

  const { code, stdout, stderr } = await world.batch(world.file('a.csv', list(...paid, total)), '-o', 'ndjson')

  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The total in line 4 is the sum of the amounts: '),
  })
  expect(
    rowsOf(stdout)
      .map(({ line }) => line)
      .toSorted(),
  ).toEqual([2, 3])
  expect(await world.payments()).toHaveLength(2)
})

test.each([
  [
    'another sum',
    [...paid, 'TOTAL,,1234.60,'],
    'line 4: the total is 1,234.60, but the amounts above it add up to 1,234.50',
  ],
  [
    'another currency',
    [...paid, 'TOTAL,,USD 1234.50,'],
    'line 4: it is a total in USD, but the amounts above it are in CRC',
  ],
  ['no amount', [...paid, 'TOTAL,,,'], 'line 4: it is a total: amount is empty'],
  ['payments below it', [...paid.slice(1), 'TOTAL,,234.50,', ...paid], 'line 3: it is a total, and payments follow it'],
  ['no label', [...paid, ',,1234.50,'], 'line 4: it names no payee: if it is a total, write TOTAL beside it'],
  [
    'two currencies',
    [...paid, `Carlos Jiménez Mora,${payees[0]},1,${from}`, `,${inDollars},1,${dollars.id}`, 'TOTAL,,1236.50,'],
    'line 6: it is a total of several currencies',
  ],
])('a total with %s is refused before anything is sent', async (_, lines, reason) => {
  const world = await batchWorld()

  const { code, stderr } = await world.batch(world.file('a.csv', list(...lines)))

  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  expect(await world.payments()).toHaveLength(0)
})

test('a day of payment other than today is refused, as both rails pay at once', async () => {
  const world = await batchWorld()
  const [today = '', tomorrow = ''] = [0, 1].map((days) =>
    new Date(Date.now() - 6 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10),
  )
  const inSpanish = today.split('-').toReversed().join('/')
  const dated = (...days: readonly string[]) =>
    ['to,amount,from,Fecha de pago', ...days.map((day, at) => `${phone},${at + 1},${from},${day}`)].join('\n')

  const refused = await world.batch(world.file('a.csv', dated(today, tomorrow, 'soon')))
  const taken = await world.batch(world.file('b.csv', dated(today, inSpanish, '', `${today} 14:30:00`)), '-o', 'ndjson')

  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('2 rows are wrong') })
  expect(refused.stderr).toContain(
    `line 3: date is ${tomorrow}, and today is ${today} in Costa Rica: both PIN and SINPE Móvil pay at once`,
  )
  expect(refused.stderr).toContain(`line 4: date "soon" is not a day: write ${today}, or leave it empty`)
  expect(taken.code).toBe(0)
  expect(rowsOf(taken.stdout).find(({ line }) => line === 3)).toMatchObject({ columns: { 'Fecha de pago': inSpanish } })
})

test('a date of an invoice is not a day of payment', async () => {
  const world = await batchWorld()

  const { code } = await world.batch(world.file('a.csv', `to,amount,from,Fecha factura\n${phone},1,${from},2026-01-05`))

  expect(code).toBe(0)
})

test('--description is the text of the rows without one', async () => {
  const world = await batchWorld()
  const file = world.file(
    'a.csv',
    `to,amount,from,description\n${phone},1,${from},\n${phone},2,${from},Rent of the second row`,
  )

  const short = await world.batch(file, '--description', 'Salary')
  await world.batch(file, '--description', 'Salary of November')

  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('15 to 255') })
  const payments = await world.payments()
  expect(payments.map(({ description }) => description).toSorted()).toEqual([
    'Rent of the second row',
    'Salary of November',
  ])
})
