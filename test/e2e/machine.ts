import { join } from 'node:path'
import type { Emulator } from '../../emulator/index.ts'
import { temporaryDirectory } from '../commands/run_payctl.ts'
import { type StartOptions, startRun } from '../commands/started.ts'

/** A user's machine: folders of its own, and the command line. */
export async function machine({ baseUrl, token }: Pick<Emulator, 'baseUrl' | 'token'>) {
  const home = await temporaryDirectory()
  const env: Readonly<Record<string, string>> = {
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    PAYCTL_BASE_URL: baseUrl,
    PAYCTL_TOKEN: token,
  }
  return {
    home,
    env,
    start: (args: readonly string[], options: Partial<StartOptions> = {}) => startRun(args, { env, ...options }),
  }
}

/** The seeded account in colones. */
export const crcAccount = (emulator: Emulator): string =>
  emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''
