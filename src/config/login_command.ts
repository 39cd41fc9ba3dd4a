import { quoted } from '../output/quoted.ts'

/** What to type to log in under a profile. */
export function loginCommand(profile: string): string {
  if (profile === 'default') return 'payctl login'
  return profile === 'emulator' ? 'payctl login --emulator' : `payctl login --profile ${quoted(profile)}`
}
