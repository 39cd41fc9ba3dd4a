import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import type { Emulator } from '../../emulator/index.ts'
import { temporaryDirectory } from '../commands/run_payctl.ts'

const payctl = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/** A user's machine: folders of its own, and the built command line as a process. */
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
    /** `args`, after arguments for Node itself. */
    start: (args: readonly string[], { nodeArgs = [], ...options }: Options & { nodeArgs?: string[] } = {}) =>
      execa(process.execPath, [...nodeArgs, payctl, ...args], { env, reject: false, ...options }),
  }
}

/** The seeded account in colones. */
export const crcAccount = (emulator: Emulator): string =>
  emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''
