import { dirname, join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { replaceJson } from '../files/replace_json.ts'
import { withLock } from '../lock/lock.ts'
import { configFile, formatVersion, readConfig } from './config_file.ts'
import type { Config } from './profile.ts'

const never = new AbortController().signal

/** See `changeConfig`. In a file of its own, because only a write loads the lock. */
export async function writeConfig(
  configDir: string,
  change: (config: Config) => Config,
  signal: AbortSignal = never,
): Promise<void> {
  const file = configFile(configDir)
  await withLock(join(configDir, 'config.lock'), signal, () => {
    const { current, profiles } = change(readConfig(configDir))
    try {
      replaceJson(file, (content) => ({ version: formatVersion, ...content, current, profiles }))
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? unwritable(file, error) : error
    }
  })
}

const unwritable = (file: string, { message }: Error): UsageError =>
  new UsageError(
    `The config file ${file} can't be written: ${message}. It is as it was.`,
    `Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
  )
