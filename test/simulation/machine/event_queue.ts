/** An event at a time of the virtual clock. */
export interface Event {
  /** Milliseconds. */
  at: number
  /**
   * Planned time. Among events at the same time, the event with the earliest planned time runs first, then the event
   * that was added first.
   */
  readonly due: number
  readonly order: number
  readonly run: () => void
  cancelled: boolean
}

/** Future events by time: a binary heap. */
export class EventQueue {
  readonly #heap: Event[] = []
  #planned = 0

  plan(at: number, run: () => void): Event {
    this.#planned += 1
    const event: Event = { at, due: at, order: this.#planned, run, cancelled: false }
    this.#put(event)
    return event
  }

  /** Puts back an event that was taken, for a later time. */
  postpone(event: Event, at: number): void {
    event.at = at
    this.#put(event)
  }

  #put(event: Event): void {
    const heap = this.#heap
    let hole = heap.length
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (isBefore(heap[parent] as Event, event)) break
      heap[hole] = heap[parent] as Event
      hole = parent
    }
    heap[hole] = event
  }

  /** Time of the next event, even if the event was cancelled. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Takes the next event that was not cancelled. */
  next(): Event | undefined {
    for (;;) {
      const event = this.#take()
      if (!event?.cancelled) return event
    }
  }

  #take(): Event | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!last || heap.length === 0) return first
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1
      if (isBefore(last, heap[child] as Event)) break
      heap[hole] = heap[child] as Event
      hole = child
    }
    heap[hole] = last
    return first
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.at !== other.at) return one.at < other.at
  return one.due === other.due ? one.order < other.order : one.due < other.due
}
