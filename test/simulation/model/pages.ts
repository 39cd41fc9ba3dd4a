import { type Answer, type Expected, invalid, type Problems, Refused, type Request, success } from './exchange.ts'
import { Difference, differenceOf, Free, type Lessons, Matcher, matching, shown, text } from './matching.ts'

/** An item of a list. */
export interface Entry {
  readonly id: Free
  /** True if the item certainly exists. */
  readonly sure: boolean
  /** True if the place of the item among the others is known. */
  readonly placed: boolean
  /** Expected value. */
  readonly view: unknown
  /** Updates the model once an answer has shown the item. */
  readonly seen?: () => void
}

interface Asked {
  readonly request: Request
  readonly answer: Answer
  /** Other problems of the query. */
  readonly problems?: Problems
}

interface Window {
  readonly page: number
  readonly perPage: number
}

/** The page that a query requests. Throws 422. Source: interface, "Limits"; docs/decisions/emulator.md, row 19. */
function windowOf({ url }: Request, others: Problems): Window {
  const query = new URL(url, 'http://service').searchParams
  const problems: Record<string, string | null> = { ...others }
  const read = (name: string, most: number, usual: number): number => {
    const [value = '', more] = query.getAll(name)
    if (value === '' && more === undefined) return usual
    const number = /^-?\d{1,15}$/.test(value) && more === undefined ? Number(value) : Number.NaN
    if (!(number >= 1 && number <= most)) problems[name] = null
    return number
  }
  const window = { perPage: read('per_page', 1000, 15), page: read('page', Number.MAX_SAFE_INTEGER, 1) }
  if (Object.keys(problems).length > 0) throw new Refused(invalid(422, problems))
  return window
}

/**
 * A page of a list. The answer supplies facts that the model does not know: the total, and which uncertain items exist.
 */
export function pageOf(
  message: string,
  entries: readonly Entry[],
  { request, answer, problems = {} }: Asked,
): Expected {
  const { page, perPage } = windowOf(request, problems)
  const offset = (page - 1) * perPage
  const fixed = entries.filter(({ sure, placed }) => sure && placed)
  const sure = entries.filter((entry) => entry.sure).length
  const given = (answer.body as { data?: { total?: unknown; data?: unknown } } | null)?.data
  const total = typeof given?.total === 'number' ? given.total : Number.NaN
  if (answer.status === 200 && !(total >= sure && total <= entries.length)) {
    throw new Difference(`The list has ${sure} to ${entries.length} items, and its total is ${shown(given?.total)}`)
  }
  const last = Math.max(1, Math.ceil(total / perPage))
  const count = Math.max(0, Math.min(perPage, total - offset))
  const items = new Matcher((actual, lessons) => {
    if (!Array.isArray(actual) || actual.length !== count) return `${shown(actual)} is not a list of ${count} items`
    return itemsDiffer(actual, { entries, fixed, offset }, lessons)
  })
  const path = new Free('the URL of the list', text(new RegExp(`^https?://[^?]+${request.url.split('?', 1)[0]}$`)))
  const url = (number: number | null) =>
    number === null
      ? null
      : matching(`page ${number}`, text(new RegExp(`${request.url.split('?', 1)[0]}\\?page=${number}$`)))
  const [previous, next] = [page > 1 ? page - 1 : null, page < last ? page + 1 : null]
  return success(message, {
    current_page: page,
    data: items,
    first_page_url: url(1),
    from: count > 0 ? offset + 1 : null,
    last_page: last,
    last_page_url: url(last),
    links: [
      { url: url(previous), label: someLabel, page: previous, active: false },
      ...numbersShown(page, last).map((number) => ({
        url: url(number),
        label: number === null ? '...' : String(number),
        page: number,
        active: number === page,
      })),
      { url: url(next), label: someLabel, page: next, active: false },
    ],
    next_page_url: url(next),
    path,
    per_page: perPage,
    prev_page_url: url(previous),
    to: count > 0 ? offset + count : null,
    total,
  })
}

const someLabel = matching('a label', text(/&[lr]aquo;/))

interface Lists {
  readonly entries: readonly Entry[]
  readonly fixed: readonly Entry[]
  readonly offset: number
}

/**
 * Describes the first wrong item of a page. Each item must be a known entry. Items with known places must follow each
 * other without gaps; others may be before or between them.
 */
function itemsDiffer(items: readonly unknown[], { entries, fixed, offset }: Lists, lessons: Lessons): string | null {
  const freedom = entries.length - fixed.length
  const left = new Set(entries)
  let next: number | null = null
  for (const [index, item] of items.entries()) {
    const id = (item as { id?: unknown } | null)?.id
    const guess = freedom === 0 ? fixed[offset + index] : undefined
    const candidates = guess
      ? [guess]
      : [...left].filter((entry) => entry.id.value === undefined || entry.id.value === id)
    candidates.sort((one, other) => Number(other.id.value === id) - Number(one.id.value === id))
    let first: string | null = null
    const found = candidates.find((entry) => {
      const learned: Lessons = []
      const difference = left.has(entry) ? differenceOf(entry.view, item, learned) : 'It is there twice'
      first ??= difference
      if (difference === null) lessons.push(...learned, ...(entry.seen ? [entry.seen] : []))
      return difference === null
    })
    if (!found) return `item ${index}: ${first ?? `${shown(item)} is not in the list`}`
    left.delete(found)
    const place = fixed.indexOf(found)
    if (place < 0) continue
    const before = offset + index
    if (next === null && (place > before || place < before - freedom)) {
      return `item ${index} is number ${place} of the list, and stands at ${before}`
    }
    if (next !== null && place !== next) return `item ${index} is number ${place} of the list, after number ${next - 1}`
    next = place + 1
  }
  return null
}

/** Page numbers that a paginator shows, null for a gap. Source: domain, "Shapes seen on such services". */
function numbersShown(page: number, last: number): (number | null)[] {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  if (last < 14) return range(1, last)
  if (page <= 7) return [...range(1, 10), null, last - 1, last]
  if (page > last - 7) return [1, 2, null, ...range(last - 9, last)]
  return [1, 2, null, ...range(page - 3, page + 3), null, last - 1, last]
}
