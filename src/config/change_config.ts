import { dirname, join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { replaceJson } from '../files/replace_json.ts'
import { withLock } from '../lock/lock.ts'
import { configFile, formatVersion, readConfig } from './config_file.ts'
import type { Config } from './profile.ts'

const never = new AbortController().signal

/**
 * Replaces the configuration with the result of `change`, one process at a time. Keeps keys that this payctl does not
 * know. A separate file, because only a write loads the lock.
 */
export async function changeConfig(
  configDir: string,
  change: (config: Config) => Config,
  signal: AbortSignal = never,
): Promise<void> {
  const file = configFile(configDir)
  await withLock(join(configDir, 'config.lock'), signal, () => {
    const { current, profiles } = change(readConfig(configDir))
    const changed = (content: object) => ({ version: formatVersion, ...content, current, profiles })
    replaceJson(file, changed, (reason) => writeError(file, reason))
  })
}

const writeError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The config file ${file} can't be written: ${reason}. It is as it was.`,
    `Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
  )
