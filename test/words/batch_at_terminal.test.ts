import { describe, expect, it } from 'vitest'
import { account, isPayment, phone } from '../commands/payments/service.ts'
import { keys, openMain } from '../support/terminal.ts'
import { expectNoEnglish, spanishLiveProfile } from './screens.ts'

const rows = ['to,amount,from', `${phone},30.00,${account}`, `${phone},20.01,${account}`]

/** A file of two payments, and a live profile. */
async function setUp(confirmAbove?: string) {
  const at = await spanishLiveProfile(confirmAbove)
  const { env } = at
  const file = at.file('nomina.csv', rows.join('\n'))
  const open = (...argv: readonly string[]) => openMain(['payments', ...argv], { env, columns: 80 })
  return { ...at, write: at.file, file, open, start: (...argv: readonly string[]) => at.start(argv, { env }) }
}

describe('the question of a batch in Spanish', () => {
  it.each(['s', 'sí', 'SI', 'y'])('sends after %j', async (answer) => {
    const { file, open, requested } = await setUp('100')
    const terminal = open('batch', file)

    await terminal.answer('¿Enviar 2 pagos por 50.01 CRC? (s/N)', `${answer}${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toContain('REAL, como ana@example.com (prod)')
    expect(terminal.screen).toMatch(/2 de 2 filas enviadas: 50\.01 CRC/)
    expect(requested()).toBe(2)
    expectNoEnglish(terminal.screen, 'batch')
  })

  it.each([
    ['n', 'n\r'],
    ['Enter', keys.enter],
    ['another word', 'sin\r'],
    ['the end of the input', keys.endOfInput],
  ])('sends nothing after %s', async (_, typed) => {
    const { file, open, requested } = await setUp('100')
    const terminal = open('batch', file)

    await terminal.answer('(s/N)', typed)

    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
    expect(requested()).toBe(0)
  })

  it('sends nothing after Ctrl-C', async () => {
    const { file, open, requested } = await setUp('100')
    const terminal = open('batch', file)

    await terminal.answer('(s/N)', keys.interrupt)

    expect(await terminal.ended).toBe(130)
    expect(terminal.screen).toContain('error: Interrumpido.')
    expect(requested()).toBe(0)
  })

  it('asks for the sum of a large batch of a live profile', async () => {
    const { file, open, requested } = await setUp()
    const terminal = open('batch', file)

    await terminal.answer('Es dinero real. Para enviarlo, escriba el monto:', `50.01${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toContain('¿Enviar 2 pagos por 50.01 CRC?')
    expect(requested()).toBe(2)
  })

  it.each(['s', '30', ''])('sends nothing if %j is typed in place of the sum', async (answer) => {
    const { file, open, requested } = await setUp()
    const terminal = open('batch', file)

    await terminal.answer('escriba el monto:', `${answer}${keys.enter}`)

    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
    expect(requested()).toBe(0)
  })
})

it('asks in Spanish how to read other headings, and remembers the answer', async () => {
  const { write, open } = await setUp('100')
  const file = write('otra.csv', `Teléfono,Monto,Cuenta origen\n${phone},30.00,${account}`)
  const terminal = open('batch', file, '--dry-run')

  await terminal.answer(/¿usar estas\s+columnas\? \(S\/n\)/, keys.enter)

  expect(await terminal.ended).toBe(0)
  expect(terminal.screen).toContain('Estas columnas se recordarán para estos encabezados. Para cambiarlas: --map')
  const again = open('batch', file, '--dry-run')
  expect(await again.ended).toBe(0)
  expect(again.screen).toContain('Columnas como se confirmaron antes: ')
})

it('asks in Spanish before it resumes and retries a batch', async () => {
  const { service, file, open, start } = await setUp('100')
  service.before = (request) =>
    isPayment(request) && Number(request.body.amount) > 2001 ? [422, 'Insufficient balance.'] : undefined
  await start('payments', 'batch', file, '--yes', '--batch-id', 'nomina')
  const terminal = open('batch', 'retry')

  await terminal.answer(/¿Enviar 1 fila del lote nomina otra vez, 30\.00 CRC,[\s\S]*\(s\/N\)/, `n${keys.enter}`)

  expect(await terminal.ended).toBe(2)
  expect(terminal.screen).toContain('1 fila rechazada: Saldo insuficiente. (línea 2)')
  expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
  expectNoEnglish(terminal.screen, 'retry')
})

it('shows in Spanish who holds a new phone, before the question', async () => {
  const { write, file, open, start } = await setUp('100')
  await start('payments', 'batch', file, '--yes')
  const terminal = open('batch', write('nueva.csv', `to,amount,from\n88885678,4.00,${account}`))

  await terminal.answer('(s/N)', `n${keys.enter}`)

  expect(await terminal.ended).toBe(2)
  expect(terminal.screen).toMatch(/ {2}Nuevo {8}línea 2: 8888 5678, /)
  expect(terminal.screen).toMatch(/Inusual {6}a 1 destinatario no se le había pagado antes: línea 2/)
})
