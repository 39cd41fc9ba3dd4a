/** The bank refused a request. Nothing was done. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** No answer came, or no reliable answer. If the request was for a payment, the payment may have been made. */
export class NoAnswer extends Error {}

/** The owner has to sign in. */
export class SignedOut extends Error {
  constructor() {
    super('The owner has to sign in at the bank')
  }
}
