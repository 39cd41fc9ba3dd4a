import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { integer } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import type { EventName } from '../../contract/event_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { createdColumns } from './columns.ts'
import { eventList, receiverUrl } from './flags.ts'

/** `value` is the value itself; `file` holds it, `-` being stdin. */
interface HeaderFlag {
  readonly name: string
  readonly value?: string
  readonly file?: string
}

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
  const { needingScope } = await import('../../webhooks/subscriptions.ts')
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

/** A parser of `Name: value` and `Name=@file`; repeated, the flag adds another. Its errors never repeat a value. */
function headerFlag(text: string, before: readonly HeaderFlag[] = []): readonly HeaderFlag[] {
  const [, name = '', mark, rest = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*(:|=@)\s*(.*)$/s.exec(text) ?? []
  if (!name)
    throw new UsageError('A header is not in its form.', "Give it as --header 'Name: value', or --header Name=@file")
  if (mark === '=@' && rest === '')
    throw new UsageError(`The file of ${name} is missing.`, 'Name it: Name=@file, or Name=@- for stdin')
  const flag: HeaderFlag = mark === ':' ? { name, value: checked(name, rest.trim()) } : { name, file: rest }
  const other = before.find((known) => known.name.toLowerCase() === name.toLowerCase())
  if (other === undefined) return [...before, flag]
  // The same header twice changes nothing.
  if (other.value === flag.value && other.file === flag.file) return before
  throw new UsageError(`The header ${name} is given twice.`, 'Leave one of them out.')
}

/** Reads the values of headers; the line end at the end of a file is removed. */
async function readHeaders(flags: readonly HeaderFlag[], { io }: Context): Promise<Record<string, string>> {
  if (flags.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('Two headers are to be read from stdin.', 'Put one of them in a file: Name=@file')
  }
  const headers: [string, string][] = []
  for (const { name, value, file } of flags) {
    const text =
      value ?? (file === '-' ? await readAll(io.stdin) : await readFile(file ?? '', 'utf8').catch(readError(name)))
    headers.push([name, checked(name, text.replace(/\r?\n$/, ''))])
  }
  return Object.fromEntries(headers)
}

function checked(name: string, value: string): string {
  if (!/\p{Cc}/u.test(value)) return value
  throw new UsageError(`The value of ${name} has characters that a header cannot carry.`, 'It must be one line.')
}

const readError = (name: string) => (error: Error) => {
  throw new UsageError(`The value of ${name} could not be read: ${error.message}`, 'Give a file that exists.')
}
