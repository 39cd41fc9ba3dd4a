import type { Context } from '../../cli/command.ts'
import { formatAddress } from '../../contract/iban.ts'
import { decimal } from '../../contract/money.ts'
import { CliError, IntentError, reasonOf } from '../../errors/cli_error.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { LimitError } from '../../limits/refusals.ts'
import { say } from '../../words/text.ts'
import { askAmount, askDescription, askSource, readSource } from './ask_missing.ts'
import { askPayeeAgain } from './ask_payee.ts'
import type { CompleteOrder } from './order_of_flags.ts'
import type { SendFlags } from './send.ts'

/** Values of a payment that can be asked for again. */
type Value = 'source' | 'payee' | 'amount' | 'description'

interface Refused extends Pick<CompleteOrder, 'order' | 'payee'> {
  readonly flags: SendFlags
}

/**
 * Asks again for the values that the service or a limit refused, with the refused values filled in, and returns all
 * values as flags. Throws the error itself if no other value would help, if the payment may have been made, or if
 * nobody answers.
 */
export async function correctedFlags(error: unknown, refused: Refused, context: Context): Promise<SendFlags> {
  const cause = causeOf(error)
  // A key from the user belongs to one payment; another amount would be another payment.
  const values = refused.flags.idempotencyKey === undefined ? refusedValues(cause) : []
  if (values.length === 0) throw error
  context.output.note(say`Refused: ${reasonOf(cause)}. Nothing was taken. Change it, or Ctrl-C to stop.`)
  try {
    return await askAgain(values, refused, context)
  } catch (unanswered) {
    throw unanswered instanceof CliError && unanswered.exit === 'usage' ? error : unanswered
  }
}

async function askAgain(
  values: readonly Value[],
  { flags, order, payee }: Refused,
  context: Context,
): Promise<SendFlags> {
  const { body } = order
  const description = body.description ?? undefined
  const client = await context.client()
  const source = values.includes('source')
    ? await askSource(client, context)
    : await readSource(body.source_account_id, client)
  const address = formatAddress(body.recipient_iban ?? body.recipient_phone ?? '')
  const to = payee?.name ?? address
  const mark = (text: string) => (flags.decimal === 'comma' ? text.replace('.', ',') : text)
  const filled = mark(decimal(body.amount))
  return {
    ...flags,
    from: source.id,
    to: values.includes('payee') ? await askPayeeAgain(to, context) : to,
    amount: undefined,
    amountMinor: String(
      values.includes('amount') || values.includes('source')
        ? (await askAmount(source.account, { decimal: flags.decimal, filled }, context)).minor
        : body.amount,
    ),
    description: values.includes('description') ? await askDescription(context, description) : description,
  }
}

const causeOf = (error: unknown): unknown => (error instanceof IntentError ? causeOf(error.cause) : error)

const valueOfField: ReadonlyMap<string, Value> = new Map([
  ['source_account_id', 'source'],
  ['recipient_iban', 'payee'],
  ['recipient_phone', 'payee'],
  ['amount', 'amount'],
  ['description', 'description'],
])

/** Values to ask for after a refusal that does not name a value. */
const anyValue: readonly Value[] = ['payee', 'amount', 'description']

/** The values that were refused; empty unless the payment was certainly not made. */
function refusedValues(error: unknown): readonly Value[] {
  if (error instanceof LimitError) return valuesOfLimit(error)
  const refusal = error instanceof CliError && error.exit === 'rejected' ? error.cause : error
  if (!(refusal instanceof ApiError) || !refusal.fromService || ![400, 422].includes(refusal.status)) return []
  const { errors } = refusal
  const fields = typeof errors === 'string' ? [] : Object.keys(errors ?? {})
  const named = fields.flatMap((name) => valueOfField.get(name) ?? [])
  return named.length > 0 ? [...new Set(named)] : fields.length > 0 ? [] : anyValue
}

function valuesOfLimit({ refusal: { kind } }: LimitError): readonly Value[] {
  switch (kind) {
    case 'per_payment':
    case 'per_day':
    case 'per_payee_day':
      return ['amount']
    case 'payee':
      return ['payee']
    case 'currency':
      return ['source']
    default:
      return []
  }
}
