import { appendFileSync, chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type ComparedScreen,
  english,
  expectNoEnglish,
  expectSameJson,
  expectSpanish,
  type Pair,
  type Run,
  runsAtEmulator,
  spanish,
  writePage,
} from './screens.ts'

// The screens of the person who sets payctl up: rates, user, profiles, files, audit file in both languages.

const pay = (amount: string) => `payments send --from CRC --to 87000001 --amount ${amount} --yes`.split(' ')

const setProd = ['profiles', 'set', 'prod', '--base-url', 'https://banco.example']

const setPagar = ['alias', 'set', 'pagar', 'send --from crc --to $1 --amount $2']

/** Runs with payments, refusals by limits and a damaged line in the audit file, and a live profile. */
async function setUp(): Promise<Run> {
  const { run, folder } = await runsAtEmulator()
  for (const argv of [
    [...setProd, '--client-id', 'payctl', '--auth-url', 'https://a.example', '--live'],
    ['limits', 'set', '--per-payment', '2000', 'CRC'],
    ['limits', 'set', '--hours', '00:00-24:00'],
    setPagar,
    pay('1500.25'),
    pay('2500'),
    ['limits', 'remove', 'per-payment', '--no-input'],
    ['limits', 'set', '--per-payment', '9000', 'CRC', '--no-input'],
  ]) {
    await run(argv, english)
  }
  appendFileSync(join(folder, 'audit.ndjson'), '{"time":\n')
  return run
}

const screen = (line: string, says: RegExp): ComparedScreen => [line, line.split(' '), says]

