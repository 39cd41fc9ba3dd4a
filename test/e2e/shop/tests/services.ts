import { connectEmulator, type EmulatorWorld, startEmulator } from 'payctl/emulator'
import { afterAll, inject } from 'vitest'
import { type Prepared, prepare, snapshot } from './prepared.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the emulator that runs the tests; null where each file starts its own. */
    readonly prepared: Prepared | null
  }
}

const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env

/** The emulator that this suite is the child of (`payctl emulate -- vitest run`), or one in this process. */
export const emulator = url ? await connectEmulator({ url, controlToken }) : await startEmulator({ settle: 'manual' })
afterAll(() => emulator.close())

export const prepared: Prepared = inject('prepared') ?? (await prepare(emulator))

/** What a test has of a world. */
export type Fork = Pick<EmulatorWorld, 'name' | 'baseUrl' | 'authUrl' | 'accounts' | 'control' | 'until' | 'close'>

/** A world of its own, made from the prepared one. */
export const fork = (name?: string): Promise<Fork> =>
  emulator.world({ from: { snapshot }, ttl: 600_000, ...(name && { name }) })
