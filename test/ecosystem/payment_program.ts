/** Where a program with a generated client pays, and how it lets time pass there. */
export interface Service {
  readonly baseUrl: string
  readonly token: string
  /** Moves the emulator's clock on. */
  advanceClock(ms: number): Promise<void>
}

/** What it saw. */
export interface Paid {
  /** IBANs of the user's accounts. */
  readonly ibans: readonly string[]
  /** Status of the payment at once, and when time has passed. */
  readonly statuses: readonly string[]
  /** Whether the same key again gave the same payment. */
  readonly isSame: boolean
  /** Status and field errors of a payment that is refused. */
  readonly refusal: { readonly status: number; readonly message: string; readonly fields: readonly string[] }
  /** Status and message of a check with a key that is used already. */
  readonly conflict: { readonly status: number; readonly message: string }
}

/** 2,500.00 CRC to a phone of the demo world. */
export const order = { amount: 250_000, recipient_phone: '87000002', description: 'Almuerzo del viernes' }

export const key = 'almuerzo-0043'
