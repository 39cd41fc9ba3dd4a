import { type ControlId, type ControlInputOf, controlEndpoints } from '../contract/control.ts'
import { send } from './attempts.ts'
import type { ClientOptions, Given } from './client.ts'
import { createConnection } from './connection.ts'
import { type MessageParts, rowMessage } from './message.ts'
import type { ControlAnswerOf } from './received.ts'

/** Steers an emulator by its own endpoints. */
export interface ControlClient {
  /** Throws what the service's client throws, except OutcomeUnknownError. */
  call<Id extends ControlId>(id: Id, ...input: Given<ControlInputOf<Id>>): Promise<ControlAnswerOf<Id>>
  close(): Promise<void>
}

/** `token` is the control token, if the emulator has one. */
export function createControlClient(options: ClientOptions): ControlClient {
  const connection = createConnection(options)
  return {
    async call(id, ...[input]) {
      const message = rowMessage(controlEndpoints[id], (input ?? {}) as MessageParts)
      return (await send(message, connection)).data as ControlAnswerOf<typeof id>
    },
    close: () => connection.close(),
  }
}
