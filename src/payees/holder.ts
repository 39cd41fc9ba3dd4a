import type { Client } from '../client/client.ts'
import type { IbanInformation, PhoneInformation } from '../client/received.ts'
import { formatAddress } from '../contract/iban.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'
import { ApiError } from '../errors/service_errors.ts'
import { isSameHolder, type PayeeAddress } from './payee.ts'

/** The name that a payee must have before money is sent. */
export interface ExpectedHolder {
  readonly name: string
  /** Name of the saved payee that has it; without one the caller gave it. */
  readonly payee?: string
}

/** Who holds the account or phone. Throws ApiError 404 when nobody does. */
export const lookUpHolder = (
  { iban, phone }: PayeeAddress,
  client: Client,
): Promise<IbanInformation | PhoneInformation> =>
  iban === undefined
    ? client.call('phone.information', { params: { phone } })
    : client.call('iban.information', { params: { iban } })

/**
 * Asks the service who holds the account or phone, and compares the name. Throws CliError when it is another, and when it
 * can't be compared: nothing was sent then.
 */
export async function requireHolder(
  address: PayeeAddress,
  expected: readonly ExpectedHolder[],
  client: Client,
): Promise<void> {
  if (expected.length === 0) return
  const name = await holderName(address, expected, client)
  const other = expected.find((one) => !isSameHolder(one.name, name))
  if (other) throw otherHolder(address, other, name)
}

/** The holder's name for the account or phone. Throws NotCompared when the service does not tell it. */
export async function holderName(
  address: PayeeAddress,
  expected: readonly ExpectedHolder[],
  client: Client,
): Promise<string> {
  let name: string | null | undefined
  try {
    name = (await lookUpHolder(address, client)).name
  } catch (error) {
    if (error instanceof ApiError) throw notCompared(address, expected, error)
    throw error
  }
  if (name) return name
  throw notCompared(address, expected, 'the service does not say it')
}

/** The error of a holder who is another than expected. */
export function otherHolder(address: PayeeAddress, { name, payee }: ExpectedHolder, now: string): CliError {
  const error =
    payee === undefined
      ? `${shown(address)} is held by "${clipped(now)}", not by "${clipped(name)}" as expected. Nothing was sent.`
      : `The holder of ${payee} (${shown(address)}) has changed: it was "${clipped(name)}", and is "${clipped(now)}" now. Nothing was sent.`
  return new CliError(
    'conflict',
    error,
    payee === undefined ? 'Ask the payee, and give the name as the service has it' : { kind: 'update_payee', payee },
  )
}

/** The name could not be compared: whoever holds it now may be another. */
export class NotCompared extends CliError {
  override readonly name = 'NotCompared'
}

function notCompared(address: PayeeAddress, [first]: readonly ExpectedHolder[], cause: ApiError | string): NotCompared {
  const why = cause instanceof ApiError ? reasonOf(cause) || `the service answered ${cause.status}` : cause
  const exit = cause instanceof ApiError ? (exitOf[cause.status] ?? 'unavailable') : 'unavailable'
  const message = `The holder's name for ${first?.payee ?? shown(address)} could not be compared: ${clipped(why)}. Nothing was sent.`
  const isGiven = first?.payee === undefined
  return new NotCompared(
    exit,
    message,
    isGiven ? 'Try again later, or send it to a payee whose name need not be compared' : { kind: 'send_uncompared' },
    { cause },
  )
}

const exitOf: Readonly<Record<number, Exit>> = {
  400: 'rejected',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  422: 'rejected',
  429: 'rate_limited',
}

const shown = ({ iban, phone }: PayeeAddress): string => formatAddress(iban ?? phone)

/** Characters of a text of the service's that are shown. */
const longest = 80

const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}...` : text)
