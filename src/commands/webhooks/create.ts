import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { integer } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { createdColumns } from './columns.ts'
import { eventList, receiverUrl, warnOfPlainHttp } from './flags.ts'

/** `value` is the value itself; `file` holds it, `-` being stdin. */
interface HeaderFlag {
  readonly name: string
  readonly value?: string
  readonly file?: string
}

export const create = command({
  summary: 'Subscribe a URL to events',
  about:
    'Subscribe a URL to events. Deliveries are not signed: give a secret header, and let the receiver refuse ' +
    'deliveries without it. --json, ndjson and yaml print it back as the service does. If the service gives ' +
    'the subscription a secret, every format shows it here, and never again.',
  flags: {
    '--url <url>': { about: 'where events are posted, http or https', required: true, parse: receiverUrl },
    '--events <names>': {
      about: 'which, as a,b or all: see payctl webhooks events',
      required: true,
      parse: eventList,
    },
    '--max-attempts <n>': { about: 'how often a delivery is tried', parse: integer({ min: 1 }) },
    '--delivery-timeout <seconds>': {
      about: 'how long the receiver may take to answer',
      parse: integer({ min: 1 }),
    },
    '--header <header>': {
      about:
        "sent with every delivery, repeatable: 'Name: value'; Name=@file and Name=@- (stdin) keep a secret out of the " +
        'list of processes',
      parse: headerFlag,
    },
  },
  prints: answer('webhooks.create'),
  examples: [
    'payctl webhooks create --url https://example.com/hook --events all',
    'payctl webhooks create --url https://example.com/hook --events payment.completed,payment.failed --header X-Secret=@secret.txt',
    'pass show hook | payctl webhooks create --url https://example.com/hook --events all --header X-Secret=@-',
  ],
  async run({ url, events, maxAttempts, deliveryTimeout, header }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    const body = {
      url,
      events: [...events],
      ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
      ...(deliveryTimeout !== undefined && { timeout: deliveryTimeout }),
      ...(header && { headers: await readHeaders(header, context) }),
    }
    warnOfPlainHttp([url], context)
    const client = await context.client()
    const created = await needingScope(client.call('webhooks.create', { body }))
    await context.output.record(created, createdColumns)
    if (created?.secret) context.output.note('Keep the secret now: it will not be shown again.')
  },
})

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
  // An exact repetition changes nothing.
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
