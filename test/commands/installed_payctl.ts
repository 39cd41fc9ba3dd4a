import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import { temporaryDirectory } from './run_payctl.ts'

export const payctl = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/** The built command line as a process, on a machine with nothing of payctl's. */
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
    async run(args: readonly string[], { env: more = {}, ...options }: Options = {}) {
      const settings = { env: { ...env, ...more }, extendEnv: false, reject: false, stripFinalNewline: false }
      const { exitCode, stdout, stderr } = await execa(process.execPath, [payctl, ...args], { ...settings, ...options })
      return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
    },
  }
}
