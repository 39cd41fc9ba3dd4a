/** Limits on concurrent requests for pages. */
export interface AtOnce {
  readonly most: number
  /** Number of requests that the service's rate limit still allows. */
  readonly admitted: () => number
}

/** Members of a page that must be known before later pages can be requested early. */
interface Counted {
  readonly total?: number
  readonly last_page?: number
}

/**
 * Reads numbered pages in order, and requests the next pages early. A new item moves older items to later pages: a page
 * requested before the change then does not continue a page requested after the change. An early page is therefore used
 * only if it reports the same total as the page before it; otherwise it is requested again.
 */
export class PagesAhead<P extends Counted> {
  readonly #read: (page: number | undefined) => Promise<P>
  readonly #atOnce: AtOnce
  readonly #early = new Map<number, Promise<P>>()
  #hasBegun = false
  #total: number | undefined

  constructor(read: (page: number | undefined) => Promise<P>, atOnce: AtOnce) {
    this.#read = read
    this.#atOnce = atOnce
  }

  /**
   * `number`: in the first call, any page (undefined: the service's first page); in each later call, the page after the
   * page of the previous call.
   */
  async page(number: number | undefined): Promise<P> {
    const early = this.#early.get(number ?? 1)
    let page = await (early ?? this.#read(number))
    const isChanged = this.#hasBegun && page?.total !== this.#total
    if (isChanged) {
      this.#early.clear()
      if (early) page = await this.#read(number)
    }
    this.#early.delete(number ?? 1)
    this.#hasBegun = true
    this.#total = page?.total
    // In a list that changes with each page, every early page would be requested twice.
    if (!isChanged) this.#requestAfter(number ?? 1, page)
    return page
  }

  #requestAfter(number: number, page: P): void {
    const { most, admitted } = this.#atOnce
    const { total, last_page: last = 0 } = page ?? {}
    if (!Number.isSafeInteger(total)) return
    for (let next = number + 1; next <= Math.min(number + most, last); next += 1) {
      if (this.#early.has(next)) continue
      if (next > number + 1 && this.#early.size >= admitted()) return
      const answer = this.#read(next)
      answer.catch(() => {}) // the error is reported when the page is read
      this.#early.set(next, answer)
    }
  }
}
