import { type Context, command } from '../cli/command.ts'
import { adviceIn } from '../cli/next_step.ts'
import { array } from '../cli/prints.ts'
import { entityName, entityOfIban } from '../contract/entities.ts'
import { errorStatuses } from '../contract/errors.ts'
import { eventNames, eventSummaries, rejections } from '../contract/event_names.ts'
import { formatAddress, formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import { hasEnded } from '../contract/payment_names.ts'
import { Channel, PaymentStatus } from '../contract/schemas/payment.ts'
import { scopes } from '../contract/scopes.ts'
import { inOneLine, isWhole } from '../errors/advice.ts'
import { CliError, quoted } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { nearest } from '../errors/nearest.ts'
import { type NextStep, toRun } from '../errors/next_step.ts'
import type { IntentStatus } from '../journal/intent.ts'
import { columnsOf, field } from '../output/columns.ts'
import type { Layout } from '../output/output.ts'
import { classify } from '../values/classify.ts'
import { parsePhone } from '../values/recipient.ts'
import { asText, foreign, type Said, say, Text } from '../words/text.ts'

/** One meaning of a word or value. */
export interface Explanation {
  /** Kind of the value: `exit code`, `payment status`, `IBAN`. */
  readonly kind: string
  readonly value: string
  readonly meaning: string
  /** Command to type, if something can be done. */
  readonly next: string | null
  /** Arguments of that command, if it can be run unchanged. */
  readonly next_command: readonly string[] | null
}

/** Explanation whose command does not include the flags of the run yet. */
interface Meaning extends Pick<Explanation, 'kind' | 'value'> {
  readonly meaning: Said
  readonly next: NextStep | null
}

/** Explanation whose texts can be translated. */
interface ShownExplanation extends Omit<Explanation, 'meaning' | 'next'> {
  readonly meaning: Said
  readonly next: Said | null
}

const layout: Layout<ShownExplanation> = {
  columns: columnsOf<ShownExplanation>(
    { ...field('kind'), text: ({ kind }) => foreign(kind) },
    'value',
    { ...field('meaning', ({ meaning }) => String(meaning)), text: ({ meaning }) => asText(meaning) },
    { ...field('next', ({ next }) => next && String(next)), text: ({ next }) => asText(next ?? '') },
  ),
  isCards: true,
}

export const explain = command({
  summary: 'Explain a code, status, IBAN or reference, offline',
  about:
    'Explain an exit code, HTTP status, payment status, state code, event, IBAN, phone, reference or identity ' +
    'document. Sends no request; to look up the holder of an IBAN or a phone, use payctl iban or payctl phone.',
  args: { '<what...>': { about: 'a code, status or value; spaces are allowed' } },
  prints: array(async () => (await import('./schema/machine_shapes.ts')).explanation),
  columns: layout,
  examples: [
    'payctl explain 10',
    'payctl explain 409',
    'payctl explain timeout',
    'payctl explain CR05 0152 0200 1026 2840 66',
    'payctl explain 8888-1234 --json',
  ],
  async run({ what }, context) {
    const text = what.join(' ').trim()
    const found = [...all.filter((one) => namesOf(one).includes(text.toLowerCase())), ...valuesOf(text)]
    if (found.length === 0) throw unknown(text)
    const shown = found.map((meaning) => ({ ...meaning, ...typed(meaning, context) }))
    const data = shown.map(
      ({ kind, value, meaning, next, next_command }): Explanation => ({
        kind,
        value,
        meaning: String(meaning),
        next: next && String(next),
        next_command,
      }),
    )
    await context.output.list(shown, layout, { data })
  },
})

function typed({ next }: Meaning, context: Context): Pick<ShownExplanation, 'next' | 'next_command'> {
  if (next === null) return { next: null, next_command: null }
  const advice = adviceIn(context, next)
  const { command } = advice
  return { next: inOneLine(advice) ?? null, next_command: command && isWhole(command) ? command : null }
}

const watch = toRun(['payments', 'watch', '<id>'])
const balance = toRun(['accounts', 'balance', '<account>'])
const resume = toRun(['payments', 'resume', '<intent>'])

const nextAfter: Readonly<Record<string, NextStep>> = {
  outcome_unknown: toRun(['payments', 'resume']),
  unauthenticated: { kind: 'log_in' },
  payment_in_progress: watch,
  unavailable: toRun(['doctor']),
}

const exitCodes: readonly Meaning[] = Object.entries(exits).map(([name, { code, meaning }]) => ({
  kind: 'exit code',
  value: `${code} ${name}`,
  meaning,
  next: nextAfter[name] ?? null,
}))

const httpStatuses: readonly Meaning[] = Object.entries(errorStatuses).map(([status, meaning]) => ({
  kind: 'HTTP status',
  value: status,
  meaning,
  next: null,
}))

function meaningOf(status: PaymentStatus): Said {
  if (!hasEnded(status))
    return 'in progress: the payment may still complete or fail; an emulator holds the money until then'
  if (status === 'completed') return 'ended: the payee has the money'
  return say`ended without paying; the payment’s error_message says why. An emulator took no money, or returned it; for another service this is not known: check the balance`
}

const paymentStatuses: readonly Meaning[] = PaymentStatus.enum.map((status) => ({
  kind: 'payment status',
  value: status,
  meaning: meaningOf(status),
  next: hasEnded(status) ? (status === 'completed' ? null : balance) : watch,
}))

const intentMeanings: Readonly<Record<IntentStatus, readonly [meaning: string, next: NextStep | null]>> = {
  prepared: ['recorded on this machine; the service has not accepted the payment', resume],
  sent: ['the request may have been sent, but no answer is recorded', resume],
  unknown: ['the answer was lost; money may have moved', resume],
  settled: [
    'the service has the payment; the payment’s own status shows the progress',
    toRun(['payments', 'get', '<id>']),
  ],
  rejected: ['the service refused the payment; no money moved', null],
}

const intentStates: readonly Meaning[] = Object.entries(intentMeanings).map(([value, [meaning, next]]) => ({
  kind: 'intent status',
  value,
  meaning,
  next,
}))

const others: readonly Meaning[] = [
  ...eventNames.map((name) => ({
    kind: 'event',
    value: name,
    meaning: eventSummaries[name],
    next: toRun(['webhooks', 'tail']),
  })),
  ...Object.entries(rejections).map(([value, why]) => ({
    kind: 'state code',
    value,
    meaning: say`reason why a rail rejected a payment: ${foreign(`${why[0]?.toLowerCase()}${why.slice(1)}`)}`,
    next: null,
  })),
  ...Object.entries(scopes).map(([value, grants]) => ({
    kind: 'OAuth scope',
    value,
    meaning: say`grants ${new Text(grants)}`,
    next: null,
  })),
  { kind: 'rail', value: Channel.enum[0], meaning: 'pays to an IBAN, in CRC or USD', next: null },
  { kind: 'rail', value: Channel.enum[1], meaning: 'SINPE Móvil: pays to a mobile phone, in CRC', next: null },
]

const all = [...exitCodes, ...httpStatuses, ...paymentStatuses, ...intentStates, ...others]

/** An exit code has a number and a name; everything else has one name. */
const namesOf = ({ kind, value }: Meaning): readonly string[] => (kind === 'exit code' ? value.split(' ') : [value])

/** Meanings that follow from the value alone, without a request. */
function valuesOf(text: string): readonly Meaning[] {
  const like = classify(text)
  switch (like?.kind) {
    case 'iban':
      return [explainIban(text, like.words)]
    case 'phone':
      return [explainPhone(text, like)]
    case 'reference':
      return [explainReference(text)]
    default:
      if (!like || like.kind === 'amount') return []
      return [
        { kind: 'value', value: text, meaning: say`looks like ${foreign(like.words)}`, next: nextFor(like.kind, text) },
      ]
  }
}

function nextFor(kind: string, text: string): NextStep | null {
  if (kind === 'intent') return toRun(['payments', 'outbox', text])
  return kind === 'uuid' ? toRun(['payments', 'get', text], 'If it is the id of a payment') : null
}

function explainIban(text: string, likeness: string): Meaning {
  const iban = normalizeIban(text)
  const fault = ibanFault(iban)
  if (fault === null) {
    const entity = entityOfIban(iban)
    const meaning = say`${foreign(entityName(entity))} (${entity}), account ${iban.slice(8)}; its check digits are right`
    return { kind: 'IBAN', value: formatIban(iban), meaning, next: toRun(['iban', iban]) }
  }
  const why =
    fault.reason === 'check digits'
      ? say`a typing error: its check digits are ${iban.slice(2, 4)}, but the other digits give ${fault.expected}`
      : say`${foreign(likeness)}; an IBAN of Costa Rica is CR and 20 digits`
  return { kind: 'IBAN', value: text, meaning: why, next: null }
}

function explainPhone(text: string, { words, good }: { readonly words: string; readonly good: boolean }): Meaning {
  if (!good)
    return {
      kind: 'phone',
      value: text,
      meaning: say`${foreign(words)}; a phone number of Costa Rica has 8 digits`,
      next: null,
    }
  const phone = parsePhone(text)
  const meaning = say`a phone number of Costa Rica, ${formatAddress(phone)}; it can receive payments if it is registered in SINPE Móvil`
  return { kind: 'phone', value: phone, meaning, next: toRun(['phone', phone]) }
}

/**
 * Digits of a reference that identify the rail: five digits in the service's own references; in the rail's references,
 * the two digits after the code of the entity.
 */
const ownRails: Readonly<Record<string, string>> = { '00001': 'PIN', '00002': 'SINPE Móvil' }
const sinpeRails: Readonly<Record<string, string>> = { '22': 'PIN', '24': 'DTR', '31': 'CCD', '83': 'SINPE Móvil' }

function explainReference(digits: string): Meaning {
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`
  const own = ownRails[digits.slice(8, 13)]
  const rail = own ?? sinpeRails[digits.slice(11, 13)]
  const entity = foreign(entityName(digits.slice(8, 11)))
  const about = own
    ? say`the service's reference of a payment on ${date} by ${own}`
    : rail
      ? say`reference of a payment on ${date} by ${rail}, from ${entity}`
      : say`reference of a payment on ${date}, from ${entity}`
  return { kind: 'reference', value: digits, meaning: about, next: toRun(['payments', 'find', digits]) }
}

function unknown(text: string): CliError {
  const near = nearest(text, all.flatMap(namesOf))
  return new CliError(
    'usage',
    say`${quoted(text)} is not a code, status, event, IBAN, phone or reference that payctl knows.`,
    near === undefined ? unknownNext(text) : say`Did you mean ${near}?`,
  )
}

/** Next step for an unknown value, which may be the end of a payment's id: only the service knows ids. */
const unknownNext = (text: string): NextStep =>
  /^[0-9a-f-]{5,36}$/i.test(text)
    ? toRun(['payments', 'get', text], 'If it is the id of a payment')
    : toRun(['help', 'exit-codes'], 'List the exit codes')
