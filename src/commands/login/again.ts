import { loginCommand } from '../../config/login_command.ts'
import type { Target } from '../../config/target.ts'
import type { Scope } from '../../contract/scopes.ts'
import { quoted } from '../../errors/quoted.ts'
import type { Globals } from '../../run/globals.ts'
import type { IdentityFlags } from './client_identity.ts'

export interface BrowserFlags extends IdentityFlags {
  readonly scopes?: readonly Scope[]
  /** False with --no-browser. */
  readonly browser: boolean
  readonly port?: number
  /** Milliseconds. */
  readonly loginTimeout?: number
}

/** The command of a login in the browser, to be typed once more; with other scopes, where they are given. */
export function loginAgain({ profile }: Target, flags: BrowserFlags, globals: Globals, scopes?: string): string {
  const { clientId, clientSecretFile, port, browser } = flags
  const wanted = scopes ?? flags.scopes?.join(',')
  return [
    loginCommand(profile, globals),
    ...(wanted === undefined ? [] : [`--scopes ${wanted}`]),
    ...(clientId === undefined ? [] : [`--client-id ${quoted(clientId)}`]),
    ...(clientSecretFile === undefined ? [] : [`--client-secret-file ${quoted(clientSecretFile)}`]),
    ...(port === undefined ? [] : [`--port ${port}`]),
    ...(browser ? [] : ['--no-browser']),
  ].join(' ')
}
