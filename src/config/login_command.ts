import { quoted } from '../errors/quoted.ts'
import type { Globals } from '../run/globals.ts'

/** What to type to log in under a profile, at the service that the flags of this run name. */
export function loginCommand(profile: string, { profile: flag, baseUrl, authUrl }: Globals = {}): string {
  const words = ['payctl login']
  if (profile === 'emulator') words.push('--emulator')
  else if (profile !== 'default' || flag !== undefined) words.push(`--profile ${quoted(profile)}`)
  if (baseUrl !== undefined) words.push(`--base-url ${quoted(baseUrl)}`)
  if (authUrl !== undefined) words.push(`--auth-url ${quoted(authUrl)}`)
  return words.join(' ')
}
