import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'

const payctl = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/** Where a process sends its requests. */
export interface Service {
  readonly baseUrl: string
  readonly token: string
}

export const surroundings = ({ baseUrl, token }: Service) => ({
  PAYCTL_BASE_URL: baseUrl,
  PAYCTL_TOKEN: token,
  PAYCTL_STATE_DIR: '/nonexistent/state',
  PAYCTL_CONFIG_DIR: '/nonexistent/config',
  NO_COLOR: '1',
})

interface Settings {
  /** All of stdin; without it stdin stays open until the test closes it. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

/** The built payctl as a process without terminal, ended with the test. */
export function startPayctl(service: Service, argv: readonly string[], { input, env }: Settings = {}) {
  const child = execa(process.execPath, [payctl, ...argv], {
    env: { ...surroundings(service), ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    ...(input !== undefined && { input }),
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}
