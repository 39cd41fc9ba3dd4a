/**
 * The paginator of a Laravel service, as seen from outside (domain facts, "Shapes seen on such services"). Page links
 * of page c of L: all pages if L is below 14. Otherwise the first ten and the last two near the start, the first two
 * and the last ten near the end, and elsewhere both ends and three pages on either side of c.
 */
export function laravelWindow(c: number, L: number): (number | '...')[] {
  const shown = new Set<number>()
  for (let page = 1; page <= L; page++) {
    const all = L < 14
    const nearStart = c <= 7 && page <= 10
    const nearEnd = c > 7 && c > L - 7 && page > L - 10
    const around = c > 7 && c <= L - 7 && Math.abs(page - c) <= 3
    if (all || nearStart || nearEnd || around || page <= 2 || page > L - 2) shown.add(page)
  }
  const pages: (number | '...')[] = []
  for (const page of shown) {
    const before = pages.at(-1)
    if (before !== undefined && page !== Number(before) + 1) pages.push('...')
    pages.push(page)
  }
  return pages
}

export interface Asked {
  readonly page: number
  readonly perPage: number
  readonly total: number
}

/** A page of `total` items without the items: URLs without their path, labels in Spanish. */
export function laravelPage({ page, perPage, total }: Asked) {
  const last = total === 0 ? 1 : Math.ceil(total / perPage)
  const before = Math.min(total, (page - 1) * perPage)
  const items = Math.min(perPage, total - before)
  const previous = page === 1 ? null : page - 1
  const next = page >= last ? null : page + 1
  const url = (number: number | null) => (number === null ? null : `?page=${number}`)
  const link = (label: string, number: number | null, active: boolean) => ({
    url: url(number),
    label,
    page: number,
    active,
  })
  return {
    current_page: page,
    first_page_url: '?page=1',
    from: items === 0 ? null : before + 1,
    last_page: last,
    last_page_url: url(last),
    links: [
      link('&laquo; Anterior', previous, false),
      ...laravelWindow(page, last).map((shown) =>
        shown === '...' ? link('...', null, false) : link(String(shown), shown, shown === page),
      ),
      link('Siguiente &raquo;', next, false),
    ],
    next_page_url: url(next),
    per_page: perPage,
    prev_page_url: url(previous),
    to: items === 0 ? null : before + items,
    total,
    items,
  }
}
