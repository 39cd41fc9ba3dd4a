import type { Client } from '../client/client.ts'
import type { IbanInformation, PhoneInformation } from '../client/received.ts'
import { formatAddress, normalizeIban } from '../contract/iban.ts'
import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import { type ExpectedHolder, type ExpectedName, expectsHolder } from '../journal/intent.ts'
import type { Fact } from '../run/reporter.ts'
import { compareDocuments } from '../values/document.ts'
import { compareNames, differenceOf } from '../values/holder_name.ts'
import { foreign, type Said, say, Text } from '../words/text.ts'
import { isSameHolder, type PayeeAddress } from './payee.ts'

type Holder = IbanInformation | PhoneInformation

/** The service answered with the holder of another account or phone. */
export class OtherHolderAnswered extends CliError {
  override readonly name = 'OtherHolderAnswered'
  /** The number in the answer, formatted for people. */
  readonly number: string

  constructor(asked: PayeeAddress, number: string) {
    super(
      'unavailable',
      say`The service was asked who holds ${shown(asked)}, but answered with ${number}.`,
      'Try again later',
    )
    this.number = number
  }
}

/**
 * Looks up the holder of the account or phone. Throws ApiError 404 if the service knows no holder, and
 * OtherHolderAnswered for an answer about another account or phone.
 */
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

/** Result of comparing a holder with the requirements, unless the payment is refused. */
export interface HolderComparison {
  /** Facts to show a person who must decide whether to send the payment. */
  readonly facts: readonly Fact[]
  /** Error for a payment that only a person may agree to; undefined if the holder matches. */
  readonly doubt: CliError | undefined
}

/**
 * Looks up the holder of the account or phone, and compares the name and the document. Throws CliError for a different
 * holder, or a holder that can't be compared; then nothing was sent.
 */
export async function compareHolder(
  address: PayeeAddress,
  expected: ExpectedHolder,
  client: Client,
): Promise<HolderComparison> {
  if (!expectsHolder(expected)) return { facts: [], doubt: undefined }
  return judgedHolder(address, expected, await knownHolder(address, expected, client))
}

/**
 * Looks up the holder, in order to compare the holder with the requirements. Throws NotCompared if the service knows no
 * holder, answers the lookup with an error, or answers with another number.
 */
export async function knownHolder(address: PayeeAddress, expected: ExpectedHolder, client: Client): Promise<Holder> {
  try {
    return await lookUpHolder(address, client)
  } catch (error) {
    if (error instanceof ApiError) throw notCompared(address, expected, error)
    if (error instanceof OtherHolderAnswered) {
      throw notCompared(address, expected, say`the service answered with ${error.number}`)
    }
    throw error
  }
}

/**
 * Judges a holder. The document counts more than the name: the payment is refused if the document differs, and a
 * matching document makes a partly matching name acceptable. The holder of a saved payee's address must still have the
 * saved name. Throws CliError if the payment is refused.
 */
export function judgedHolder(
  address: PayeeAddress,
  expected: ExpectedHolder,
  { name: now, document_number }: Holder,
): HolderComparison {
  const { expected_names, expected_document: document } = expected
  const names = expected_names ?? []
  const isSameDocument = document ? compareDocuments(document, document_number) : 'not compared'
  if (isSameDocument === 'other') throw otherDocument(address, document ?? '', document_number ?? '')
  if (names.length > 0 && !now) throw notCompared(address, expected, say`the service does not give it`)
  const facts: Fact[] = []
  let doubt: CliError | undefined
  if (document && isSameDocument === 'not compared') {
    const why = document_number ? say`the service hides it` : say`the service does not give it`
    // The document stays hidden, so trying again later does not help.
    if (names.length === 0) throw notCompared(address, expected, why, 'conflict')
    facts.push(['Document', clipped(document), say`not compared: ${why}`])
  }
  for (const one of names) {
    const comparison = compareNames(one.name, now ?? '')
    const { verdict } = comparison
    if (verdict === 'same' || isSameHolder(one.name, now ?? '')) continue
    const difference = differenceOf(comparison)
    const isDocumented = isSameDocument === 'same'
    if (one.payee !== undefined || (verdict === 'other' && !isDocumented)) throw otherHolder(address, one, now ?? '')
    const fits = verdict === 'partly' ? say`partly the same (${difference})` : say`another name`
    facts.push(['Expected', clipped(one.name), isDocumented ? say`${fits}; the document fits` : fits])
    if (verdict === 'partly' && isDocumented) continue
    doubt ??=
      verdict === 'partly' ? partlyHolder(address, one, now ?? '', difference) : unlikeName(address, one, now ?? '')
  }
  return { facts, doubt }
}

