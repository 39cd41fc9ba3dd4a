import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

/** A machine without aliases, whose commands run in this process. */
async function machine() {
  const state = await temporaryDirectory()
  const configDir = join(state, 'config')
  const env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: configDir }
  const run = (...argv: readonly string[]) => runPayctl(argv, { env })
  return { run, configDir, file: join(configDir, 'aliases.json') }
}

describe('short forms', () => {
  it.each([
    [['send'], 'payments send'],
    [['history'], 'payments history'],
    [['whoami'], 'user'],
    [['listen'], 'webhooks tail'],
    [['balance'], 'accounts list'],
    [['balance', 'crc'], 'accounts balance'],
  ])('%j is payctl %s', async (argv, command) => {
    const { run } = await machine()
    const asked = await run(...command.split(' '), '--help')
    expect(await run(...argv, '--help')).toEqual(asked)
    expect(await run('--no-color', '-p', 'emulator', ...argv, '--help')).toEqual(asked)
  })

  it('have help by payctl help too', async () => {
    const { run } = await machine()
    expect(await run('help', 'send')).toEqual(await run('help', 'payments', 'send'))
  })

  it.each(['batch', 'tail', 'credit', 'trigger', 'pay', 'transfer', 'logs', 'start'])(
    '%s is not a command, and the message says what to type',
    async (word) => {
      const { run } = await machine()
      const { code, stderr } = await run(word)
      expect(code).toBe(2)
      expect(stderr).toContain(`unknown command '${word}'`)
      expect(stderr).toMatch(/\bpayctl (payments|webhooks|emulat\w+|login)\b/)
    },
  )
})

