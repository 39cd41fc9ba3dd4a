import { join } from 'node:path'
import type { Emulator } from '../../emulator/index.ts'
import { demo } from '../../emulator/worlds/seed.ts'
import { allScopes } from '../../src/contract/index.ts'
import { redirectOf, search } from '../emulator/oauth/oauth_app.ts'
import { openMain, openPayctl, type Terminal } from '../support/terminal.ts'
import { freshMachine, type Machine } from './logged_in.ts'

export interface LoginSession extends Machine {
  readonly terminal: Terminal
  /** The address that the user's browser opens. */
  readonly address: () => Promise<URL>
}

/** A browser that starts and does nothing. */
const idleBrowser = 'true'

export const emulatorsClient = { PAYCTL_CLIENT_ID: demo.clientId, PAYCTL_CLIENT_SECRET: demo.clientSecret }

interface Settings {
  readonly machine?: Machine
  readonly env?: Readonly<Record<string, string>>
  /** True: runs a process even in the quick tests, because this login asks more than one question. */
  readonly process?: boolean
}

/**
 * `payctl login` in a terminal, at a service or at the target of the flags, with the service's client in the
 * environment.
 */
export async function startLogin(
  { baseUrl }: Partial<Pick<Emulator, 'baseUrl'>>,
  flags: readonly string[] = [],
  { machine, env = emulatorsClient, process }: Settings = {},
): Promise<LoginSession> {
  const here = machine ?? (await freshMachine())
  const open = process ? openPayctl : openMain
  const terminal = open(['login', ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]), ...flags], {
    env: { ...here.env, HOME: here.home, BROWSER: idleBrowser, ...env },
    columns: 200,
  })
  const address = async () => {
    await terminal.shows('response_type=code')
    await terminal.shows('code_challenge_method=S256')
    return new URL(/http\S+response_type=code\S+/.exec(terminal.written)?.[0] ?? '')
  }
  return { ...here, terminal, address }
}

export const callbackOf = (address: URL): URL => new URL(address.searchParams.get('redirect_uri') ?? '')

/**
 * Sends the answer that the form of the emulator's consent page would send. Returns the address to which the browser
 * goes next.
 */
export async function decide(
  address: URL,
  form: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<URL> {
  const answer = { user: demo.user.id, grant: allScopes, decision: 'allow', ...form }
  const response = await fetch(address, { method: 'POST', body: search(answer), redirect: 'manual' })
  return new URL(response.headers.get('location') ?? 'none:', redirectOf(response).size ? undefined : address)
}

/** Takes all steps of a user who allows everything. */
export async function allow({ address }: LoginSession, form = {}): Promise<string> {
  return await (await fetch(await decide(await address(), form))).text()
}

export const configOf = ({ configDir }: Machine): string => join(configDir, 'config.json')
