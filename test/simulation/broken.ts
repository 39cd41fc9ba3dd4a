/** An invariant that does not hold. */
export class Broken extends Error {
  /** The invariant in a few words. */
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(message)
    this.invariant = invariant
  }
}

/** Throws Broken. */
export function broken(invariant: string, message: string): never {
  throw new Broken(invariant, message)
}