describe('aliases', () => {
  it('are set, used, listed and deleted', async () => {
    const emulator = await startEmulator()
    onTestFinished(emulator.close)
    const { run, file } = await machine()
    const set = await run(
      'alias',
      'set',
      'mine',
      `accounts list --base-url ${emulator.baseUrl} --token ${emulator.token}`,
      '--json',
    )
    expect(JSON.parse(set.stdout)).toMatchObject({ name: 'mine', built_in: false })
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    const used = await run('mine', '--json', '--jq', 'length > 0')
    expect(used).toMatchObject({ code: 0, stdout: 'true\n' })
    expect((await run('help', 'mine')).stdout).toContain('Usage: payctl accounts list ')
    expect(JSON.parse((await run('alias', 'list', '--json')).stdout)[0]).toMatchObject({ name: 'mine' })

    expect(await run('alias', 'delete', 'mine')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await run('mine')).stderr).toContain("unknown command 'mine'")
    expect((await run('alias', 'delete', 'mine')).code).toBe(3)
    expect((await run('alias', 'delete', 'send')).code).toBe(2)
  })

  it('place the words that follow: $1 and $2, the rest last', async () => {
    const { run } = await machine()
    await run('alias', 'set', 'pagar', 'send --to $2 --amount $1 --dry-run')
    const { code, stderr } = await run('pagar', '12.345', '8700-0001', '--idempotency-key', 'short')
    expect(code).toBe(2)
    expect(stderr).toContain('12.345')
    expect(await run('pagar', '--help')).toEqual(await run('payments', 'send', '--help'))
    const few = await run('pagar', '5')
    expect(few.code).toBe(2)
    expect(few.stderr).toContain('The alias pagar takes 2 values')
    expect(few.stderr).toContain('payctl pagar <value 1> <value 2>')
  })

  it('keep quoted words whole, and leave payctl out', async () => {
    const { run, file } = await machine()
    await run('alias', 'set', 'a', `payctl send --description "Pago del mes de luz" --to 'CR05 0152 0200 1026 2840 66'`)
    await run('alias', 'set', 'b', 'payments history --limit 3')
    expect(JSON.parse(await readFile(file, 'utf8')).aliases).toEqual({
      a: ['send', '--description', 'Pago del mes de luz', '--to', 'CR05 0152 0200 1026 2840 66'],
      b: ['payments', 'history', '--limit', '3'],
    })
    const { stdout } = await run('alias', 'list', '-o', 'csv')
    expect(stdout).toContain('Pago del mes de luz')
  })

  it.each([
    [['payments', 'user'], 'payments is a command of payctl'],
    [['send', 'user'], 'send is a command of payctl'],
    [['x', 'nothing'], 'nothing is not a command of payctl'],
    [['x', ' '], 'The alias contains no command'],
    [['-x', 'user'], ''],
    [['a b', 'user'], "can't be typed"],
    [['__proto__', 'user'], "can't be typed"],
    [['x', 'send --to "8700'], 'has an unclosed quote'],
  ])('can not be %j', async (argv, message) => {
    const { run, configDir } = await machine()
    const { code, stderr } = await run('alias', 'set', ...argv)
    expect({ code, stderr: stderr.includes(message) }).toEqual({ code: 2, stderr: true })
    await expect(stat(join(configDir, 'aliases.json'))).rejects.toThrow('ENOENT')
  })

  it.each([
    [
      `send --to 87000001 --description 'Recibo de luz'`,
      '--description has 13 characters; the service takes 15 to 255.',
    ],
    ['payments send --description=short', '--description has 5 characters'],
    ['send --to "CR06 0152 0200 1026 2840 66"', 'CR06'],
    ['payments --emulator validate --amount 12.345', '12.345'],
  ])('are refused at once with a value that no payment can have: %s', async (line, message) => {
    const { run, configDir } = await machine()
    const { code, stderr } = await run('alias', 'set', 'luz', line)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    await expect(stat(join(configDir, 'aliases.json'))).rejects.toThrow('ENOENT')
  })

  it.each([
    `send --from crc --to 8700-0001 --description 'Recibo de la luz'`,
    'send --to $1 --amount $2 --description "$3"',
    'send --to a-payee-to-save-later',
  ])('may be %s', async (line) => {
    const { run } = await machine()
    expect((await run('alias', 'set', 'luz', line)).code).toBe(0)
  })

  it('stand for no other alias, so that none runs for ever', async () => {
    const { run } = await machine()
    await run('alias', 'set', 'a', 'user')
    expect((await run('alias', 'set', 'b', 'a')).code).toBe(2)
  })

  it('that pay a payee who is not saved say so', async () => {
    const { run } = await machine()
    const set = await run('alias', 'set', 'luz', 'send --to proveedor-luz --from crc')
    expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining('There is no payee proveedor-luz yet.') })
    expect(set.stderr).toContain('payctl payees add proveedor-luz --to ...')
    expect((await run('alias', 'set', 'agua', 'send --to $1')).stderr).toBe('')
  })

  it.each(['{', '[]', '{"version":1,"aliases":{"a":"user"}}', '{"version":1,"aliases":{"a":[]}}', '{"version":2}'])(
    'in the file %s are refused, and commands of payctl go on',
    async (text) => {
      const { run, file } = await machine()
      await run('alias', 'set', 'a', 'user')
      await writeFile(file, text)
      for (const argv of [['a'], ['alias', 'list'], ['alias', 'set', 'b', 'user']]) {
        const { code, stderr } = await run(...argv)
        expect({ code, names: stderr.includes(file) }).toEqual({ code: 2, names: true })
      }
      expect((await run('config', 'path')).code).toBe(0)
      expect(await readFile(file, 'utf8')).toBe(text)
    },
  )

  it('of many processes at once are all saved', async () => {
    const { run, configDir } = await freshMachine()
    const names = ['a', 'b', 'c', 'd']
    const set = await Promise.all(names.map((name) => run(['alias', 'set', name, 'user'])))
    expect(set.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const { aliases } = JSON.parse(await readFile(join(configDir, 'aliases.json'), 'utf8'))
    expect(Object.keys(aliases).sort()).toEqual(names)
  })

  it('are offered by Tab, and complete as what they stand for', async () => {
    const { run } = await machine()
    await run('alias', 'set', 'luz', 'send --to 87000001')
    expect((await run('__complete', 'line', 'payctl lu')).stdout).toBe('luz\tsend --to 87000001\n')
    const flags = (await run('__complete', 'line', 'payctl luz --des')).stdout
    expect(flags).toMatch(/^--description\t/)
  })
})
