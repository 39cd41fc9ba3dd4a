import { join } from 'node:path'
import { temporaryDirectory } from './run_payctl.ts'
import { type StartOptions, startRun } from './started.ts'

/** A machine without any file of payctl, and its command line. */
export async function freshMachine() {
  const home = await temporaryDirectory()
  const env: Readonly<Record<string, string>> = {
    PATH: process.env.PATH ?? '',
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    PAYCTL_STATE_DIR: join(home, 'state'),
    NO_COLOR: '1',
  }
  return {
    home,
    env,
    configDir: join(home, 'config'),
    file: join(home, 'config', 'config.json'),
    async run(args: readonly string[], { env: more = {}, ...options }: Partial<StartOptions> = {}) {
      const settings = { ...options, env: { ...env, ...more }, stripFinalNewline: false }
      const { exitCode, stdout, stderr } = await startRun(args, settings)
      return { code: exitCode, stdout, stderr }
    },
  }
}
