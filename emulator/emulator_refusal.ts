/** The emulator can't start for a reason its user can mend; `hint` says how. Nothing was changed. */
export class EmulatorRefusal extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'EmulatorRefusal'
    this.hint = hint
  }
}
