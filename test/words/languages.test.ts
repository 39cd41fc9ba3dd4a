import { describe, expect, it } from 'vitest'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { type ComparedScreen, english, expectSameJson, expectSpanish, runsAfterPayments, spanish } from './screens.ts'

async function setUp() {
  const run = await runsAfterPayments()
  await run(['limits', 'set', '--per-payment', '2000', 'CRC'], english)
  return run
}

const send = (...flags: readonly string[]) => ['payments', 'send', '--from', 'CRC', ...flags]

/** Screens to compare in both languages, with required Spanish text. Commands that send are refused or are dry runs. */
const screens: readonly ComparedScreen[] = [
  [
    'dry run',
    send('--to', '87000001', '--amount', '1500.25', '--dry-run'),
    /Para {6,}Carlos[\s\S]*Queda[\s\S]*sin dinero real/,
  ],
  ['unknown phone', send('--to', '88881234', '--amount', '5', '--yes'), /no está registrado en SINPE Móvil/],
  [
    'above the limit of a payment',
    send('--to', '87000001', '--amount', '2500', '--yes'),
    /permiten 2,000\.00 CRC por\s+pago/,
  ],
  ['above the maximum', send('--to', '87000001', '--amount', '99999999', '--yes'), /No se envió nada/],
  ['two readings', send('--to', '87000001', '--amount', '1.500', '--yes'), /se puede leer de dos maneras/],
  ['no amount', send('--to', '87000001', '--amount', 'mucho', '--yes'), /--amount "mucho"/],
  ['negative amount', send('--to', '87000001', '--amount=-5', '--yes'), /es negativo/],
  ['phone of seven digits', send('--to', '8888123', '--amount', '5', '--yes'), /un teléfono de 7 dígitos/],
  ['wrong check digits', send('--to', 'CR05015202001026284067', '--amount', '5', '--yes'), /dígitos\s+verificadores/],
  [
    'no such account',
    ['payments', 'send', '--from', 'EUR', '--to', '87000001', '--amount', '5', '--yes'],
    /no es una de sus cuentas/,
  ],
  [
    'short description',
    send('--to', '87000001', '--amount', '5', '--description', 'corto', '--yes'),
    /tiene 5 caracteres/,
  ],
  ['wrong email', send('--to', '87000001', '--amount', '5', '--recipient-email', 'x', '--yes'), /dirección de correo/],
  ['wrong key', send('--to', '87000001', '--amount', '5', '--idempotency-key', 'a b', '--yes'), /caracteres\s+ASCII/],
  [
    'another holder',
    send('--to', '87000001', '--amount', '5', '--expect-name', 'Ana Vargas', '--yes'),
    /a nombre de\s+"Carlos/,
  ],
  [
    'another document',
    send('--to', '87000001', '--amount', '5', '--expect-document', '1-0999-0888', '--yes'),
    /tiene el\s+documento/,
  ],
  ['amount missing', send('--to', '87000001', '--yes'), /Falta el monto/],
  ['payee missing', send('--amount', '5', '--yes'), /Falta la opción obligatoria '--to'\./],
  [
    'both amounts',
    send('--to', '87000001', '--amount', '5', '--amount-minor', '500', '--yes'),
    /Tanto\s+--amount\s+como/,
  ],
  ['another currency', send('--to', '87000001', '--amount', '5 USD', '--yes'), /la cuenta está\s+en CRC/],
  ['last payment', ['payments', 'get', 'last'], /Último pago[\s\S]*Detalle/],
  ['no such payment', ['payments', 'get', 'fffff'], /Ningún pago tiene fffff/],
  ['too short an id', ['payments', 'get', 'abc'], /muy corto/],
  ['limits', ['limits'], /LÍMITE +MÁXIMO +USADO +DISPONIBLE[\s\S]*por día/],
  ['no limits', ['limits', '--profile', 'otro'], /No hay límites\. Para definirlos:/],
  ['limits as they were', ['limits', 'set', '--per-day', '1000000', 'CRC'], /por día +1,000,000\.00 CRC/],
  [
    'amounts to type, of a profile that is not live',
    ['limits', 'set', '--confirm-above', '5000000', 'CRC', '--profile', 'nuevo'],
    /payctl pide escribir montos solo si .*:\s+payctl profiles set nuevo --live/,
  ],
  ['no limit to set', ['limits', 'set'], /No se indicó ningún límite\.\s+Por ejemplo/],
  [
    'a limit without a currency',
    ['limits', 'set', '--per-day', '5'],
    /no tiene moneda\.\s+Escríbalo así: --per-day "5 CRC"/,
  ],
  ['a limit in two currencies', ['limits', 'set', '--per-day', '5 USD', 'CRC'], /tiene dos monedas\.\s+Indique una/],
  ['several currencies', ['limits', 'set', '--per-day', '5', 'CRC', 'USD'], /Se indicaron varias monedas/],
  [
    'an unknown currency',
    ['limits', 'set', '--per-day', '5', 'EUR'],
    /del argumento 'moneda' no es válido\. Indique CRC o\s+USD/,
  ],
  ['an unknown limit', ['limits', 'remove', 'todo'], /Indique uno de\s+estos: per-payment/],
  [
    'a looser limit',
    ['limits', 'remove', 'per-day', '--no-input'],
    /Esto ampliaría los límites .*eso solo lo puede\s+hacer una persona/,
  ],
  ['counts from zero', ['limits', 'recount', '--no-input'], /No se cambió nada\.\s+Ejecute el comando en una terminal/],
]

