import type { EventName } from '../../contract/event_names.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { integer } from '../integer.ts'
import { createdColumns } from './columns.ts'
import { eventList } from './flags.ts'
import { type HeaderFlag, headerFlag } from './header_flag.ts'
import { receiverUrl } from './receiver_url.ts'

interface CreateFlags {
  readonly url: string
  readonly events: readonly EventName[]
  readonly maxAttempts?: number
  readonly deliveryTimeout?: number
  readonly header?: readonly HeaderFlag[]
}

export const create: CommandModule = (command, context) => {
  command
    .description(
      'Subscribe a URL to events. Deliveries are not signed: give a secret header, and let the receiver refuse ' +
        'deliveries without it. --json, ndjson and yaml print it back as the service does. A service that gives ' +
        'the subscription a secret of its own shows it here, in every format, and never again.',
    )
    .requiredOption('--url <url>', 'where events are posted, http or https', receiverUrl)
    .requiredOption('--events <names>', 'which, as a,b or all: see payctl webhooks events', eventList)
    .option('--max-attempts <n>', 'how often a delivery is tried', integer({ min: 1 }))
    .option('--delivery-timeout <seconds>', 'how long the receiver may take to answer', integer({ min: 1 }))
    .option(
      '--header <header>',
      "sent with every delivery, repeatable: 'Name: value'; Name=@file and Name=@- (stdin) keep a secret out of the " +
        'list of processes',
      headerFlag,
    )
    .action((flags: CreateFlags) => subscribe(flags, context))
  examples(command, [
    'payctl webhooks create --url https://example.com/hook --events all',
    'payctl webhooks create --url https://example.com/hook --events payment.completed,payment.failed --header X-Secret=@secret.txt',
    'pass show hook | payctl webhooks create --url https://example.com/hook --events all --header X-Secret=@-',
  ])
}

async function subscribe(flags: CreateFlags, context: Context): Promise<void> {
  const { url, events, maxAttempts, deliveryTimeout, header } = flags
  const [{ readHeaders }, { needingScope }] = await Promise.all([
    import('./header_flag.ts'),
    import('../../webhooks/subscriptions.ts'),
  ])
  const body = {
    url,
    events: [...events],
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(deliveryTimeout !== undefined && { timeout: deliveryTimeout }),
    ...(header && { headers: await readHeaders(header, context) }),
  }
  const client = await context.client()
  const created = await needingScope(client.call('webhooks.create', { body }))
  await context.output.record(created, createdColumns)
  if (created?.secret) context.output.note('Keep the secret now: it will not be shown again.')
}
