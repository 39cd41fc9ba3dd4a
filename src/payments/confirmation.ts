import { formatMoney } from '../contract/money.ts'
import { CliError } from '../errors/cli_error.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import type { Guard } from '../limits/guard.ts'
import type { Reporter } from '../run/reporter.ts'
import { parseAmount } from '../values/amount.ts'
import { type Said, say } from '../words/text.ts'
import type { PaymentSession } from './payment_session.ts'
import { describeBody } from './question.ts'

// A person's agreement before money is sent: a yes or, above a threshold of a live profile, the typed amount.

/** A sum to send, in minor units; the currency is null if it could not be read. */
export interface Sum {
  readonly amount: number
  readonly currency: string | null
}

/** Sum per currency. */
export const sumsByCurrency = (sums: readonly Sum[]): readonly Sum[] =>
  [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, same]) => ({
    currency,
    amount: same.reduce((total, { amount }) => total + amount, 0),
  }))

/**
 * Asks to send. In a live profile, the user must type the first sum above the threshold. Throws for any answer except
 * agreement.
 */
export async function askToSend(question: Said, sums: readonly Sum[], session: PaymentSession): Promise<void> {
  const { guard, reporter } = session
  const typed = sums.find((sum) => guard?.needsTyping(sum))
  if (!typed) {
    if (!(await reporter.ask(question))) throw notConfirmed()
    return
  }
  reporter.fact(question)
  const isRight = (answer: string) => isAmount(answer, typed.amount)
  const isTyped = await reporter.askToType('This is real money. Type the amount to send it:', isRight)
  if (!isTyped) throw notConfirmed()
  session.setDecision('typed')
}

const notConfirmed = (): CliError => new CliError('usage', 'Not confirmed: nothing was sent.')

function isAmount(text: string, minor: number): boolean {
  try {
    return parseAmount(text, { decimal: 'point' }).minor === minor
  } catch {
    return false
  }
}

/** In a dry run, prints a note if a person would have to type a sum. */
export function remarkOnTyping(sums: readonly Sum[], guard: Guard | undefined, reporter: Reporter | undefined): void {
  const typed = sums.find((sum) => guard?.needsTyping(sum))
  if (!typed) return
  const sum = formatMoney(typed.amount, typed.currency ?? '').trim()
  reporter?.remark(
    say`To confirm, a person must type ${sum} at a terminal, without --yes: the sum is above the profile's limit.`,
  )
}

export interface Asking {
  /** True if a person answers the reporter's questions. False: payments with old keys are not sent again. */
  readonly asksPerson?: boolean | undefined
}

/**
 * Prepares to repeat payments in doubt: settles payments that the history has, and asks about payments whose key the
 * service may have forgotten. If nobody can be asked, or the answer is no, the payments with old keys are not sent
 * again in this session.
 */
export async function settleOrAsk(
  intents: Iterable<Intent>,
  { asksPerson = false }: Asking,
  session: PaymentSession,
): Promise<void> {
  const left = await session.settleFound([...intents].filter(isInDoubt))
  const old = left.filter((intent) => session.looked.prospectOf(intent) === 'old')
  const [first] = old
  if (!first || !asksPerson) return
  const { reporter } = session
  for (const intent of old) {
    reporter.fact(
      say`  In doubt  ${describeBody(intent.body, intent.currency)}: ${session.looked.oldKeyOf(intent).said}.`,
    )
  }
  const question =
    old.length === 1
      ? say`Send this payment again? If it was made after all, it is paid twice.`
      : say`Send these ${old.length} payments again? If one was made after all, it is paid twice.`
  if (await reporter.ask(question)) session.looked.allowOldKeys(old)
}
