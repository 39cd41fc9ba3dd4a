import { broken } from '../broken.ts'
import type { Action } from '../callers/callers.ts'
import { unseen } from '../machine/statements.ts'
import { descriptionOf, places } from '../script/places.ts'
import type { IntentRow, Journals } from './journals.ts'

// Checks that a process sends only payments that its person has agreed to, and that it judges payments by what other
// processes have recorded in the meantime.

/** Statuses of intents, by world and key. */
type Statuses = ReadonlyMap<string, IntentRow['status']>

/** A payment about to be sent, and the world that it is sent to. */
interface Sent {
  readonly key: string
  readonly world: string
}

interface Progress {
  readonly action: Action
  /** Statuses at the start of the operation. */
  readonly atStart: Statuses
  /** Statuses at the last question. */
  atQuestion: Statuses | undefined
  /** True if the person answered no. */
  isDeclined: boolean
  /** Payments that were in doubt when the process decided to send them: since then, nobody decides about them again. */
  decided: readonly string[] | undefined
  /** Payments that were in doubt at the start, and were refused since. */
  readonly refused: Set<string>
  /** Payments of `decided` that were refused since. */
  readonly withdrawn: Set<string>
  /** Payments whose doubt began during the last question, until the process reads the history. */
  unread: ReadonlySet<string>
}

export class Agreements {
  readonly #journals: Journals
  readonly #running = new Map<Action, Progress>()
  /** Descriptions of the rows of each batch, in the file that was paid last. */
  readonly #files = new Map<string, readonly string[]>()

  constructor(journals: Journals) {
    this.#journals = journals
  }

  begins(action: Action): void {
    const { caller } = action
    if (action.do === 'batch' && !action.unnamed && !action.rehearse)
      this.#files.set(`${places[caller].profile} ${action.batch}`, action.rows.map(descriptionOf))
    this.#running.set(action, {
      ...{ action, atStart: this.#statuses(action), atQuestion: undefined, isDeclined: false, decided: undefined },
      ...{ refused: new Set(), withdrawn: new Set(), unread: new Set() },
    })
  }

  /** Called when an operation has ended: checks what the other processes of its journal must learn from the journal. */
  ended(action: Action): void {
    this.#running.delete(action)
    const { journal, user } = places[action.caller]
    for (const other of this.#running.values()) {
      const place = places[other.action.caller]
      if (place.journal === journal && place.user === user) this.#notice(other)
    }
  }

  #notice({ action, atStart, decided, refused, withdrawn }: Progress): void {
    for (const [name, status] of this.#statuses(action)) {
      if (status !== 'rejected' || !isInDoubt(atStart.get(name))) continue
      refused.add(name)
      if (decided?.includes(name)) withdrawn.add(name)
    }
  }

  /** Called before a person answers a question. */
  asks(action: Action): void {
    const progress = this.#running.get(action)
    if (!progress) return
    progress.atQuestion = this.#statuses(action)
    if (decidesAtQuestion.has(action.do)) this.#decide(progress)
  }

  /** Called with the answer to a question. */
  replies(action: Action, isYes: boolean): void {
    const progress = this.#running.get(action)
    if (!progress?.atQuestion) return
    const { atQuestion } = progress
    const now = [...this.#statuses(action)].filter(([, status]) => isInDoubt(status))
    progress.unread = new Set(now.map(([name]) => name).filter((name) => !isInDoubt(atQuestion.get(name))))
    // The answer to `resume` concerns only payments with old keys.
    if (!isYes && action.do !== 'resume') progress.isDeclined = true
  }

  /** Called when a process reads the history. */
  readsHistory(action: Action): void {
    const progress = this.#running.get(action)
    if (!progress) return
    progress.unread = new Set()
    if (!decidesAtQuestion.has(action.do) && !progress.decided) this.#decide(progress)
  }

  #decide(progress: Progress): void {
    const now = this.#statuses(progress.action)
    progress.decided = [...progress.atStart]
      .filter(([name, status]) => isInDoubt(status) && isInDoubt(now.get(name)))
      .map(([name]) => name)
  }

  /** Status of a payment at the start of an operation. */
  startOf(action: Action, { world, key }: Sent): IntentRow['status'] | undefined {
    return this.#running.get(action)?.atStart.get(`${world} ${key}`)
  }

  /** True if a payment was in doubt at the start of an operation, and was refused since. */
  wasRefused(action: Action, { world, key }: Sent): boolean {
    return this.#running.get(action)?.refused.has(`${world} ${key}`) === true
  }

  /** Called before a payment is sent. `what`: text for people. */
  sends(action: Action, what: string, { world, key }: Sent): void {
    const { isDeclined, withdrawn, unread } = this.#running.get(action) ?? {}
    const name = `${world} ${key}`
    if (isDeclined) broken('only what was agreed to', `${what} is sent after a no`)
    if (withdrawn?.has(name)) {
      broken(
        'only what was agreed to',
        `${what} was in doubt, was refused in the meantime, and is sent as a new payment`,
      )
    }
    if (unread?.has(name)) {
      broken(
        'the history before a repetition',
        `${what} was sent by another process during the question, and is sent again`,
      )
    }
    if (action.do === 'resume batch') this.#checkWhole(action.batch, action, world)
  }

  /** Checks that a batch is resumed only if the journal has all rows of its file. */
  #checkWhole(batch: string, action: Action, world: string): void {
    const place = places[action.caller]
    const rows = this.#files.get(`${place.profile} ${batch}`)
    if (!rows) return
    const intents = unseen(() => this.#journals.intents(place)).filter((intent) => intent.world === world)
    const recorded = new Set(intents.map(({ body }) => JSON.parse(body).description))
    const missing = rows.filter((row) => !recorded.has(row))
    if (missing.length > 0)
      broken('a batch is whole', `${batch} is resumed, and the journal lacks ${missing.length} rows`)
  }

  #statuses({ caller }: Action): Statuses {
    const intents = unseen(() => this.#journals.intents(places[caller]))
    return new Map(intents.map(({ world, idempotency_key: key, status }) => [`${world} ${key}`, status]))
  }
}

/**
 * Operations that list the payments to send when they ask; other operations have decided what to repeat when they read
 * the history.
 */
const decidesAtQuestion = new Set<Action['do']>(['batch', 'retry batch'])

export const isInDoubt = (status: IntentRow['status'] | undefined): boolean => status === 'sent' || status === 'unknown'
