import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { type Exit, exits } from '../../src/errors/exit_codes.ts'
import { serve } from '../support/server.ts'
import { crcAccount, machine } from './machine.ts'

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ settle: 0, rateLimit: null })
})
afterAll(() => emulator.close())

type Machine = Awaited<ReturnType<typeof machine>>
type Ending = (machine: Machine) => Promise<{ readonly exitCode?: number | undefined; readonly stderr?: unknown }>

const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const send = (to: string, ...flags: readonly string[]) => [
  ...['payments', 'send', '--yes', '--from', crcAccount(emulator), '--to', to, '--amount', '1'],
  ...flags,
]

/** A token of the emulator with these scopes. */
async function tokenWith({ start, env }: Machine, scopes: string): Promise<Record<string, string>> {
  const { stdout } = await start(['emulator', 'token', '--scopes', scopes])
  return { ...env, PAYCTL_TOKEN: String(stdout) }
}

const user = '{"success":true,"message":"","data":{"id":"user-1","email":"ana@example.com"}}'

/**
 * A server that never answers. With `hangsUp` the server closes connections instead, but answers the request for the
 * token's user.
 */
async function deafServer(hangsUp: boolean): Promise<string> {
  return serve((request, response) => {
    const end = () => (request.url === '/api/user' ? response.end(user) : request.socket.destroy())
    request.on('end', () => hangsUp && end()).resume()
  })
}

/** Every exit code, from a real run. */
const endings: Readonly<Record<Exit, Ending>> = {
  done: ({ start }) => start(['user']),
  bug: async ({ home, start }) => {
    const sabotage = join(home, 'sabotage.cjs')
    await writeFile(sabotage, `URL.canParse = () => undefined.nothing`)
    return start(['user'], { nodeArgs: ['--require', sabotage] })
  },
  usage: ({ start }) => start(['payments', 'get', 'x']),
  not_found: ({ start }) => start(['payments', 'get', uuid]),
  unauthenticated: ({ start, env }) => start(['user'], { env: { ...env, PAYCTL_TOKEN: 'expired-token' } }),
  forbidden: async (machine) => machine.start(['accounts', 'list'], { env: await tokenWith(machine, 'read-user') }),
  conflict: async ({ start }) => {
    const key = ['--idempotency-key', 'conflict']
    await start(send('87000001', ...key))
    return start(['payments', 'validate', ...send('87000001', ...key).slice(3)])
  },
  rejected: ({ start }) => start(send('87000001', '--amount', '9999999')),
  payment_unsuccessful: ({ start }) => start(send('87000006', '--wait')),
  payment_in_progress: async ({ start, env }) => {
    const slow = await startEmulator({ settle: 'manual' })
    onTestFinished(() => slow.close())
    return start(send('87000001', '--wait-timeout', '100ms'), { env: { ...env, PAYCTL_BASE_URL: slow.baseUrl } })
  },
  outcome_unknown: async ({ start, env }) =>
    start(send('87000001', '--retries', '0'), { env: { ...env, PAYCTL_BASE_URL: await deafServer(true) } }),
  rate_limited: async ({ start, env }) => {
    const strict = await startEmulator({ rateLimit: 1, clock: '2040-01-05T12:00:00Z' })
    onTestFinished(() => strict.close())
    const at = { ...env, PAYCTL_BASE_URL: strict.baseUrl }
    await start(['user'], { env: at })
    return start(['user', '--retries', '0'], { env: at })
  },
  unavailable: ({ start, env }) =>
    start(['user', '--retries', '0'], { env: { ...env, PAYCTL_BASE_URL: 'http://127.0.0.1:1' } }),
  interrupted: async ({ start, env }) => {
    const run = start(['user', '-v'], { env: { ...env, PAYCTL_BASE_URL: await deafServer(false) } })
    run.stderr?.once('data', () => run.kill('SIGINT'))
    return run
  },
}

describe('each exit code', () => {
  it.each(Object.entries(endings))('%s', async (name, ending) => {
    const { exitCode, stderr } = await ending(await machine(emulator))
    expect({ exitCode, stderr }).toMatchObject({ exitCode: exits[name as Exit].code })
    expect(String(stderr)).not.toMatch(/^\s+at .+:\d+/m)
    if (name !== 'done') expect(stderr).toContain('error:')
  })
})
