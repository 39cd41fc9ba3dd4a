import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { isLoopback } from '../../client/base_url.ts'
import type { Client } from '../../client/client.ts'
import { largestPage } from '../../client/paging.ts'
import { isNamed, type Named, type Payment } from '../../client/received.ts'
import { formatMoney, moneyText } from '../../contract/money.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { unknownIntent } from '../../journal/intent.ts'
import { paymentsSaid } from '../../payments/counted.ts'
import { zonedTime } from '../../run/time.ts'
import { classify } from '../../values/classify.ts'
import { idPart, isPartOf, shortestIdPart } from '../../values/text.ts'
import { foreign, type Said, say, Text } from '../../words/text.ts'
import { worldSeen } from './columns.ts'
import { goneWithEarlierWorlds } from './earlier_world.ts'

// Ids as people type them: a unique part, or `last`.

/** Number of newest payments in the history to search for part of an id: one page. */
const searched = largestPage

/** Maximum number of matches to list. */
const mostListed = 10

/** An id, and the facts that identify it for people: `1,500.25 CRC, 2026-11-21 14:28:50 (UTC-6)`. */
interface Meaning {
  readonly id: string
  readonly about: Said
}

/**
 * Finds the id of the payment that the user named. A whole id needs no request; `last` or part of an id needs at most
 * one.
 */
export async function paymentId(text: string, context: Context): Promise<string> {
  return (await paymentNamed(text, context)).id
}

/** Finds the payment that the user named, with the service's data if it was read. */
export async function paymentNamed(
  text: string,
  context: Context,
): Promise<{ readonly id: string; readonly payment?: Named<Payment> }> {
  const part = idPart(text)
  if (isUuid(part)) return { id: part }
  if (part === 'last') return lastPayment(context)
  requirePart(text, 'payment')
  return { id: await foundPayment(part, context) }
}

/** Throws UsageError for a value that is neither `last` nor part of an id. */
export function requirePart(text: string, noun: 'payment' | 'intent'): void {
  const part = noun === 'payment' ? idPart(text) : partOfIntent(text)
  if (part === 'last') return
  const like = classify(text)
  if (like?.kind === 'intent' && noun === 'payment') {
    throw new UsageError(say`'${text}' is the id of an intent, not of a payment.`, toRun(['payments', 'outbox', part]))
  }
  if (like?.kind === 'reference') {
    throw new UsageError(say`'${text}' is a reference, not an id.`, toRun(['payments', 'find', part]))
  }
  if (part.length < shortestIdPart) {
    throw new UsageError(
      noun === 'payment'
        ? say`'${text}' is too short for the id of a payment.`
        : say`'${text}' is too short for the id of an intent.`,
      noun === 'intent' && /^(list|ls)$/.test(part)
        ? toRun(['payments', 'outbox'])
        : say`Give at least ${shortestIdPart} characters of it, or last`,
    )
  }
  const form = noun === 'payment' ? /^[0-9a-f-]+$/ : /^[0-9a-z]+$/
  if (form.test(part)) return
  const example = noun === 'payment' ? '88f6b, or 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c' : 'int_8tvxwwmszemv, or szemv'
  throw new UsageError(say`'${text}' is not an id, nor part of one.`, say`An id looks like this: ${example}`)
}

async function foundPayment(part: string, context: Context): Promise<string> {
  const client = await context.client()
  const { baseUrl } = client
  const known = await sentPayments(part, baseUrl, context)
  // The journal also contains payments that the emulator lost in a reset.
  if (known.length === 1 && !isLoopback(baseUrl)) return taken(known, 'Payment', context)
  const { payments, total } = await newestPayments(searched, {}, client)
  const listed = payments.filter(({ id }) => isPartOf(part, id)).map(meaningOf)
  const found = listed.length > 0 && isLoopback(baseUrl) ? listed : distinct([...listed, ...known])
  if (found.length > 0) return taken(found, 'Payment', context)
  const all =
    total > payments.length
      ? say`the newest ${payments.length} of ${paymentsSaid(total)}`
      : paymentsSaid(payments.length)
  throw new CliError(
    'not_found',
    say`No payment has an id with ${part} in it. Searched: ${all}, and the payments sent from here.`,
    toRun(['payments', 'history']),
  )
}

/** Payments that this machine sent to the service, and whose ids contain `part`. */
async function sentPayments(part: string, baseUrl: string, { stateDir }: Context): Promise<readonly Meaning[]> {
  const { inspectJournal } = await import('../../journal/inspect.ts')
  const intents = inspectJournal(stateDir, (journal) => journal.named('payment_id', part)) ?? []
  return distinct(
    intents
      .filter(({ base_url }) => base_url === baseUrl)
      .map(({ payment_id, body, created_at }) => ({
        id: payment_id ?? '',
        about: `${formatMoney(body.amount, '').trim()}, ${zonedTime(created_at)}`,
      })),
  )
}

