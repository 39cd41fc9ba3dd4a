import { onTestFinished } from 'vitest'
import { startRun } from './started.ts'

/** Target of a process's requests. */
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
  /** All of stdin; by default stdin stays open until the test closes it. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly process?: boolean
}

/** Starts payctl without a terminal, until the test ends. */
export function startPayctl(service: Service, argv: readonly string[], { env, ...settings }: Settings = {}) {
  const child = startRun(argv, { ...settings, env: { ...surroundings(service), ...env }, stripFinalNewline: false })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
