import { TestRunner } from 'vitest'

/** A request that the run may not make at a service that is no emulator; the case that makes it is skipped. */
export class NotAllowed extends Error {}

/** No answer, or none in time: whether the service does what a case asks is not known. Reports tell it by its name. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/** Inside a case: skips it and says why. */
export function skipIfNotAllowed(error: unknown): never {
  if (error instanceof NotAllowed) TestRunner.getCurrentTest()?.context.skip(error.message)
  throw error
}

export function unlessNotAllowed(error: unknown): void {
  if (!(error instanceof NotAllowed)) throw error
}
