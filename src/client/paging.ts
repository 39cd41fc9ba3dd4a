import type { Page } from '../contract/schemas/page.ts'
import { ContractError } from '../errors/service_errors.ts'

/** A server may leave out everything but the items. */
interface Slice<Item> {
  readonly data: readonly Item[]
  readonly current_page?: number
  readonly last_page?: number
  readonly next_page_url?: string | null
}

/**
 * Pages from `first` (the server's first, when undefined) on, until the server says that there are no more, a page is
 * empty, or the page number stops advancing: a server that ignores `page` must not be read for ever.
 */
export async function* pagesOf<Item, P extends Slice<Item>>(
  read: (page: number | undefined) => Promise<P>,
  first: number | undefined,
): AsyncGenerator<P, void, undefined> {
  let previous = 0
  let page = await read(first)
  while (true) {
    if (!Array.isArray(page?.data))
      throw new ContractError('The service answered with a page that has no list of data.')
    const current = numberOf(page.current_page)
    const started = previous > 0
    if (started && (page.data.length === 0 || !(current > previous))) return
    yield page
    if (page.data.length === 0 || !(current > 0) || isLast(page, current)) return
    previous = current
    page = await read(current + 1)
  }
}

const isLast = (page: Slice<unknown>, current: number): boolean =>
  page.next_page_url === null || current >= (numberOf(page.last_page) || Number.POSITIVE_INFINITY)

/** Wraps a list that came whole as its only page. */
export const onePage = (items: unknown[]): Page<unknown> => ({
  current_page: 1,
  data: items,
  first_page_url: null,
  from: items.length > 0 ? 1 : null,
  last_page: 1,
  last_page_url: null,
  links: [],
  next_page_url: null,
  path: null,
  per_page: items.length,
  prev_page_url: null,
  to: items.length > 0 ? items.length : null,
  total: items.length,
})

/** The items of pages, each once: a new item can push an older one to the start of the next page. */
export async function* itemsOf<Item>(pages: AsyncIterable<Slice<Item>>): AsyncGenerator<Item, void, undefined> {
  let seen = new Set<unknown>()
  for await (const page of pages) {
    for (const item of page.data) if (!seen.has(idOf(item))) yield item
    seen = new Set(page.data.map(idOf))
    seen.delete(undefined)
  }
}

const idOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined

/** NaN for anything but a number or the text of one. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
