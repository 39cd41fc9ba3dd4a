import { existsSync } from 'node:fs'
import { configFile, readConfig } from '../../config/config_file.ts'
import { quoted } from '../../errors/quoted.ts'
import type { Context } from '../context.ts'
import { modeOf, octal } from './files.ts'
import { type Finding, failedWith, ok, warn } from './finding.ts'

export function configuration({ configDir }: Context): Finding {
  const file = configFile(configDir)
  try {
    const names = Object.keys(readConfig(configDir).profiles)
    if (!existsSync(file)) return ok('config', `none yet: ${file}`)
    const mode = modeOf(file) ?? 0
    if (mode & 0o022) {
      const detail = `${file} can be changed by other users of this machine (mode ${octal(mode)}): they decide where tokens go`
      return warn('config', detail, `chmod go-w ${quoted(file)}`)
    }
    return ok('config', `${file}, ${names.length === 0 ? 'no profiles' : `profiles: ${names.join(', ')}`}`)
  } catch (error) {
    return failedWith('config', error)
  }
}

/** Whether nothing says where requests should go: no flag, no variable and no profile. */
export function isUnconfigured(context: Context): boolean {
  const { globals, env } = context
  const named = [globals.baseUrl, globals.profile, globals.emulator, env.PAYCTL_BASE_URL, env.PAYCTL_PROFILE]
  if (named.some((place) => place !== undefined)) return false
  const { current, profiles } = context.config
  return current === undefined && Object.keys(profiles).length === 0
}
