import { TestRunner } from 'vitest'

/** A request that the run must not send to a service that is not an emulator; the case of the request is skipped. */
export class NotAllowed extends Error {}

/**
 * Thrown if it remains unknown whether the service passes the case, for example because no answer came in time. Reports
 * recognise the error by its name.
 */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/** Skips the current case and states the reason. */
export function skipIfNotAllowed(error: unknown): never {
  if (error instanceof NotAllowed) TestRunner.getCurrentTest()?.context.skip(error.message)
  throw error
}

export function unlessNotAllowed(error: unknown): void {
  if (!(error instanceof NotAllowed)) throw error
}
