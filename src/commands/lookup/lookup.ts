import { type Command, Option } from 'commander'
import type { Lookup } from '../../lookups/lookups.ts'
import type { Context } from '../context.ts'
import { integer } from '../integer.ts'

/** A lookup, and how people call its values. */
export interface LookupKind extends Lookup {
  readonly noun: string
  readonly example: string
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
  (kind: LookupKind, context: Context) =>
  async (texts: readonly string[], flags: LookupFlags): Promise<void> => {
    const { lookUp } = await import('./look_up.ts')
    await lookUp({ ...kind, ...flags, texts }, context)
  }
