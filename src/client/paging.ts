import type { Page } from '../contract/schemas/envelope.ts'
import { ContractError } from '../errors/service_errors.ts'
import { type AtOnce, PagesAhead } from './pages_ahead.ts'

/** A page; a server may omit everything except the items. */
interface Slice<Item> {
  readonly data: readonly Item[]
  readonly current_page?: number
  readonly last_page?: number
  readonly next_page_url?: string | null
  readonly total?: number
}

/**
 * Maximum number of items in a page, according to the interface. With pages of this size, a long list needs the fewest
 * requests.
 */
export const largestPage = 1000

/**
 * Number of consecutive pages without a new item after which reading stops. Some pages without a new item are normal:
 * items added in the meantime move older items onto later pages.
 */
const mostRepeated = 10

/** Maximum number of items that are remembered in order to recognise new items. */
const mostRemembered = 20_000

/**
 * Yields pages from `first` (undefined: the server's first page), until the server says that no page follows, or
 * until a page is empty. With `atOnce`, requests several pages at the same time. Throws ContractError, after the
 * readable pages, if the pages don't form a complete list. An incomplete list must not look complete, and a server that
 * ignores `page` must not cause an endless loop.
 */
export async function* pagesOf<Item, P extends Slice<Item>>(
  read: (page: number | undefined) => Promise<P>,
  first: number | undefined,
  atOnce?: AtOnce,
): AsyncGenerator<P, void, undefined> {
  const seen = new SeenItems()
  const ahead = atOnce && new PagesAhead(read, atOnce)
  const next = (number: number | undefined) => (ahead ? ahead.page(number) : read(number))
  let current = first ?? 1
  let page = await next(first)
  for (let repeated = 0; ; ) {
    if (!Array.isArray(page?.data)) throw contradiction('a page has no list of data')
    const received = numberOf(page.current_page)
    repeated = seen.add(page) || page.data.length === 0 ? 0 : repeated + 1
    const isAnother = received >= 0 && received !== current
    if (!isAnother || repeated === 0) yield page
    if (isAnother) throw contradiction(`page ${current} was asked for, and page ${received} came`)
    if (repeated === mostRepeated) throw contradiction(`${mostRepeated} pages in a row have no new item`)
    if (!saysMore(page, current)) break
    if (page.data.length === 0) throw contradiction(`page ${current} is empty, and is not the last`)
    page = await next(current + 1)
    current += 1
  }
  if (seen.count < seen.lowestTotal && (first ?? 1) === 1)
    throw contradiction(`its total says ${seen.lowestTotal} items, but ${seen.count} came`)
}

const contradiction = (what: string): ContractError =>
  new ContractError(`The service’s list could not be read completely: ${what}.`)

/** True if more pages follow. If the server does not say, numbered pages are read until a page is empty. */
function saysMore(page: Slice<unknown>, current: number): boolean {
  const last = numberOf(page.last_page)
  const { next_page_url: next } = page
  if (last >= 0 || next !== undefined) return current < last || Boolean(next)
  return numberOf(page.current_page) >= 0 && page.data.length > 0
}

/** Items received from a list. */
class SeenItems {
  /** Count of distinct items; items without an id all count. */
  count = 0
  /** Lowest total that a page reported: items may be added and removed during reading. */
  lowestTotal = 0
  #hasTotal = false
  readonly #recent = new Set<unknown>()

  /** Returns true if the page has an item that no earlier page had. */
  add({ data, total: reported }: Slice<unknown>): boolean {
    const total = numberOf(reported)
    if (total >= 0) this.lowestTotal = this.#hasTotal ? Math.min(this.lowestTotal, total) : total
    this.#hasTotal ||= total >= 0
    this.count += data.filter((item) => idOf(item) === undefined || !this.#recent.has(idOf(item))).length
    const isNews = data.some((item) => !this.#recent.has(keyOf(item)))
    for (const item of data) this.#recent.add(keyOf(item))
    forgetOldest(this.#recent)
    return isNews
  }
}

const keyOf = (item: unknown): unknown => idOf(item) ?? JSON.stringify(item)

/** Wraps a complete list as its only page. */
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

/** Yields each item of the pages once. */
export async function* itemsOf<Item>(pages: AsyncIterable<Slice<Item>>): AsyncGenerator<Item, void, undefined> {
  const recent = new RecentItems()
  for await (const page of pages) yield* recent.newIn(page.data)
}

/** Recognises items that an earlier page had: a new item pushes older items to later pages. */
export class RecentItems {
  readonly #ids = new Set<unknown>()

  /** The items of a page that no earlier page had. Items without an id are all new. */
  newIn<Item>(page: readonly Item[]): readonly Item[] {
    const fresh = page.filter((item) => !this.#ids.has(idOf(item)))
    for (const item of fresh) if (idOf(item)) this.#ids.add(idOf(item))
    forgetOldest(this.#ids)
    return fresh
  }
}

/** Removes all items except the newest `mostRemembered`. */
function forgetOldest(items: Set<unknown>): void {
  for (const oldest of items) {
    if (items.size <= mostRemembered) break
    items.delete(oldest)
  }
}

const idOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined

/** Number in a value; NaN unless the value is a number or a numeric string. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
