/** Where a generated client pays. */
export interface Service {
  readonly baseUrl: string
  readonly token: string
}

/** A payment to a phone; the amount is in minor units. An alias, as zod's types take no interface. */
export type Order = {
  readonly source_account_id: string
  readonly amount: number
  readonly recipient_phone: string
  readonly description: string
}

/** What the service refuses, as the client's types give it. */
export interface Refused {
  readonly status: number
  readonly message: string
  /** Messages by field, or a text. */
  readonly errors: string | Readonly<Record<string, unknown>>
}

/** What the program needs of a generated client. */
export interface PaymentClient {
  accounts(): Promise<
    readonly { readonly id: string; readonly iban: string; readonly balance: { readonly currency: string } }[]
  >
  /** The payment's id and status. */
  send(key: string, order: Order): Promise<{ readonly id: string; readonly status: string } | Refused>
  /** The fee in minor units. */
  check(key: string, order: Order): Promise<{ readonly fee: number } | Refused>
  status(id: string): Promise<string>
}

/** Each program has a client of another generator. */
export interface Program {
  connect(service: Service): PaymentClient
}
