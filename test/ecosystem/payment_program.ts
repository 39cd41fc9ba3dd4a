/** Service that a generated client pays at. */
export interface Service {
  readonly baseUrl: string
  readonly token: string
}

/** A payment to a phone; the amount is in minor units. A type alias, because zod's types accept no interface. */
export type Order = {
  readonly source_account_id: string
  readonly amount: number
  readonly recipient_phone: string
  readonly description: string
}

/** A refusal of the service, in the form of the client's types. */
export interface Refused {
  readonly status: number
  readonly message: string
  /** Messages by field, or a string. */
  readonly errors: string | Readonly<Record<string, unknown>>
}

/** Operations that the program needs from a generated client. */
export interface PaymentClient {
  accounts(): Promise<
    readonly { readonly id: string; readonly iban: string; readonly balance: { readonly currency: string } }[]
  >
  /** Sends a payment; returns its id and status. */
  send(key: string, order: Order): Promise<{ readonly id: string; readonly status: string } | Refused>
  /** Returns the fee in minor units. */
  check(key: string, order: Order): Promise<{ readonly fee: number } | Refused>
  status(id: string): Promise<string>
}

/** A program that pays; each program uses the client of a different generator. */
export interface Program {
  connect(service: Service): PaymentClient
}
