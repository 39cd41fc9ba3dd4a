import { batch, signal } from '@preact/signals'

export interface Row {
  readonly id: string
}

interface Slice<R> {
  readonly rows: readonly R[]
  readonly total: number
}

interface Source<R> {
  /**
   * Reads a page of the rows that are older than `after`; the first page is 1. If `after` is null, reads a page of all
   * rows. New rows do not move the pages that begin after an older row.
   */
  readonly read: (page: number, after: R | null) => Promise<Slice<R>>
}

/** Number of rows in a page. */
export const pageSize = 100

/** Number of new rows at which the list is read again instead of growing. */
const longestHead = 2000

/**
 * A long list with the newest row first. Only the visible part of the list is read. Events change rows and add new
 * rows. While the list is held, new rows wait, so that nothing moves under the reader.
 */
export class LiveList<R extends Row> {
  /** A number that changes whenever the list changes. */
  readonly version = signal(0)
  /** Number of new rows that are waiting. */
  readonly waiting = signal(0)
  readonly error = signal<Error | null>(null)
  /** True until the first page has been read. */
  readonly isLoading = signal(true)
  readonly #source: Source<R>
  readonly #rows = new Map<string, R>()
  /** Ids of the rows that came after the list was last read from its beginning, newest first. */
  #head: string[] = []
  #held: string[] = []
  #isHeld = false
  /** True while the list is read again; rows from events then change both the old list and the new one. */
  #isReading = false
  #meanwhile: { readonly row: R; readonly isNew: boolean }[] = []
  /** Ids of the rows that existed when the list was last read from its beginning, by position. */
  #ids: string[] = []
  /** Last row of the first page; the pages below it are counted from this row. */
  #anchor: R | null = null
  #total = 0
  #pages = new Set<number>()
  #generation = 0
  #frame: number | null = null

  constructor(source: Source<R>) {
    this.#source = source
  }

  get length(): number {
    return this.#head.length + this.#total
  }

  /**
   * The row at a position, or undefined if the row has not been read yet. In that case, starts to read the page of the
   * row.
   */
  at(index: number): R | undefined {
    const fromHead = this.#head[index]
    if (fromHead !== undefined) return this.#rows.get(fromHead)
    const position = index - this.#head.length
    const id = this.#ids[position]
    if (id === undefined) void this.#read(Math.floor(position / pageSize) + 1)
    return id === undefined ? undefined : this.#rows.get(id)
  }

  /** Reads the list again from its beginning; until then, the old rows are shown. */
  async restart(): Promise<void> {
    const generation = ++this.#generation
    this.#isReading = true
    this.#meanwhile = []
    try {
      const { rows, total } = await this.#source.read(1, null)
      if (generation !== this.#generation) return
      this.#rows.clear()
      this.#head = []
      this.#held = []
      this.#ids = []
      this.#pages = new Set([1])
      this.#anchor = rows.at(-1) ?? null
      this.#total = total
      this.#place(1, rows)
      for (const { row, isNew } of this.#meanwhile) this.#put(row, isNew)
      this.error.value = null
    } catch (error) {
      if (generation !== this.#generation) return
      this.error.value = error as Error
    }
    this.#isReading = false
    this.isLoading.value = false
    this.#changed()
  }

  /**
   * Takes the row of an event: replaces the row with the same id, or adds a new row at the top, or to the waiting rows.
   * Ignores a row that is not new and has not been read yet.
   */
  take(row: R, isNew: boolean): void {
    if (this.#isReading) this.#meanwhile.push({ row, isNew })
    this.#put(row, isNew)
    if (this.#head.length > longestHead && !this.#isReading) void this.restart()
    this.#changed()
  }

  #put(row: R, isNew: boolean): void {
    const isKnown = this.#rows.has(row.id)
    if (isKnown || isNew) this.#rows.set(row.id, row)
    if (isKnown || !isNew) return
    if (this.#isHeld) this.#held.unshift(row.id)
    else this.#head.unshift(row.id)
  }

  /** Holds new rows back while the reader is elsewhere in the list; otherwise shows them. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (!isHeld && this.#held.length > 0) this.release()
  }

  /** Shows the waiting rows. */
  release(): void {
    this.#head = [...this.#held, ...this.#head]
    this.#held = []
    this.#changed()
  }

  async #read(page: number): Promise<void> {
    if (this.#pages.has(page)) return
    this.#pages.add(page)
    const generation = this.#generation
    try {
      const { rows } = await this.#source.read(page - 1, this.#anchor)
      if (generation !== this.#generation) return
      this.#place(page, rows)
    } catch {
      if (generation === this.#generation) this.#pages.delete(page)
      return
    }
    this.#changed()
  }

  #place(page: number, rows: readonly R[]): void {
    for (const [at, row] of rows.entries()) {
      if (!this.#rows.has(row.id)) this.#rows.set(row.id, row)
      this.#ids[(page - 1) * pageSize + at] = row.id
    }
  }

  /** Draws the list at most once per frame, however many events arrive. */
  #changed(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null
      batch(() => {
        this.version.value++
        this.waiting.value = this.#held.length
      })
    })
  }
}
