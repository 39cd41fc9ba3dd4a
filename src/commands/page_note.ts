import type { Page } from '../client/received.ts'
import type { Context } from './context.ts'

/** For a list of which this is a page: a page beyond the last has no items either. */
export const noneOn = <Item>({ total }: Page<Item>, text: string): string | undefined =>
  total === 0 ? text : undefined

/** Tells which part of a list a page is, unless it is all of it. */
export function notePage<Item>(page: Page<Item>, items: string, { output }: Context): void {
  const { current_page: current, last_page: last, total } = page
  if (!current || !last || !Number.isInteger(total)) return
  if (current > last) output.note(`There is no page ${current}: the last of ${total} ${items} are on page ${last}.`)
  if (current < last) {
    output.note(`Page ${current} of ${last}, ${total} ${items}. Next: --page ${current + 1}. Everything: --all`)
  }
}
