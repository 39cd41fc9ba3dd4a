import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchAtTerminal } from './at_terminal.ts'
import { batchWorld, colones, payees } from './batch_file.ts'

const [, phone = ''] = payees
const from = colones.id
const headings = 'Cuenta IBAN,Nombre,Monto,Detalle'
const holder = 'Carlos Jiménez Mora'
const row = (amount: string) => `${phone},${holder},${amount},Salary of November`

const atTerminal = (world: Awaited<ReturnType<typeof batchWorld>>, ...argv: readonly string[]) =>
  batchAtTerminal(world, [...argv, '--from', from])

const question = /to = Cuenta IBAN, amount = Monto, description = Detalle, name = Nombre: use this\? \(Y\/n\)/

test('other headings than the standard ones are asked about once, then taken and said', async () => {
  const world = await batchWorld()
  const first = world.file('first.csv', [headings, row('1')].join('\n'))
  const moved = world.file('moved.csv', `Monto,Cuenta IBAN,Detalle,Nombre\n2,${phone},Salary of November,${holder}`)

  const terminal = atTerminal(world, first)
  await terminal.answer(question, '\r')
  await terminal.answer('Send 1 payment, 1.00 CRC?', 'y\r')
  expect(await terminal.ended).toBe(0)
  const again = atTerminal(world, moved)
  await again.answer('Send 1 payment, 2.00 CRC?', 'y\r')
  expect(await again.ended).toBe(0)
  expect(again.screen).toContain('Columns as confirmed before: to = Cuenta IBAN, amount = Monto')
  expect(again.screen).not.toContain('use this?')

  const { code, stderr } = await world.batch(world.file('last.csv', [headings, row('3')].join('\n')), '--from', from)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Columns as confirmed before') })
  expect((await world.payments()).map(({ amount }) => amount.value).toSorted()).toEqual([100, 200, 300])
})

test('without a terminal unknown headings are refused, with what to do', async () => {
  const world = await batchWorld()

  const { code, stderr } = await world.batch(world.file('a.csv', [headings, row('1')].join('\n')), '--from', from)

  expect(code).toBe(2)
  expect(stderr).toContain("--map to='Cuenta IBAN',amount=Monto,description=Detalle")
  expect(stderr).toContain('At a terminal payctl asks once, and remembers the answer')
  expect(await world.payments()).toHaveLength(0)
})

test('a no leads to --map, whose columns are remembered too', async () => {
  const world = await batchWorld()
  const file = world.file('a.csv', `Destino,Cuenta,Monto\n${phone},other,1`)

  const terminal = atTerminal(world, file)
  await terminal.answer('use this? (Y/n)', 'n\r')
  expect(await terminal.ended).toBe(2)
  expect(terminal.screen).toContain('--map')
  const mapped = atTerminal(world, file, '--map', 'to=DESTINO,amount=monto')
  await mapped.answer('Send 1 payment, 1.00 CRC?', 'n\r')
  expect(await mapped.ended).toBe(2)

  const { layouts } = JSON.parse(readFileSync(join(world.folder, 'config', 'layouts.json'), 'utf8'))
  expect(layouts).toEqual([{ headings: ['Destino', 'Cuenta', 'Monto'], columns: { to: 'Destino', amount: 'Monto' } }])
  const { code } = await world.batch(file, '--from', from, '--dry-run')
  expect(code).toBe(0)
})

test('a column of names beside standard ones is asked about, and a no is remembered', async () => {
  const world = await batchWorld()
  const file = world.file('a.csv', `to,amount,Nombre\n${phone},1,Somebody Else`)

  const terminal = atTerminal(world, file)
  await terminal.answer('name = Nombre: use this? (Y/n)', 'n\r')
  await terminal.answer('Send 1 payment, 1.00 CRC?', 'n\r')
  expect(await terminal.ended).toBe(2)
  const again = atTerminal(world, file)
  await again.answer('Send 1 payment, 1.00 CRC?', 'n\r')
  expect(again.screen).not.toContain('use this?')

  const taken = atTerminal(world, world.file('b.csv', `to,amount,nombre,x\n${phone},1,Somebody Else,1`))
  await taken.answer('name = nombre: use this? (Y/n)', 'y\r')
  expect(await taken.ended).toBe(2)
  expect(taken.screen).toContain('not by "Somebody Else"')
})

test('columns that are read by their headings are named before the question', async () => {
  const world = await batchWorld()
  const file = world.file('a.csv', `Teléfono,Monto,Cédula\n${phone},1,3-0493-0258`)

  const terminal = atTerminal(world, file)
  await terminal.answer(/by their headings: document = Cédula\.[\s\S]+to = Teléfono, amount = Monto: use this\?/, 'n\r')

  expect(await terminal.ended).toBe(2)
})