async function newestPayments(
  count: number,
  query: { readonly transfer_type?: 'debit' },
  client: Client,
): Promise<{ readonly payments: readonly Named<Payment>[]; readonly total: number }> {
  const { data, total } = await client.call('payments.history', { query: { ...query, per_page: count } })
  const payments = data.filter(isNamed)
  return { payments, total: total ?? payments.length }
}

const meaningOf = ({ id, amount, created_at }: Named<Payment>): Meaning => ({
  id: id.toLowerCase(),
  about: [moneyText(amount), zonedTime(created_at)].filter((part) => part !== '').join(', '),
})

const distinct = <T extends { readonly id: string }>(all: readonly T[]): readonly T[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
]

/** Returns the only match, and notes it on stderr. Throws a UsageError that lists the matches if there are several. */
function taken(found: readonly Meaning[], noun: string, { output }: Context): string {
  const [first] = found
  if (first && found.length === 1) {
    output.note(say`${new Text(noun)} ${first.id}`)
    return first.id
  }
  const shown = found.slice(0, mostListed)
  const matches = say`Number of matches for this part of an id: ${found.length}`
  const fault = found.length > shown.length ? say`${matches}; these are the first ${shown.length}.` : say`${matches}.`
  const error = new UsageError(fault, 'Give more of the id')
  error.saidErrors = Object.fromEntries(shown.map(({ id, about }) => [id, [about]]))
  throw error
}

/** Finds the user's newest outgoing payment at the service. */
async function lastPayment(context: Context): Promise<{ readonly id: string; readonly payment: Named<Payment> }> {
  const client = await context.client()
  const world = worldSeen(client)
  const { payments } = await newestPayments(20, { transfer_type: 'debit' }, client)
  const [newest] = payments.toSorted((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? ''))
  if (!newest) {
    const gone = await goneWithEarlierWorlds({ client, world }, context)
    const message = gone === undefined ? 'You have sent no payment yet.' : say`You have sent no payment yet. ${gone}`
    throw new CliError('not_found', message, toRun(['payments', 'history']))
  }
  const id = taken([meaningOf(newest)], 'Last payment', context)
  await noteOpenIntent(client.baseUrl, context)
  return { id, payment: newest }
}

/** If an unsettled intent is newer than the last payment, prints a note about the intent. */
async function noteOpenIntent(baseUrl: string, { stateDir, output, globals, translate }: Context): Promise<void> {
  const { inspectJournal } = await import('../../journal/inspect.ts')
  const [open, paid] = (['unsettled', 'paid'] as const).map((which) =>
    inspectJournal(stateDir, (journal) => journal.recent(which))?.find(({ base_url }) => base_url === baseUrl),
  )
  if (!open || (paid && paid.created_at > open.created_at)) return
  const resume = { kind: 'resume', intentId: open.id } as const
  output.note(
    withHint(say`A request after that payment has the status ${foreign(open.status)}`, resume, globals, translate),
  )
}

/**
 * Finds the id of the intent that the user named: by the intent's id or part of the id, or by the whole key of the
 * payment. `last`: the newest intent of this run's user, service and world.
 */
export async function intentId(text: string, context: Context): Promise<string> {
  const id = text.trim().toLowerCase()
  if (/^int_[0-9a-z]{12}$/.test(id)) return id
  if (id === 'last') return lastIntent(context)
  const part = partOfIntent(text)
  const { inspectJournal } = await import('../../journal/inspect.ts')
  const withKey = inspectJournal(context.stateDir, (journal) => journal.withKey(text.trim())) ?? []
  if (withKey.length === 0) requirePart(text, 'intent')
  const withId = inspectJournal(context.stateDir, (journal) => journal.named('id', part)) ?? []
  const intents =
    withKey.length === 0 ? withId : distinct([...withKey, ...(part.length < shortestIdPart ? [] : withId)])
  if (intents.length === 0) throw unknownIntent(id)
  const meanings = intents.map(({ id, body, status, created_at }) => ({
    id,
    about: say`${formatMoney(body.amount, '').trim()}, ${foreign(status)}, ${zonedTime(created_at)}`,
  }))
  return taken(meanings, 'Intent', context)
}

const partOfIntent = (text: string): string => idPart(text).replace(/^int_/, '')

async function lastIntent(context: Context): Promise<string> {
  const [{ existingJournal }, { learnSender }, { senderOptions }] = await Promise.all([
    import('../../journal/journal.ts'),
    import('../../payments/sender.ts'),
    import('./session.ts'),
  ])
  const options = await senderOptions(context)
  const sender = await learnSender(options)
  sender.stopListening()
  const journal = existingJournal(context.stateDir)
  try {
    const { base_url, user, world } = sender
    const newest = journal?.list({ of: { base_url, user, world } }).next().value
    if (!newest) {
      const { client } = options
      const gone = await goneWithEarlierWorlds({ client, world: () => world ?? undefined }, context)
      const message = say`Nothing was sent from here by ${sender.name ?? user} at ${base_url}.`
      throw new CliError('not_found', gone ? say`${message} ${gone}` : message, toRun(['payments', 'outbox']))
    }
    return taken([{ id: newest.id, about: foreign(newest.status) }], 'Last intent', context)
  } finally {
    journal?.close()
  }
}
