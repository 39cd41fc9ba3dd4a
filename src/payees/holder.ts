import type { Client } from '../client/client.ts'
import type { IbanInformation, PhoneInformation } from '../client/received.ts'
import { formatAddress, normalizeIban } from '../contract/iban.ts'
import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'
import { ApiError } from '../errors/service_errors.ts'
import type { ExpectedName } from '../journal/intent.ts'
import { isSameHolder, type PayeeAddress } from './payee.ts'

type Holder = IbanInformation | PhoneInformation

/** The service answered with the holder of another account or phone. */
export class OtherHolderAnswered extends CliError {
  override readonly name = 'OtherHolderAnswered'
  /** The number in the answer, formatted for people. */
  readonly number: string

  constructor(asked: PayeeAddress, number: string) {
    super('unavailable', `Asked who holds ${shown(asked)}, the service answered with ${number}.`, 'Try again later')
    this.number = number
  }
}

/** Holder of the account or phone. Throws ApiError 404 if there is none, and OtherHolderAnswered. */
export async function lookUpHolder(address: PayeeAddress, client: Client): Promise<Holder> {
  const { iban, phone } = address
  const holder: Holder =
    iban === undefined
      ? await client.call('phone.information', { params: { phone } })
      : await client.call('iban.information', { params: { iban } })
  const number = 'iban' in holder ? holder.iban : 'phone_number' in holder ? holder.phone_number : undefined
  if (!number || isNumberOf(address, number)) return holder
  throw new OtherHolderAnswered(address, clipped(formatAddress(number)))
}

/** True if the text is the number of the account or phone, in any notation. */
function isNumberOf({ iban, phone }: PayeeAddress, text: string): boolean {
  if (iban !== undefined) return normalizeIban(text) === normalizeIban(iban)
  const number = normalizePhone(text)
  return isPhone(number) && nationalPhone(number) === nationalPhone(normalizePhone(phone))
}

/**
 * Looks up the holder of the account or phone and compares the name. Throws CliError if the name differs or can't be
 * compared; then nothing was sent.
 */
export async function requireHolder(
  address: PayeeAddress,
  expected: readonly ExpectedName[],
  client: Client,
): Promise<void> {
  if (expected.length === 0) return
  const name = await holderName(address, expected, client)
  const other = expected.find((one) => !isSameHolder(one.name, name))
  if (other) throw otherHolder(address, other, name)
}

/** The holder's name of the account or phone. Throws NotCompared if the service does not return it. */
export async function holderName(
  address: PayeeAddress,
  expected: readonly ExpectedName[],
  client: Client,
): Promise<string> {
  let name: string | null | undefined
  try {
    name = (await lookUpHolder(address, client)).name
  } catch (error) {
    if (error instanceof ApiError) throw notCompared(address, expected, error)
    if (error instanceof OtherHolderAnswered) {
      throw notCompared(address, expected, `the service answered with ${error.number}`)
    }
    throw error
  }
  if (name) return name
  throw notCompared(address, expected, 'the service does not name the holder')
}

/** Error for a holder other than the expected one. */
export function otherHolder(address: PayeeAddress, { name, payee }: ExpectedName, now: string): CliError {
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

/** The name could not be compared, so the holder may have changed. */
export class NotCompared extends CliError {
  override readonly name = 'NotCompared'
}

function notCompared(address: PayeeAddress, [first]: readonly ExpectedName[], cause: ApiError | string): NotCompared {
  const why = cause instanceof ApiError ? reasonOf(cause) || `the service answered ${cause.status}` : cause
  const exit = (cause instanceof ApiError && cause.fromService && exitOf[cause.status]) || 'unavailable'
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

/** Limit on characters shown of the service's text. */
const longest = 80

const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}...` : text)
