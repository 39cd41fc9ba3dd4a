import type { Page } from '../client/received.ts'
import type { Context } from './context.ts'

/** What to say of a page without items: a page beyond the last has none either. */
export const noneOn = <Item>({ total }: Page<Item>, text: string): string | undefined =>
  total === 0 ? text : undefined

/** Says which part of the list a page is, unless it is the whole list. */
export function notePage<Item>(page: Page<Item>, items: string, { output }: Context): void {
  const { current_page: current, last_page: last, total } = page
  if (!current || !last || !Number.isInteger(total)) return
  if (current > last) output.note(`There is no page ${current}: the last of ${total} ${items} are on page ${last}.`)
  if (current < last) {
    output.note(`Page ${current} of ${last}, ${total} ${items}. Next: --page ${current + 1}. Everything: --all`)
  }
}