const screens: readonly ComparedScreen[] = [
  screen('fx', /Compra +\d[\s\S]*Venta +\d[\s\S]*Actualizado/),
  screen('fx rates', /Compra/),
  screen('fx upstream', /Origen/),
  screen(
    'fx upstream --provider nada',
    /otro\s+nombre\s+para\s+su\s+proveedor\s+del\s+tipo\s+de\s+cambio,\s+en\s+vez\s+de\s+nada/,
  ),
  screen('fx upstream --provider BCCR', /letras\s+minúsculas,\s+dígitos\s+y\s+guiones\s+bajos/),
  screen('user', /Nombre +María[\s\S]*Verificado/),
  screen(
    'audit',
    /HOY[\s\S]*solicitado[\s\S]*aceptado[\s\S]*rechazado[\s\S]*por pago\s+2,000\.00 CRC ->\s+9,000\.00 CRC/,
  ),
  screen('audit -n 2', /EVENTO +DESTINATARIO +QUÉ\s+PASÓ/),
  screen('audit --until 2020-01-01', /No\s+hay\s+registros\s+de\s+auditoría[\s\S]*No\s+se\s+puede\s+leer\s+1\s+línea/),
  screen('audit --since mañana', /Indique\s+una\s+fecha/),
  screen('audit -n 0', /número\s+entero\s+de\s+1/),
  screen('config path', /config\.json/),
  screen('config set credentials file', /se\s+guardan\s+ahora\s+en[\s\S]*\(0\s+sesiones\)/),
  screen('config set credentials nube', /Los\s+valores\s+posibles\s+son:\s+file,\s+keyring/),
  screen('profiles list', /NOMBRE +EN\s+USO +SERVICIO +DINERO\s+REAL[\s\S]*REAL[\s\S]*el\s+emulador\s+en\s+ejecución/),
  screen('profiles use default', /PAYCTL_BASE_URL\s+\(http[\s\S]*prioridad[\s\S]*En\s+uso +\*/),
  screen('profiles use prd', /No\s+existe\s+el\s+perfil\s+'prd'\.\s+¿Quiso\s+decir\s+prod\?/),
  screen('profiles set prod', /No\s+se\s+indicó\s+ningún\s+valor\s+para\s+el\s+perfil\s+prod/),
  screen('profiles set prod --client-id payctl', /Cliente\s+OAuth +payctl/),
  screen('profiles set prod --client-id x --unset client-id', /definir\s+y\s+también\s+borrar\s+client_id/),
  screen('profiles set prod --unset token', /Indique\s+uno\s+de\s+estos:\s+auth-url/),
  screen('profiles set prod --key-life 2y', /Indique\s+un\s+plazo\s+de\s+1m\s+a\s+3650d/),
  screen('profiles set prod --token secreto', /no\s+guarda\s+tokens/),
  screen('profiles set prod --live', /Dinero\s+real +REAL/),
  screen('profiles set prod --no-live --no-input', /Esto\s+ampliaría\s+los\s+límites\s+del\s+perfil\s+prod/),
  screen(
    'profiles set prod --base-url api.example.com',
    /La\s+dirección\s+del\s+servicio\s+no\s+es\s+una\s+dirección\s+web/,
  ),
  screen('profiles set nuevo --client-id payctl', /no\s+tiene\s+la\s+dirección\s+de\s+un\s+servicio/),
  screen('profiles set nuevo --base-url https://a.example --from CRC', /Ingrese\s+primero\s+en\s+el\s+perfil\s+nuevo/),
  screen('profiles set nuevo --base-url http://a.example', /Escriba\s+https:/),
  screen(
    'profiles set emulator --base-url https://a.example',
    /viene\s+incluido:\s+solo\s+se\s+puede\s+definir\s+--from/,
  ),
  screen('profiles set emulator --from 1', /es\s+muy\s+corto/),
  screen('profiles set .x --base-url https://a.example', /de\s+1\s+a\s+64\s+letras/),
  screen('profiles delete emulator', /no\s+se\s+puede\s+eliminar/),
  screen('profiles delete nada --yes', /No\s+existe\s+el\s+perfil\s+'nada'/),
  screen('profiles delete prod --no-input', /eliminaría\s+el\s+perfil\s+prod[\s\S]*debe\s+aceptarlo\s+una\s+persona/),
  screen('profiles delete prod --yes --no-input', /Esto\s+ampliaría\s+los\s+límites/),
  screen('alias list', /NOMBRE +COMANDO +INCLUIDO[\s\S]*pagar[\s\S]* no[\s\S]* sí/),
  [
    'alias of a payee',
    ['alias', 'set', 'luz', 'send --to proveedor-luz'],
    /no\s+hay\s+un\s+destinatario proveedor-luz/,
  ],
  ['alias of no command', ['alias', 'set', 'luz', 'nada'], /nada no es un comando de payctl/],
  ['alias without an end', ['alias', 'set', 'luz', 'send "a'], /le falta cerrar unas comillas/],
  ['alias with a wrong value', ['alias', 'set', 'luz', 'send --amount 1.500'], /se puede leer de dos\s+maneras/],
  screen('alias set send iban', /una\s+abreviatura\s+no\s+puede\s+reemplazarlo/),
  screen('alias set .x iban', /no\s+se\s+puede\s+escribir\s+como\s+comando/),
  screen('alias delete send', /no\s+se\s+puede\s+eliminar/),
  screen('alias delete nada', /No\s+existe\s+la\s+abreviatura\s+nada/),
  screen('completion tcsh', /Los\s+valores\s+posibles\s+son/),
  screen('init --no-input', /necesita\s+una\s+terminal[\s\S]*Con\s+comandos:\s+payctl\s+profiles\s+set\s+default/),
]

describe('A run under es_CR.UTF-8', () => {
  it('prints the same JSON, byte for byte', async () => {
    await expectSameJson(screens, await setUp())
  })

  it('prints the same csv', async () => {
    const run = await setUp()
    for (const line of ['audit', 'profiles list', 'fx', 'user']) {
      const argv = [...line.split(' '), '-o', 'csv']
      expect((await run(argv, spanish)).stdout).toBe((await run(argv, english)).stdout)
    }
  })

  it.each([40, 80, 140])('fits in a terminal of %i columns, and says everything in Spanish', async (width) => {
    await expectSpanish(screens, width, { run: await setUp(), page: 'setup.html' })
  })
})

it.each(['alias list', 'audit', 'profiles list'])('All columns of %s have Spanish names', async (line) => {
  const run = await setUp()
  const headings = async (language: Readonly<Record<string, string>>) =>
    (await run([...line.split(' '), '-o', 'wide', '--quiet'], language, 500)).stdout.split('\n')[0]?.split(/ {2,}/) ??
    []
  const [there, here] = [await headings(english), await headings(spanish)]
  expect(here.length).toBeGreaterThan(2)
  expect(here.filter((name) => there.includes(name))).toEqual([])
})

interface World {
  readonly folder: string
  readonly run: (...argv: readonly string[]) => ReturnType<Run>
}

const broken =
  (file: string, content: string, ...argv: readonly string[]) =>
  ({ folder, run }: World) => {
    writeFileSync(join(folder, file), content)
    return run(...argv)
  }

const scenarios: readonly (readonly [name: string, run: (world: World) => ReturnType<Run>, spanish: RegExp])[] = [
  [
    'a new profile',
    ({ run }) => run(...setProd),
    /agregue -p prod\. Para usarlo en todos los comandos:\s+payctl profiles use prod/,
  ],
  [
    'a profile that moves to another service',
    async ({ run }) => {
      await run(...setProd, '--auth-url', 'https://auth.example.com')
      return run('profiles', 'set', 'prod', '--base-url', 'https://new.example')
    },
    /no sirve en\s+https:\/\/new\.example\. Ingrese allí[\s\S]*sigue siendo[\s\S]*Si ese servidor es del servicio anterior/,
  ],
  [
    'a profile in use that is deleted',
    async ({ run }) => {
      await run(...setProd)
      await run('profiles', 'use', 'prod')
      return run('profiles', 'delete', 'prod', '--yes')
    },
    /Ahora el perfil en uso es default\. Para elegir otro/,
  ],
  [
    'an alias without all of its values',
    async ({ run }) => {
      await run(...setPagar)
      return run('pagar', '87000001')
    },
    /La abreviatura pagar necesita 2 valores: representa send/,
  ],
  [
    'a config file that is not JSON',
    broken('config.json', '{"profiles": {\n', 'profiles', 'list'),
    /config\.json está dañado\. Línea \d: no es JSON\.\s+Corrija el archivo, o apártelo con: mv/,
  ],
  [
    'a config file with a wrong value',
    broken('config.json', '{"profiles": {"prod": {"base_url": 1}}}', 'profiles', 'list'),
    /base_url del perfil prod no es un texto/,
  ],
  [
    'a config file of a newer payctl',
    broken('config.json', '{"version": 99, "profiles": {}}', 'profiles', 'list'),
    /lo escribió una versión más nueva de\s+payctl/,
  ],
  [
    'a config file that the command does not need',
    broken('config.json', '{', 'config', 'path'),
    /El comando continuó sin ese archivo/,
  ],
  [
    'limits that are damaged',
    broken('limits.json', '{"profiles": {"prod": {"services": [], "users": null, "hours": "8"}}}', ...pay('5')),
    /hours del perfil prod debe ser así: 08:00-17:00\. No se envió nada\.\s+Revíselo: cat/,
  ],
  [
    'saved payees that are damaged',
    broken('payees.json', '{"payees": [{"name": "luz"}]}', 'payees', 'list'),
    /falta service del destinatario 1\. No se envió nada/,
  ],
  [
    'a time of keys that can’t be read',
    broken(
      'config.json',
      '{"profiles": {"prod": {"base_url": "https://banco.example", "key_life": "2y"}}}',
      ...['fx', '-p', 'prod'],
    ),
    /key_life del perfil prod debe ser un plazo de 1m a 3650d, y es 2y/,
  ],
  [
    'a folder of settings that others can change',
    ({ folder, run }) => {
      chmodSync(folder, 0o777)
      return run('profiles', 'list')
    },
    /Otros usuarios de este equipo pueden cambiar la carpeta[\s\S]*chmod go-w/,
  ],
]

const pairs: Pair[] = []
afterAll(() => writePage('setup_changes.html', pairs))

it.each(scenarios)('says in Spanish: %s', async (name, scenario, says) => {
  const ran = async (language: Readonly<Record<string, string>>) => {
    const { run, folder } = await runsAtEmulator()
    return scenario({ folder, run: (...argv) => run(argv, language, 80) })
  }
  const [there, here] = [await ran(english), await ran(spanish)]

  const [original = '', text = ''] = [there, here].map(({ stderr, stdout }) => stderr + stdout)
  pairs.push({ name, texts: [original, text] })
  expect(here.code).toBe(there.code)
  expect(text.replace(/\s+/g, ' ')).toMatch(says)
  expectNoEnglish(text, name)
})
