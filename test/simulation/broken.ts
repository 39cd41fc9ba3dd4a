/** Something is not as it must be. */
export class Broken extends Error {
  /** What must be, in a few words. */
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(message)
    this.invariant = invariant
  }
}

/** Throws it. */
export function broken(invariant: string, message: string): never {
  throw new Broken(invariant, message)
}
