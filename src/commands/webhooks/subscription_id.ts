import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { idPart, isPartOf } from '../../values/text.ts'
import { subscriptionsOf } from '../../webhooks/subscriptions.ts'

/** Text of a part of a UUID; an id of another form goes to the service as it is. */
const partForm = /^[0-9a-f-]{5,35}$/

/**
 * The id of the subscription that a text names: whole, or at least five characters of it. A part costs
 * the list of subscriptions. Throws CliError where it fits none, or several.
 */
export async function subscriptionId(text: string, context: Context): Promise<string> {
  const part = idPart(text)
  if (isUuid(part) || !partForm.test(part)) return text
  const found: { readonly id: string; readonly url: string }[] = []
  for await (const { id, url } of subscriptionsOf(await context.client())) {
    if (id?.toLowerCase() === part) return id
    if (id && isPartOf(part, id)) found.push({ id, url: url ?? '' })
  }
  const [first] = found
  if (!first) {
    throw new CliError(
      'not_found',
      `No subscription of yours has an id with ${part} in it.`,
      toRun(['webhooks', 'list']),
    )
  }
  if (found.length > 1) {
    const all = found.map(({ id, url }) => `${id} (${url})`).join(', ')
    throw new UsageError(`'${text}' fits ${found.length} subscriptions.`, `Name one by more of its id: ${all}`)
  }
  context.output.note(`Subscription ${first.id}`)
  return first.id
}
