import { type Emulator, startEmulator } from './emulator.ts'

/** Where jest_teardown.ts, which Jest loads by itself, finds the emulator. */
export type Running = typeof globalThis & { payctlEmulator?: Emulator }

/** Of Jest's configuration: `globals: { payctl: { settle: 'manual' } }`. */
interface Project {
  readonly globals?: { readonly payctl?: object }
}

/**
 * `payctl/jest/setup`, for `globalSetup`: starts one emulator for all workers, and names it in their environment as `payctl
 * emulate` does. Under `payctl emulate -- jest` there is one already.
 */
export default async function setUp(_: unknown, project: Project = {}): Promise<void> {
  const { env } = process
  if (env.PAYCTL_CONTROL_URL) return
  const emulator = await startEmulator(project.globals?.payctl)
  ;(globalThis as Running).payctlEmulator = emulator
  env.PAYCTL_CONTROL_URL = emulator.controlUrl
  if (emulator.controlToken !== null) env.PAYCTL_CONTROL_TOKEN = emulator.controlToken
  env.PAYCTL_BASE_URL = emulator.baseUrl
  env.PAYCTL_AUTH_URL = emulator.authUrl
  env.PAYCTL_TOKEN = emulator.token
  env.PAYCTL_CLIENT_ID = emulator.clientId
  env.PAYCTL_CLIENT_SECRET = emulator.clientSecret
}
