import { loginCommand } from '../../config/login_command.ts'
import { quoted } from '../../output/quoted.ts'
import type { Globals, Target } from '../context.ts'
import type { BrowserFlags } from './browser.ts'

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
