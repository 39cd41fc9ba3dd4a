import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../../src/auth/credentials.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { type StartOptions, startRun } from '../support/started.ts'
import type { StrictService } from './strict_service.ts'

type Start = Partial<StartOptions>

/** A user's machine with payctl, without any login. */
export async function freshMachine() {
  const home = await temporaryDirectory()
  const configDir = join(home, 'config')
  const file = join(configDir, 'credentials.json')
  const env = { PAYCTL_STATE_DIR: join(home, 'state'), PAYCTL_CONFIG_DIR: configDir, NO_COLOR: '1' }
  const base = { PATH: process.env.PATH ?? '', HOME: home, ...env }
  return {
    home,
    configDir,
    file,
    env,
    start: (args: readonly string[], { env: more = {}, ...options }: Start = {}) =>
      startRun(args, { stdin: 'ignore', ...options, env: { ...base, ...more } }),
    credentials: (profile = 'default'): Credentials => JSON.parse(readFileSync(file, 'utf8')).profiles[profile],
    keep(profiles: Readonly<Record<string, unknown>>) {
      mkdirSync(configDir, { recursive: true, mode: 0o700 })
      writeFileSync(file, JSON.stringify({ version: 1, profiles }), { mode: 0o600 })
    },
    configure(profiles: Readonly<Record<string, unknown>>) {
      mkdirSync(configDir, { recursive: true, mode: 0o700 })
      writeFileSync(join(configDir, 'config.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 })
    },
  }
}

export type Machine = Awaited<ReturnType<typeof freshMachine>>

/** The time `ms` milliseconds from now, in the form of the credentials file. */
export const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString()

/** Credentials of a login at the service, made an hour before they expire. */
export function loginAt(service: StrictService, { expiresIn = 3600_000 }: { expiresIn?: number } = {}): Credentials {
  const { access, refresh } = service.issue()
  return {
    kind: 'oauth',
    base_url: service.url,
    auth_url: service.url,
    access_token: access,
    refresh_token: refresh,
    client_id: 'me',
    client_secret: 's3cret-of-the-client',
    obtained_at: fromNow(expiresIn - 3600_000),
    expires_at: fromNow(expiresIn),
    scopes: ['read-user', 'read-accounts'],
    user: { id: 'u1', name: 'Ana', email: 'ana@example.com' },
  }
}

/** A machine with a login at the service. */
export async function loggedInMachine(service: StrictService, life: { expiresIn?: number } = {}): Promise<Machine> {
  const machine = await freshMachine()
  machine.keep({ default: loginAt(service, life) })
  machine.configure({ default: { base_url: service.url } })
  return machine
}
