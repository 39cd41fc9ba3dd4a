import type { Page } from '../client/received.ts'
import { UsageError } from '../errors/cli_error.ts'
import { grouped } from '../run/counts.ts'
import { type Said, say, Text } from '../words/text.ts'
import { integer } from './arguments.ts'
import type { Context } from './command.ts'

export interface PageFlags {
  readonly all?: boolean
  readonly page?: number
  readonly perPage?: number
  readonly envelope?: boolean
}

/** The flags of a command that lists pages of `items`, a plural such as `accounts`. */
export const pageFlags = (items: string) =>
  ({
    '--all': { about: 'every page, as one list' },
    '--page <n>': { about: 'page to list (default: 1)', parse: integer({ min: 1 }), conflicts: 'all' },
    '--per-page <n>': { about: `${items} on a page, 1 to 1000`, parse: integer({ min: 1, max: 1000 }) },
    '--envelope': { about: "print the service's own page object, in JSON or YAML", conflicts: 'all' },
  }) as const

/** The text if the whole list is empty; otherwise undefined, even if this page is empty. */
export const noneOn = <Item>({ total }: Page<Item>, text: Said): Said | undefined => (total === 0 ? text : undefined)

/** Reason why the items of a page can't be sorted; undefined for a whole list. */
export const partOf = <Item>({ current_page: current, last_page: last }: Page<Item>): Said | undefined =>
  last === 1 ? undefined : say`this is page ${String(current)} of ${String(last)}`

/**
 * Notes how much of a list the page shows and how to see the rest. Prints nothing for a whole list. `items`: plural of
 * the items, such as `payments`.
 */
export function notePage<Item>(page: Page<Item>, { items }: { readonly items: string }, { output }: Context): void {
  const { current_page: current, last_page: last, total, data } = page
  if (!current || !last || !Number.isInteger(total)) return
  const all = say`${grouped(total ?? 0)} ${new Text(items)}`
  if (current > last) output.note(say`Page ${current} does not exist: the last of ${all} are on page ${last}.`)
  else if (current < last) output.note(say`${grouped(data.length)} of ${all}. More: --page ${current + 1}, --all`)
}

/**
 * With --envelope, returns the whole page, which json and yaml print in place of the items. Throws UsageError for a
 * format that can't print one object.
 */
export function envelopeOf<Item>(
  page: Page<Item>,
  envelope: boolean | undefined,
  { output }: Context,
): { readonly data?: Page<Item> } {
  if (!envelope) return {}
  if (output.format === 'json' || output.format === 'yaml') return { data: page }
  throw new UsageError(
    '--envelope asks for one object, which only JSON and YAML can hold.',
    'Add --json, or leave --envelope out',
  )
}