/** Error for a holder other than the expected holder. */
function otherHolder(address: PayeeAddress, { name, payee }: ExpectedName, now: string): CliError {
  const error =
    payee === undefined
      ? say`${shown(address)} is held by "${clipped(now)}", not by "${clipped(name)}" as expected. Nothing was sent.`
      : say`The holder of ${payee} (${shown(address)}) has changed: it was "${clipped(name)}", and is "${clipped(now)}" now. Nothing was sent.`
  return new CliError(
    'conflict',
    error,
    payee === undefined ? 'Ask the payee, and give the name as the service has it' : { kind: 'update_payee', payee },
  )
}

const partlyHolder = (address: PayeeAddress, { name }: ExpectedName, now: string, difference: Text): CliError =>
  new CliError(
    'conflict',
    say`${shown(address)} is held by "${clipped(now)}", only a partial match for the expected "${clipped(name)}": ${clippedText(difference)}. Nothing was sent.`,
    { kind: 'agree_to_holder' },
  )

const unlikeName = (address: PayeeAddress, { name }: ExpectedName, now: string): CliError =>
  new CliError(
    'conflict',
    say`${shown(address)} has the expected document, but is held by "${clipped(now)}", not by "${clipped(name)}". Nothing was sent.`,
    { kind: 'agree_to_holder' },
  )

const otherDocument = (address: PayeeAddress, document: string, now: string): CliError =>
  new CliError(
    'conflict',
    say`The holder of ${shown(address)} has the document ${clipped(now)}, not ${clipped(document)} as expected. Nothing was sent.`,
    'Ask the payee for the account and the document',
  )

/** The holder could not be compared with the expected holder, so the holder may have changed. */
export class NotCompared extends CliError {
  override readonly name = 'NotCompared'
}

function notCompared(
  address: PayeeAddress,
  { expected_names: names }: ExpectedHolder,
  cause: ApiError | Text,
  otherwise: Exit = 'unavailable',
): NotCompared {
  const payee = names?.[0]?.payee
  const given = cause instanceof ApiError ? clipped(String(reasonOf(cause))) : cause
  const why =
    given instanceof Text
      ? given
      : given === '' && cause instanceof ApiError
        ? say`the service answered ${cause.status}`
        : foreign(given)
  const isDocument = !names?.length
  const exit = (cause instanceof ApiError && cause.fromService && exitOf[cause.status]) || otherwise
  const number = payee === undefined ? shown(address) : `${payee} (${shown(address)})`
  const hasNoHolder = isServiceAnswer(cause, 404)
  const message = hasNoHolder
    ? isDocument
      ? say`${number} has no holder (${why}), so the document could not be compared. Nothing was sent.`
      : say`${number} has no holder (${why}), so the name could not be compared. Nothing was sent.`
    : isDocument
      ? say`The holder's document for ${payee ?? number} could not be compared: ${why}. Nothing was sent.`
      : say`The holder's name for ${payee ?? number} could not be compared: ${why}. Nothing was sent.`
  if (hasNoHolder && payee === undefined) {
    const advice = address.iban === undefined ? 'Ask the payee for the phone' : 'Ask the payee for the IBAN'
    return new NotCompared(exit, message, advice, { cause })
  }
  return new NotCompared(
    exit,
    message,
    payee === undefined ? notComparedAdvice[isDocument ? 'document' : 'name'] : { kind: 'send_uncompared' },
    { cause },
  )
}

const notComparedAdvice = {
  name: 'Try again later, or leave the name out if it need not be compared',
  document: 'Give the name to compare instead',
} as const

const exitOf: Readonly<Record<number, Exit>> = {
  400: 'rejected',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  422: 'rejected',
  429: 'rate_limited',
}

const shown = ({ iban, phone }: PayeeAddress): string => formatAddress(iban ?? phone)

/** Maximum number of characters of the service's text that a message shows. */
const longest = 80

/** A text beyond the limit is clipped, and stays in English. */
const clippedText = (text: Text): Said => (String(text).length > longest ? clipped(String(text)) : text)

const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}...` : text)
