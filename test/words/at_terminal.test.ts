import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { hideHistory, isPayment, loseAnswers } from '../commands/payments/service.ts'
import { limitedPayctl, sending } from '../limits/limited_payctl.ts'
import { keys, openMain } from '../support/terminal.ts'
import { spanish, spanishLiveProfile } from './screens.ts'

/** Ctrl-U. */
const eraseLine = '\u0015'

async function setUp() {
  const at = await spanishLiveProfile()
  return { ...at, open: (amount: string) => openMain(sending(amount), { env: at.env }) }
}

describe('the question of a payment in Spanish', () => {
  it.each(['s', 'S', 'sí', 'SI', 'y', 'yes'])('sends after %j', async (answer) => {
    const { open, service } = await setUp()
    const terminal = open('50')

    await terminal.answer(/¿Enviar 50\.00 CRC a .*\? \(s\/N\)/, `${answer}${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/50\.00 CRC a .*, enviado, pendiente/)
    expect(service.payments.size).toBe(1)
  })

  it.each([
    ['n', 'n\r'],
    ['no', 'no\r'],
    ['Enter', keys.enter],
    ['another word', 'sin\r'],
    ['the end of the input', keys.endOfInput],
  ])('sends nothing after %s', async (_, typed) => {
    const { open, requested } = await setUp()
    const terminal = open('50')

    await terminal.answer('(s/N)', typed)

    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
    expect(requested()).toBe(0)
  })

  it('sends nothing after Ctrl-C', async () => {
    const { open, requested } = await setUp()
    const terminal = open('50')

    await terminal.answer('(s/N)', keys.interrupt)

    expect(await terminal.ended).toBe(130)
    expect(terminal.screen).toContain('Interrumpido')
    expect(requested()).toBe(0)
  })
})

describe('a large amount of a live profile in Spanish', () => {
  it('is sent once it is typed', async () => {
    const { open, service } = await setUp()
    const terminal = open('50.01')

    await terminal.answer('Es dinero real. Para enviarlo, escriba el monto:', `50.01${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toContain('REAL, como ana@example.com (prod)')
    expect(terminal.screen).toMatch(/50\.01 CRC a .*, enviado, pendiente/)
    expect(service.payments.size).toBe(1)
  })

  it.each(['s', 'sí', '50', ''])('is not sent when %j is typed', async (answer) => {
    const { open, requested } = await setUp()
    const terminal = open('50.01')

    await terminal.answer('escriba el monto:', `${answer}${keys.enter}`)

    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
    expect(requested()).toBe(0)
  })
})

describe('looser limits in Spanish', () => {
  async function remove(answer: string) {
    const at = await limitedPayctl()
    await at.limit('--per-payment', '50', '--per-day', '99', '--read-only', '--hours', '08:00-17:00', 'CRC')
    const terminal = openMain(['limits', 'remove', 'per-payment', 'read-only', 'hours'], {
      env: { ...at.env, ...spanish },
    })
    await terminal.answer('Para continuar, escriba default:', `${answer}${keys.enter}`)
    return { ...at, terminal, code: await terminal.ended }
  }

  it('are saved after the name of the profile', async () => {
    const { terminal, code, audited } = await remove('default')

    expect(code).toBe(0)
    expect(terminal.screen.replace(/\s+/g, ' ')).toContain(
      'Esto amplía los límites del perfil default: por pago 50.00 CRC -> ninguno, horario 08:00-17:00 -> ',
    )
    expect(terminal.screen).toMatch(/Este cambio está en el archivo de auditoría: payctl audit/)
    expect(audited().at(-1)).toMatchObject({
      event: 'loosened',
      what: 'per payment 50.00 CRC -> none, hours 08:00-17:00 -> none, read only true -> none',
    })
  })

  it('are not saved after another word', async () => {
    const { terminal, code } = await remove('sí')

    expect(code).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se cambió nada.')
  })
})

it('asks in Spanish for the values of a payment, and says in Spanish what is wrong with them', async () => {
  const emulator = await startEmulator({ settle: 'instant' })
  onTestFinished(() => emulator.close())
  const { env } = await limitedPayctl()
  const place = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
  const terminal = openMain(['payments', 'send'], { env: { ...env, ...spanish, ...place } })

  await terminal.answer('↑↓ moverse • ⏎ elegir', keys.enter)
  await terminal.answer('Para (cuenta IBAN o teléfono):', `87000001${keys.enter}`)
  await terminal.answer('Monto en CRC', `1.500${keys.enter}`)
  await terminal.answer('se puede leer de dos maneras', `${eraseLine}1500${keys.enter}`)
  await terminal.answer('Detalle (opcional, de 15 a 255 caracteres):', `corto${keys.enter}`)
  await terminal.answer('el servicio acepta de 15 a 255', `${eraseLine}${keys.enter}`)
  await terminal.answer('¿Enviar 1,500.00 CRC a Carlos Jiménez Mora? (s/N)', `n${keys.enter}`)

  expect(await terminal.ended).toBe(2)
  expect(terminal.screen).toContain('No se confirmó: no se envió nada.')
  expect(terminal.written).not.toMatch(/\b(the|navigate|select|From|Amount)\b/)
})

it.each([
  [{ PAYCTL_TOKEN: '' }, 4, /^error: Falta ingresar \(perfil default\)\.\n {2}Ingrese, o defina PAYCTL_TOKEN\./],
  [
    { PAYCTL_TOKEN: '', PAYCTL_BASE_URL: '' },
    2,
    /^error: El perfil default no tiene la dirección de un servicio\.\n {2}Trabaje sin conexión: /,
  ],
])('says in Spanish that a payment with %j needs a login or a service', async (env, code, message) => {
  const { start } = await limitedPayctl()

  const { exitCode, stderr } = await start([...sending('20'), '--yes'], { env: { ...spanish, ...env } })

  expect(exitCode).toBe(code)
  expect(stderr).toMatch(message)
})

it('says in Spanish that a payee is not saved', async () => {
  const { start } = await limitedPayctl()

  const { stderr } = await start(['send', '--to', 'ana', '--amount', '2', '--yes'], { env: spanish })

  expect(stderr).toMatch(/^error: No hay ningún destinatario "ana" guardado para http/)
})

it('says in Spanish that the audit file cannot be written', async () => {
  const { folder, start } = await limitedPayctl()
  mkdirSync(join(folder, 'state', 'audit.ndjson'), { recursive: true })

  const { exitCode, stderr } = await start([...sending('20'), '--yes'], { env: spanish })

  expect(exitCode).toBe(2)
  expect(stderr).toContain('audit.ndjson: es una carpeta. No se envió nada.\n  Libere espacio, o permita')
})

it('says in Spanish that it tries again', async () => {
  const { service, start } = await limitedPayctl()
  service.before = (request) => (isPayment(request) ? [429, 'Too Many Attempts.'] : undefined)

  const { stderr } = await start([...sending('20'), '--yes', '--retries', '1'], { env: spanish })

  expect(stderr).toMatch(/^Se intenta otra vez en \d+\.\d s: el servicio respondió 429, demasiadas solicitudes$/m)
})

it('says in Spanish that the result of a payment is not known, and what to do', async () => {
  const { service, start } = await limitedPayctl()
  loseAnswers(service)
  hideHistory(service)

  const { exitCode, stderr } = await start([...sending('20'), '--yes', '--retries', '0'], { env: spanish })

  expect(exitCode).toBe(10)
  expect(stderr).toMatch(/^error: No se conoce el resultado del pago; es posible que el dinero se haya movido: /m)
  expect(stderr).toMatch(
    /Si envía el pago otra vez, podría pagar dos veces\.\nnext: {2}payctl payments resume int_\w+$/m,
  )
  expect(stderr).not.toMatch(/\b(the|was|and|may have)\b/)
})

describe('questions about holders and payees in Spanish', () => {
  async function setUp() {
    const emulator = await startEmulator({ settle: 'instant' })
    onTestFinished(() => emulator.close())
    const { env, start } = await limitedPayctl()
    const place = { ...env, ...spanish, PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
    return { start, place, open: (...argv: string[]) => openMain(argv, { env: place }) }
  }

  it('phone asks for the phone, and says what is wrong with it', async () => {
    const terminal = (await setUp()).open('phone')

    await terminal.answer('¿Cuál teléfono?', `8888${keys.enter}`)
    await terminal.answer('no es un teléfono de Costa Rica', `${eraseLine}8700 0001${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/Estado +registrado/)
  })

  it('lookup asks for one value after another', async () => {
    const terminal = (await setUp()).open('lookup')
    const question = 'Teléfono, cuenta IBAN o archivo (Enter para terminar):'

    await terminal.answer(question, `8700 0001${keys.enter}`)
    await terminal.shows('Carlos')
    await terminal.answer(question, `88881234${keys.enter}`)
    await terminal.shows('8888 1234 no está registrado en SINPE Móvil.')
    await terminal.answer(question, keys.enter)

    expect(await terminal.ended).toBe(0)
    expect(terminal.written).not.toMatch(/\b(the|is|not)\b/)
  })

  it.each([
    ['s', 0, /Nombre +lola/],
    ['n', 2, /No se confirmó: no se quitó nada\./],
  ])('payees remove asks, and %s is an answer', async (answer, code, says) => {
    const { place, start, open } = await setUp()
    await start(['payees', 'add', 'lola', '--to', '87000001'], { env: place })
    const terminal = open('payees', 'remove', 'lola')

    await terminal.answer(/¿Quitar lola \(Carlos [^)]*\)\? \(s\/N\)/, `${answer}${keys.enter}`)

    expect(await terminal.ended).toBe(code)
    expect(terminal.screen).toMatch(says)
  })
})
