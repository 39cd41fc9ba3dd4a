import { quoted } from '../../errors/quoted.ts'
import type { Globals } from '../../run/globals.ts'

/** The flags that led this run to its service, for a command that the user is told to type next. Never the token. */
export function repeatFlags({ profile, emulator, baseUrl }: Globals): string {
  const flags = [
    profile !== undefined && `--profile ${quoted(profile)}`,
    emulator && '--emulator',
    baseUrl !== undefined && `--base-url ${quoted(baseUrl)}`,
  ]
  return flags
    .filter((flag) => flag)
    .map((flag) => ` ${flag}`)
    .join('')
}
