import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { payees } from '../commands/webhooks/rig.ts'
import { payctlCommand } from '../support/program.ts'
import { type Workplace, workplace } from './command_workplace.ts'

/** Runs payctl as on a full disk: none of its files can grow beyond this many blocks of 512 bytes. */
async function withRoom(
  blocks: number,
  { env }: Workplace,
  argv: readonly string[],
  settings: { input?: string } = {},
) {
  const child = spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...payctlCommand(argv).flat()], {
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (said.stderr += text))
  child.stdin.on('error', () => {}).end(settings.input ?? '')
  const [code] = await once(child, 'close')
  expect(said.stderr).not.toMatch(/^\s+at .+:\d+|This is a bug/m)
  return { code: code as number, ...said }
}

const sent = async ({ client }: Workplace): Promise<readonly number[]> => {
  const { data } = await client.call('payments.history')
  return data.map(({ amount }) => amount.value).filter((value) => value < 1000)
}

describe('a full disk', () => {
  it('with whatever room, lets nothing leave that is not in the journal', async () => {
    const { length } = await Promise.all(
      [0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 100, 200].map(async (blocks) => {
        const at = await workplace()
        const order = ['--from', at.account, '--to', payees.completed, '--amount-minor', '7', '--yes', '--json']
        const { code, stdout, stderr } = await withRoom(blocks, at, ['payments', 'send', ...order])
        const intents = JSON.parse((await at.run(['payments', 'intents', '--json'])).stdout)
        const made = await sent(at)
        if (code === 0) {
          expect({ blocks, made }).toEqual({ blocks, made: [7] })
          expect(intents).toHaveLength(1)
          expect(JSON.parse(stdout)).toHaveProperty('id')
        } else {
          expect({ blocks, code, stderr, made }).toMatchObject({ code: 2, made: [] })
          expect(stderr).toContain('Nothing was sent')
          expect(stderr).toContain('PAYCTL_STATE_DIR')
        }
        await at.run(['payments', 'send', ...order, '--idempotency-key', 'later'])
        expect(await sent(at)).toEqual([7, ...made])
      }),
    )
    expect(length).toBe(13)
  })

  it('leaves configuration and logins as they were', async () => {
    const at = await workplace()
    const { token, baseUrl } = at.emulator
    const config = at.env.PAYCTL_CONFIG_DIR ?? ''
    const files = () =>
      Object.fromEntries(readdirSync(config).map((name) => [name, readFileSync(join(config, name), 'utf8')]))
    const login = ['login', '--with-token']
    expect((await at.piped(login, { input: token })).code).toBe(0)
    await at.run(['profiles', 'set', 'old', '--base-url', baseUrl])
    const before = files()
    const writes = [
      [login, token],
      [['logout'], ''],
      [['profiles', 'set', 'new', '--base-url', baseUrl], ''],
      [['profiles', 'use', 'old'], ''],
      [['profiles', 'delete', 'old', '--yes'], ''],
    ] as const
    for (const [argv, input] of writes) {
      const { code, stderr } = await withRoom(0, at, argv, { input })
      expect({ argv, code, stderr }).toMatchObject({ code: 2 })
      expect(stderr).toMatch(/It was left unchanged\.\n {2}.*PAYCTL_CONFIG_DIR/)
      expect(stderr).not.toContain(token)
      expect(files()).toEqual(before)
    }
  })

  it('does not matter to commands that only read, nor to completion', async () => {
    const at = await workplace()
    for (const argv of [
      ['accounts', 'list'],
      ['payments', 'history'],
      ['webhooks', 'list'],
      ['auth', 'status'],
    ]) {
      expect(await withRoom(0, at, [...argv, '--quiet'])).toMatchObject({ code: 0, stderr: '' })
    }
    const { code, stdout, stderr } = await withRoom(0, at, ['__complete', 'words', 'accounts', 'get', ''])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(at.account)
  })

  it('ends a lookup of a file with what to do, and loses no answer', async () => {
    const at = await workplace()
    const list = join(at.home, 'list.csv')
    const phones = Array.from({ length: 40 }, (_, row) => `8${String(row).padStart(7, '0')}`)
    writeFileSync(list, ['Phone,Note', ...phones.map((phone) => `${phone},${'x'.repeat(60)}`), ''].join('\n'))
    const argv = ['lookup', '--file', list, '--json']
    const stopped = await withRoom(8, at, [...argv, '--cache', 'none'])
    expect(stopped).toMatchObject({ code: 2, stdout: '' })
    const [, kept = ''] =
      /^Stopped with (\d+) of 40 answered\. Run the command again: it continues from there\.$/m.exec(stopped.stderr) ??
      []
    expect(JSON.parse(stopped.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      message: expect.stringMatching(
        /lookups.run-\w+\.ndjson can't be written: the file would exceed the size limit\.$/,
      ),
      hint: expect.stringContaining('Make room'),
    })
    expect(Number(kept)).toBeGreaterThan(5)
    const { code, stdout, stderr } = await at.run([...argv, '--cache', 'none'])
    expect({ code, stderr }).toMatchObject({ code: 3 })
    expect(JSON.parse(stdout).remembered).toBeGreaterThanOrEqual(Number(kept))
  })

  it('is reported by an emulator that has to keep its data or its ready file', async () => {
    const at = await workplace()
    const ready = join(at.home, 'ready.json')
    for (const flags of [
      ['--data', join(at.home, 'world.db')],
      ['--ready-file', ready],
    ]) {
      const { code, stderr } = await withRoom(0, at, ['emulate', '--port', '0', ...flags])
      expect({ flags, code, stderr }).toMatchObject({ code: 2 })
      expect(stderr).toMatch(/^error: .+\n {2}.+$/m)
    }
    expect(readdirSync(at.home).filter((name) => name.startsWith('ready'))).toEqual([])
    expect(existsSync(ready)).toBe(false)
  })
})
