import { type ControlCalls, connectEmulator, type EmulatorWorld, startEmulator } from 'payctl/emulator'
import { afterAll, inject } from 'vitest'
import { type Prepared, prepare, snapshot } from './prepared.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the emulator that runs the tests; null where each file starts its own. */
    readonly prepared: Prepared | null
  }
}

/** What a test has of a world. */
export type Fork = Pick<EmulatorWorld, 'name' | 'baseUrl' | 'authUrl' | 'accounts' | 'control' | 'until' | 'close'>

interface Service {
  readonly prepared: Prepared
  readonly control: ControlCalls
  /** A world of its own, made from the prepared one. */
  fork(name?: string): Promise<Fork>
}

/** The emulator that this suite is the child of (`payctl emulate -- vitest run`), or one in this process. */
async function emulated(): Promise<Service> {
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  const emulator = url ? await connectEmulator({ url, controlToken }) : await startEmulator({ settle: 'manual' })
  afterAll(() => emulator.close())
  return {
    prepared: inject('prepared') ?? (await prepare(emulator)),
    control: emulator.control,
    fork: (name) => emulator.world({ from: { snapshot }, ttl: 600_000, ...(name && { name }) }),
  }
}

export const service: Service = process.env.SHOP_STUB ? await import('./stub.ts') : await emulated()
