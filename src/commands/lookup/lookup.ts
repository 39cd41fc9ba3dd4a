import { type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { integer } from '../integer.ts'

/** What both lookups tell of a holder. */
export interface Holder {
  readonly status: string
  readonly name?: string
  readonly document_number?: string
  readonly currency?: string
  readonly country_code?: string
  readonly entity_name?: string
}

/** A row of a list: a holder, or a value that has none and why. */
export interface Row extends Holder {
  readonly phone_number?: string
  readonly iban?: string
  readonly reason?: string
}

/** One kind of value that holders are looked up by. */
export interface Lookup {
  /** The member of a row that has the value. */
  readonly key: 'phone_number' | 'iban'
  /** As people call it. */
  readonly noun: string
  readonly example: string
  /** The value as the service wants it. Throws UsageError. */
  readonly normalize: (text: string) => string
  /** Throws ApiError 404 when nobody holds it. */
  readonly find: (value: string, client: Client) => Promise<Row>
}

export interface LookupFlags {
  readonly file?: string
  readonly concurrency: number
}

/** The options that both lookups have, and what they do. */
export const lookupFlags = (command: Command): Command =>
  command
    .option('--file <path>', 'read them from a file, one a line; # begins a comment')
    .addOption(
      new Option('--concurrency <n>', 'how many requests at a time, 1 to 32')
        .argParser(integer({ min: 1, max: 32 }))
        .default(4),
    )
    .addHelpText('after', lists)

const lists = `
One value as argument is shown in full. Of several, and of the lines of -
(stdin), a pipe or --file, each gets a row, in order; what is not found or not
valid has that as its status, with the reason.

Exit 0: all found. 3: some not found. 2: some not valid, whatever the others.
Any other failure ends the run with its own code, after the rows before it.`

export const lookUpAction =
  (lookup: Lookup, context: Context) =>
  async (texts: readonly string[], flags: LookupFlags): Promise<void> => {
    const { lookUp } = await import('./look_up.ts')
    await lookUp({ ...lookup, ...flags, texts }, context)
  }
