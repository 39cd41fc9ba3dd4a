import { type ControlCalls, startEmulator } from 'payctl/emulator'
import { inject } from 'vitest'
import { type Prepared, prepare, snapshot } from './prepared.ts'
import { remoteControl } from './remote.ts'

/** A world of its own, made from the prepared one. */
export interface Fork {
  readonly name: string
  readonly baseUrl: string
  readonly authUrl: string
  readonly control: ControlCalls
  /** Safe to call twice. */
  end(): Promise<unknown>
}

/** The bank of the tests. */
export interface Service {
  readonly prepared: Prepared
  readonly control: ControlCalls
  fork(name?: string): Promise<Fork>
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the emulator that runs the tests; null where each file starts its own. */
    readonly prepared: Prepared | null
  }
}

/** The emulator that this suite is the child of: `payctl emulate -- vitest run`. */
function surrounding(prepared: Prepared): Service {
  const url = process.env.PAYCTL_CONTROL_URL ?? ''
  const control = remoteControl(url)
  return {
    prepared,
    control,
    async fork(wanted) {
      const from = { from: { snapshot }, ttl_seconds: 600, ...(wanted && { name: wanted }) }
      const { name, base_url, auth_url } = await control.worlds.create(from)
      let ended: Promise<unknown> | undefined
      const end = () => {
        ended ??= control.worlds.delete({ name })
        return ended
      }
      return { name, baseUrl: base_url, authUrl: auth_url, control: remoteControl(base_url), end }
    },
  }
}

/** An emulator in this process. */
async function started(): Promise<Service> {
  const emulator = await startEmulator({ settle: 'manual' })
  return {
    prepared: await prepare(emulator.control, emulator),
    control: emulator.control,
    async fork(wanted) {
      const from = { from: { snapshot }, ttl: 600_000, ...(wanted && { name: wanted }) }
      const { name, baseUrl, authUrl, control, close } = await emulator.world(from)
      return { name, baseUrl, authUrl, control, end: close }
    },
  }
}

const prepared = inject('prepared')

export const service: Service = prepared ? surrounding(prepared) : await started()
