import type { Page, PageLink } from '../../src/contract/index.ts'

export interface Slice<T> {
  readonly items: readonly T[]
  readonly total: number
}

export interface PageRequest {
  readonly page: number
  readonly perPage: number
  /** Absolute URL of the list, without a query. */
  readonly path: string
}

export type Locale = 'es' | 'en'

const labels = {
  es: { previous: '&laquo; Anterior', next: 'Siguiente &raquo;' },
  en: { previous: '&laquo; Previous', next: 'Next &raquo;' },
} as const

/** Makes a page in the service's shape from a slice of a list. */
export function paginate<T>(slice: Slice<T>, request: PageRequest, locale: Locale): Page<T> {
  const { page, perPage, path } = request
  const { items, total } = slice
  const last = Math.max(1, Math.ceil(total / perPage))
  const first = (page - 1) * perPage
  const url = (number: number) => `${path}?page=${number}`
  const previous = page > 1 ? page - 1 : null
  const next = page < last ? page + 1 : null
  const link = (label: string, target: number | null, active = false): PageLink => ({
    url: target === null ? null : url(target),
    label,
    page: target,
    active,
  })
  const numbers = window(page, last).map((entry) =>
    entry === '...' ? link(entry, null) : link(String(entry), entry, entry === page),
  )
  return {
    current_page: page,
    data: [...items],
    first_page_url: url(1),
    from: items.length > 0 ? first + 1 : null,
    last_page: last,
    last_page_url: url(last),
    links: [link(labels[locale].previous, previous), ...numbers, link(labels[locale].next, next)],
    next_page_url: next === null ? null : url(next),
    path,
    per_page: perPage,
    prev_page_url: previous === null ? null : url(previous),
    to: items.length > 0 ? first + items.length : null,
    total,
  }
}

/** Number of page numbers shown on either side of the current page. */
const eitherSide = 3
/** Highest current page for which all page numbers from 1 to the current page are shown. */
const nearStart = eitherSide * 2 + 1

/** The page numbers shown: all of a short list; otherwise two at each end, and those around the current page. */
export function window(current: number, last: number): readonly (number | '...')[] {
  if (last < eitherSide * 2 + 8) return range(1, last)
  const head = [1, 2]
  const tail = [last - 1, last]
  if (current <= nearStart) return [...range(1, nearStart + eitherSide), '...', ...tail]
  if (current > last - nearStart) return [...head, '...', ...range(last - (nearStart + eitherSide - 1), last)]
  return [...head, '...', ...range(current - eitherSide, current + eitherSide), '...', ...tail]
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)
