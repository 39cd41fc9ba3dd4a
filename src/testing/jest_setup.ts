import { type EmulatorOptions, EmulatorRefusal } from '../../emulator/options.ts'
import { type Emulator, startEmulator } from './emulator.ts'

/** Global object in which jest_teardown.ts finds the emulator: Jest loads that file as a separate module. */
export type Running = typeof globalThis & { payctlEmulator?: Emulator }

/** Part of Jest's configuration: `globals: { payctl: { settle: 'manual' } }`. */
interface Project {
  readonly globals?: { readonly payctl?: EmulatorOptions }
}

/**
 * `payctl/jest/setup`, for `globalSetup`: starts one emulator for all workers, and sets the environment variables with
 * which the workers find it. Does nothing under `payctl emulate -- jest`, which has started an emulator.
 */
export default async function setUp(_: unknown, project: Project = {}): Promise<void> {
  const { env } = process
  if (env.PAYCTL_CONTROL_URL) return
  const options = project.globals?.payctl
  if (options?.port === false) {
    throw new EmulatorRefusal('The workers reach the emulator over its port.', 'Leave port: false out.')
  }
  const emulator = await startEmulator(options)
  ;(globalThis as Running).payctlEmulator = emulator
  env.PAYCTL_CONTROL_URL = emulator.controlUrl
  if (emulator.controlToken !== null) env.PAYCTL_CONTROL_TOKEN = emulator.controlToken
  env.PAYCTL_BASE_URL = emulator.baseUrl
  env.PAYCTL_AUTH_URL = emulator.authUrl
  env.PAYCTL_TOKEN = emulator.token
  env.PAYCTL_CLIENT_ID = emulator.clientId
  env.PAYCTL_CLIENT_SECRET = emulator.clientSecret
}