describe('A run under es_CR.UTF-8', () => {
  it('prints the same JSON, byte for byte', async () => {
    await expectSameJson(screens, await setUp())
  })

  it('prints the same csv', async () => {
    const run = await setUp()
    for (const argv of [
      ['payments', 'history', '-o', 'csv'],
      ['limits', '-o', 'csv'],
      ['payments', 'get', 'last', '-o', 'csv'],
      send('--to', '87000001', '--amount', '5', '--dry-run', '-o', 'csv'),
    ]) {
      expect((await run(argv, spanish)).stdout).toBe((await run(argv, english)).stdout)
    }
  })

  it.each([40, 80, 140])('fits in a terminal of %i columns, and says everything in Spanish', async (width) => {
    await expectSpanish(screens, width, { run: await setUp(), page: 'languages.html' })
  })
})

it.each([
  [send('--to', '87000001', '--amount', '5', '--dry-run')],
  [send('--to', '87000001', '--amount', '5', '--yes')],
  [['payments', 'get', 'last']],
  [['limits']],
])('All columns of %j have Spanish names', async (argv) => {
  const run = await setUp()
  await run(['limits', 'set', '--hours', '00:00-24:00', '--allow-payee', '87000001', 'CRC'], english)
  await run(['limits', 'set', '--read-only', '--profile', 'otro'], english)
  /** First words of lines, and the headings of a table, if they are words. */
  const namesIn = (text: string) => {
    const cells = text.split('\n').flatMap((line, at) =>
      line
        .split(/ {2,}/)
        .filter(Boolean)
        .slice(0, at === 0 ? 99 : 1),
    )
    return cells.filter((cell) => /^\p{Lu}[\p{L} ]+$/u.test(cell))
  }
  const [there, here] = [
    await run([...argv, '-o', 'wide'], english, 300),
    await run([...argv, '-o', 'wide'], spanish, 300),
  ]
  expect(namesIn(there.stdout).length).toBeGreaterThan(2)
  const alike = namesIn(here.stdout).filter((name) => namesIn(there.stdout).includes(name) && name !== 'Id')
  expect(alike).toEqual([])
})

describe('The language', () => {
  const es = /es muy corto/
  const en = /is too short/
  it.each([
    [{ LANG: 'es_CR.UTF-8' }, es],
    [{ LC_ALL: '', LC_MESSAGES: '', LANG: 'es_CR.UTF-8' }, es],
    [{ LC_ALL: 'es_ES', LANG: 'en_US.UTF-8' }, es],
    [{ LC_MESSAGES: 'es', LANG: 'en_US.UTF-8' }, es],
    [{ LC_ALL: 'es_CR.UTF-8', LC_MESSAGES: 'en_US.UTF-8' }, es],
    [{ LC_ALL: 'C', LANG: 'es_CR.UTF-8' }, en],
    [{ LC_ALL: 'POSIX', LANG: 'es_CR.UTF-8' }, en],
    [{ LANG: 'est_EE.UTF-8' }, en],
    [{}, en],
    [{ CI: 'true', LANG: 'es_CR.UTF-8' }, en],
    [{ CI: 'false', LANG: 'es_CR.UTF-8' }, es],
    [{ CI: 'true', PAYCTL_LANG: 'es' }, es],
    [{ PAYCTL_LANG: 'en', LANG: 'es_CR.UTF-8' }, en],
    [{ PAYCTL_LANG: '', LANG: 'es_CR.UTF-8' }, es],
    [{ PAYCTL_LANG: 'es-CR' }, es],
    [{ PAYCTL_LANG: 'xx', LANG: 'es_CR.UTF-8' }, en],
  ])('of a run with %j', async (env, message) => {
    const { stderr } = await runPayctl(['payments', 'get', 'abc'], { env })
    expect(stderr).toMatch(message)
  })

  it('of the profile is used before that of the locale, and after --lang and PAYCTL_LANG', async () => {
    const state = await temporaryDirectory()
    const run = async (argv: readonly string[], env = {}) =>
      (await runPayctl(argv, { env: { PAYCTL_STATE_DIR: state, LANG: 'en_US.UTF-8', ...env } })).stderr
    await run(['profiles', 'set', 'default', '--base-url', 'http://127.0.0.1:1', '--lang', 'es'])

    expect(await run(['payments', 'get', 'abc'])).toMatch(es)
    expect(await run(['payments', 'get', 'abc'], { PAYCTL_LANG: 'en' })).toMatch(en)
    expect(await run(['--lang', 'es', 'payments', 'get', 'abc'], { PAYCTL_LANG: 'en' })).toMatch(es)
  })

  it('of --lang must be one that payctl speaks', async () => {
    const { code, stderr } = await runPayctl(['--lang', 'fr', 'payments', 'get', 'abc'], { env: spanish })
    expect(code).toBe(2)
    expect(stderr).toMatch(/the value 'fr' of the option '.*--lang.*' is not valid\. Allowed choices are en, es\./)
  })

  it('of other commands is English', async () => {
    const { stderr } = await runPayctl(['emulate', '--seed-file', 'absent.json'], { env: spanish })
    expect(stderr).toMatch(/can’t be read/)
  })
})
