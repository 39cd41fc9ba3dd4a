import { describe, expect, it } from 'vitest'
import { runPayctl } from '../support/run_payctl.ts'

describe('A mistake in a command line, in Spanish', () => {
  it.each([
    [['acounts', 'list'], "No existe el comando 'acounts'.\n  ¿Quiso decir accounts?"],
    [['payments', 'list'], "No existe el comando 'list'.\nnext:  payctl payments history ..."],
    [['payments', 'send', '--desc', 'x'], "No existe la opción '--desc'.\n  ¿Quiso decir --description?"],
    [['user', '--tokn=secret'], "No existe la opción '--tokn'.\n  ¿Quiso decir --token?"],
    [['payments', 'history', '-L', '5'], "No existe la opción '-L'.\n  ¿Quiso decir --limit <n>?"],
    [['payments', 'get'], "Falta el argumento 'id'.\nnext:  payctl payments get --help"],
    [
      ['limits', 'set', '--per-day', '5', 'EUR'],
      "El valor 'EUR' del argumento 'moneda' no es válido. Indique CRC o USD.\nnext:  payctl limits set --help",
    ],
    [['payees', 'rename', 'ana'], "Falta el argumento 'nombre nuevo'.\nnext:  payctl payees rename --help"],
    [['payments', 'send', '--from'], "Falta el valor de la opción '--from'.\nnext:  payctl payments send --help"],
    [
      ['accounts', 'list', 'x'],
      "El comando 'list' no acepta argumentos, pero se indicaron 1: x.\nnext:  payctl accounts list --help",
    ],
    [
      ['payments', 'get', 'a', 'b'],
      "El comando 'get' acepta un solo argumento, pero se indicaron 2: a, b.\nnext:  payctl payments get --help",
    ],
    [
      ['accounts', 'create', '--currency', 'EUR'],
      "El valor 'EUR' de la opción '--currency' no es válido. Los valores posibles son: CRC, USD.\nnext:  payctl accounts create --help",
    ],
    [
      ['payments', 'history', '--page', 'x'],
      "El valor 'x' de la opción '--page' no es válido. Indique un número entero de 1 en adelante.\nnext:  payctl payments history --help",
    ],
    [
      ['payments', 'history', '--since', '11/12/2026'],
      "El valor '11/12/2026' de la opción '--since' no es válido. Escriba primero el año: 2026-12-11 o 2026-11-12.\nnext:  payctl payments history --help",
    ],
    [
      ['login', '--scopes', 'read-usr'],
      "El valor 'read-usr' de la opción '--scopes' no es válido. read-usr no es un permiso; ¿quiso decir read-user? Los permisos son: read-user, read-accounts, manage-accounts, send-payments, manage-webhooks.\nnext:  payctl login --help",
    ],
  ])('%j', async (argv, message) => {
    const { code, stdout, stderr } = await runPayctl(argv, { env: { LANG: 'es_CR.UTF-8' } })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
  })

  it('is English as a whole where its rule has no translation', async () => {
    const world = await runPayctl(['emulator', 'status', '--world', 'A B', '--lang', 'es'])
    expect(world.stderr).toMatch(/^error: the value 'A B' of the option '--world <world>' is not valid\. Give 1 to 63 /)
  })

  it.each([
    [['--lang', 'en'], { LANG: 'es_CR.UTF-8' }],
    [[], { LANG: 'es_CR.UTF-8', CI: 'true' }],
    [[], { PAYCTL_LANG: 'en', LANG: 'es_CR.UTF-8' }],
  ])('is English with %j and %j', async (flags, env) => {
    expect((await runPayctl(['payments', 'snd', ...flags], { env })).stderr).toMatch(/^error: unknown command 'snd'\./)
  })

  it('does not change the JSON', async () => {
    const argv = ['payments', 'get', 'a', 'b', '--json']
    expect(await runPayctl(argv, { env: { LANG: 'es_CR.UTF-8' } })).toEqual(await runPayctl(argv))
  })
})
