import type { EventName } from '../contract/event_names.ts'

export interface TailFlags {
  readonly events?: readonly EventName[]
  readonly forwardTo?: string
  readonly publicUrl?: string
  readonly port?: number
  readonly printBody?: boolean
  readonly save?: string
  /** Milliseconds. */
  readonly tailTimeout?: number
  readonly limit?: number
  readonly recover: boolean
  /** Milliseconds. */
  readonly recoverInterval: number
}
