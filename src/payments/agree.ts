import type { Context } from '../commands/context.ts'
import type { Order } from '../commands/payments/payment_flags.ts'
import { requireYes } from '../commands/prompts/confirm.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import type { Desk } from './payment_session.ts'
import { describeBody, describeOrder, previewOrder, questionOf } from './preview.ts'
import { placeOf } from './sender.ts'

/** Throws where nobody can be asked and nobody has said yes. */
export function requireAnswerer(yes: boolean | undefined, { interactive }: Context, hint = sendHint): void {
  if (yes || interactive) return
  throw new UsageError('This sends money, and there is no terminal to ask on. Nothing was sent.', hint)
}

const sendHint = 'Add --yes to send without being asked, or --dry-run to see what would happen'

/** Shows a payment and asks whether to send it; with `yes` one line says what goes where. */
export async function agree(order: Order, yes: boolean | undefined, desk: Desk): Promise<void> {
  const { client, context, sender } = desk
  const place = placeOf(sender)
  if (yes) return context.output.note(`Sending ${describeBody(order.body)} ${place}`)
  const preview = await previewOrder(order, client)
  for (const line of describeOrder(order, preview, place)) context.output.note(line)
  if (!preview.validation) throw alreadyPaid(order)
  await requireYes(questionOf(order, preview, place), context)
}

export const alreadyPaid = ({ key }: Order): CliError =>
  new CliError(
    'conflict',
    `The service has a payment with the idempotency key ${key} already. Nothing was sent.`,
    'Find it with: payctl payments history. To pay once more, use another key',
  )
