import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Attempt } from '../../src/journal/attempts.ts'
import { type Journal, openJournal } from '../../src/journal/journal.ts'
import { Guard } from '../../src/limits/guard.ts'
import { dayOf } from '../../src/limits/limits.ts'
import { changeLimits } from '../../src/limits/limits_file.ts'
import { LimitError } from '../../src/limits/refusals.ts'

// Generated sequences of payments under limits, on real files, judged by a model that only adds up the sent amounts.

const source = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const service = 'https://api.example.com'
const payees = ['CR05015202001026284066', 'CR73015100100000000001', 'CR97015200100000000001']

/** Folder in memory if the system has one, because every step forces several writes to disk. */
const quick = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/**
 * Limits: maximum for one payment, for a day and for a payee in a day, in minor units. `readOnly`: all payments are
 * forbidden. `payees`: the allowed payees; undefined: all.
 */
interface Most {
  readonly payment: number
  readonly day: number
  readonly payeeDay: number
  readonly readOnly: boolean
  readonly payees: readonly string[] | undefined
}

const atFirst: Most = { payment: 60, day: 150, payeeDay: 90, readOnly: false, payees: undefined }

/** End of a request. `crash`: its process is killed before it knows the end. */
type End = 'settled' | 'rejected' | 'unknown' | 'unsent' | 'crash'

interface Payment {
  readonly amount: number
  readonly payee: number
  readonly end: End
}

/** A step. `by`: one of three processes; `which`: one of the payments or batches so far. */
type Step =
  | ({ readonly kind: 'pay'; readonly by: number } & Payment)
  /** A request for a new payment, or for an earlier payment; a later step answers it. */
  | { readonly kind: 'leave'; readonly which: number; readonly by: number; readonly payment: Payment | undefined }
  | { readonly kind: 'answer'; readonly which: number; readonly end: End }
  | { readonly kind: 'repeat'; readonly which: number; readonly end: End; readonly by: number }
  /** A batch: the first `leaving` rows are sent, then the process is killed. */
  | { readonly kind: 'batch'; readonly rows: readonly Payment[]; readonly leaving: number; readonly by: number }
  | { readonly kind: 'resume'; readonly which: number; readonly end: End; readonly by: number }
  | { readonly kind: 'clock'; readonly hours: number }
  | { readonly kind: 'limits'; readonly most: Most }

const [by, which] = [fc.nat({ max: 2 }), fc.nat({ max: 30 })]
const end = fc.constantFrom<End>('settled', 'settled', 'settled', 'rejected', 'unknown', 'unsent', 'crash')
const payment = { amount: fc.integer({ min: 1, max: 80 }), payee: fc.nat({ max: payees.length - 1 }), end }
const kind = <const K extends string>(name: K) => fc.constant(name)

const most: fc.Arbitrary<Most> = fc.record({
  payment: fc.constantFrom(20, 60, 80),
  day: fc.constantFrom(50, 150, 250),
  payeeDay: fc.constantFrom(30, 90, 200),
  readOnly: fc.constantFrom(false, false, false, true),
  payees: fc.constantFrom(undefined, undefined, payees.slice(0, 2)),
})

const rows = fc.array(fc.record({ ...payment, amount: fc.integer({ min: 1, max: 40 }) }), {
  minLength: 1,
  maxLength: 6,
})

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: kind('pay'), by, ...payment }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: kind('leave'),
        which,
        by,
        payment: fc.option(fc.record(payment), { nil: undefined }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: kind('answer'), which, end }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('repeat'), which, end, by }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('batch'), rows, leaving: fc.nat({ max: 6 }), by }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('resume'), which, end, by }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('clock'), hours: fc.integer({ min: -40, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('limits'), most }) },
  ),
  { minLength: 5, maxLength: 40 },
)

/** A requested payment. */
interface Asked {
  readonly key: string
  readonly amount: number
  readonly payee: string
  readonly batch?: string
  /** Day of the latest request that was sent while no other request for the payment was open or had moved money. */
  day: string
  /** The loosest limits since that request. */
  most: Most
  /** Number of requests without an answer so far. */
  open: number
  /** True if the payment moved money, or may have moved it. */
  hasMoved: boolean
}

/** A request on its way. */
interface Open {
  readonly one: Asked
  readonly by: number
  readonly attempt: Attempt | undefined
}

/**
 * Runs a sequence with three processes' journals and guards over the same files. Returns the first payment that was
 * sent although limits forbade it, if any. `setClock` takes milliseconds.
 */
export async function run(sequence: readonly Step[], setClock: (at: number) => void): Promise<string | undefined> {
  const home = mkdtempSync(join(quick, 'payctl-limits-'))
  const journals = [0, 1, 2].map(() => openJournal(home))
  const machine = new Machine(home, journals, setClock)
  try {
    await machine.start()
    for (const step of sequence) await machine.take(step)
    return machine.violation
  } finally {
    for (const journal of journals) journal.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** The limited profile, and other profiles of the same service, which a flag can choose. */
const payers = ['prod', 'other', 'default'].map((profile) => ({
  ...{ profile, base_url: service, user: 'maria', world: null },
}))

type Process = { readonly journal: Journal; readonly guard: Guard; readonly payer: (typeof payers)[number] }

class Machine {
  violation: string | undefined
  readonly #home: string
  readonly #journals: readonly Journal[]
  readonly #setClock: (at: number) => void
  readonly #processes: Process[] = []
  readonly #asked: Asked[] = []
  readonly #open: Open[] = []
  #most = atFirst
  #now = Date.parse('2026-11-22T18:00:00Z')

  constructor(home: string, journals: readonly Journal[], setClock: (at: number) => void) {
    this.#home = home
    this.#journals = journals
    this.#setClock = setClock
  }

  async start(): Promise<void> {
    this.#setClock(this.#now)
    await this.#limit(atFirst)
    const client = { call: async () => ({ balance: { currency: 'CRC' } }) } as never
    for (const [at, journal] of this.#journals.entries()) {
      const payer = payers[at]
      if (!payer) throw new Error('Three of each')
      const guard = new Guard(this.#home, payer)
      await guard.learn([source], client)
      journal.guard(guard)
      this.#processes.push({ journal, guard, payer })
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'clock':
        this.#now += step.hours * 3_600_000
        return this.#setClock(this.#now)
      case 'limits':
        return await this.#limit(step.most)
      case 'pay':
        return this.#pay(this.#ask(step), step.end, step.by)
      case 'repeat': {
        const known = this.#pick(step.which)
        return known && this.#pay(known, step.end, step.by)
      }
      case 'leave': {
        const one = step.payment ? this.#ask(step.payment) : this.#pick(step.which)
        const open = one && this.#leave(one, step.by)
        if (open) this.#open.push(open)
        return
      }
      case 'answer': {
        const [open] = this.#open.splice(step.which % Math.max(1, this.#open.length), 1)
        return open && this.#end(open, step.end)
      }
      case 'batch':
        return this.#batch(step.rows, step)
      case 'resume':
        return this.#resume(step)
    }
  }

  #process = (by: number): Process => this.#processes[by] as Process

  #pick = (which: number): Asked | undefined => this.#asked[which % Math.max(1, this.#asked.length)]

  #ask({ amount, payee }: Pick<Payment, 'amount' | 'payee'>, batch?: string): Asked {
    const key = `k${this.#asked.length}`
    const facts = { key, amount, payee: payees[payee] ?? '', ...(batch !== undefined && { batch }) }
    const one = { ...facts, day: '', most: this.#most, open: 0, hasMoved: false }
    this.#asked.push(one)
    return one
  }

  #draft({ key, amount, payee, batch }: Asked, by: number) {
    const body = { source_account_id: source, amount, recipient_iban: payee }
    const row = batch === undefined ? {} : { batch, line: 1, reference: null }
    return { ...this.#process(by).payer, idempotency_key: key, body, ...row }
  }

  #writeDown = (rows: readonly Asked[], by: number): void =>
    this.#process(by).journal.prepareAll(rows.map((row) => this.#draft(row, by)))

  /** Does `work`; returns false if limits forbid it. */
  #within(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      if (error instanceof LimitError) return false
      throw error
    }
  }

  #pay(one: Asked, how: End, by: number): void {
    const open = this.#leave(one, by)
    if (open) this.#end(open, how)
  }

  /** Sends a request for a payment, if limits allow it. */
  #leave(one: Asked, by: number): Open | undefined {
    const { journal, payer } = this.#process(by)
    let open: Open | undefined
    this.#within(() => {
      this.#writeDown([one], by)
      const intent = journal.withKey(payer, one.key)
      if (!intent || intent.status === 'settled') return
      open = this.#opened(one, by, journal.markSent(intent.id))
    })
    return open
  }

  #opened(one: Asked, by: number, attempt: Attempt | undefined): Open {
    if (one.open === 0 && !one.hasMoved) Object.assign(one, { day: dayOf(this.#clock), most: this.#most })
    one.open += 1
    return { one, by, attempt }
  }

  #batch(payments: readonly Payment[], { leaving, by }: { readonly leaving: number; readonly by: number }): void {
    const batch = `b${this.#asked.length}`
    const rows = payments.map((row) => this.#ask(row, batch))
    if (!this.#isAllowed(rows, by) || !this.#within(() => this.#writeDown(rows, by))) return
    for (const [at, row] of this.#leaveTogether(rows.slice(0, leaving), by).entries()) {
      this.#end(row, payments[at]?.end ?? 'crash')
    }
  }

  /** Sends the rows of a batch that were not sent. */
  #resume({ which, end: how, by }: Extract<Step, { kind: 'resume' }>): void {
    const batches = [...new Set(this.#asked.flatMap(({ batch }) => batch ?? []))]
    const batch = batches[which % Math.max(1, batches.length)]
    const { journal, payer } = this.#process(by)
    const rows = this.#asked.filter(
      (row) => row.batch === batch && batch && journal.withKey(payer, row.key)?.status === 'prepared',
    )
    if (!this.#isAllowed(rows, by)) return
    for (const row of this.#leaveTogether(rows, by)) this.#end(row, how)
  }

  /** Checks a batch before its first row is sent. True if limits allow all rows. */
  #isAllowed(rows: readonly Asked[], by: number): boolean {
    const { guard, journal } = this.#process(by)
    const drafts = rows.map((row) => this.#draft(row, by))
    return [...guard.refused(drafts, journal.counted)].length === 0
  }

  /**
   * Marks rows as sent in one transaction, then begins an attempt for each row. Marks no row if limits forbid one of
   * the rows.
   */
  #leaveTogether(rows: readonly Asked[], by: number): readonly Open[] {
    const { journal, payer } = this.#process(by)
    const intents = rows.flatMap(({ key }) => journal.withKey(payer, key) ?? [])
    if (!this.#within(() => journal.markSentInGroup(intents))) return []
    const attempts = new Map(intents.map(({ id }) => [id, journal.markSent(id)]))
    return rows.map((row) => this.#opened(row, by, attempts.get(journal.withKey(payer, row.key)?.id ?? '')))
  }

  #end({ one, by, attempt }: Open, how: End): void {
    const { journal, payer } = this.#process(by)
    const id = journal.withKey(payer, one.key)?.id ?? ''
    if (how === 'settled') journal.markSettled(id, { id: `p-${one.key}`, status: 'pending' })
    if (attempt && how === 'rejected') journal.markRejected(attempt, 'no')
    if (attempt && how === 'unknown') journal.markLost(attempt, 'lost')
    if (attempt && how === 'unsent') journal.markUnsent(attempt, 'no network')
    one.open -= 1
    if (one.hasMoved || how === 'rejected' || how === 'unsent') return
    one.hasMoved = true
    this.#check(one)
  }

  /** Adds up all amounts that may have moved, and checks them against the limits under which this payment was sent. */
  #check(one: Asked): void {
    const today = this.#asked.filter(({ hasMoved, day }) => hasMoved && day === one.day)
    const sum = (rows: readonly Asked[]) => rows.reduce((total, { amount }) => total + amount, 0)
    const { payment, day, payeeDay, readOnly, payees: allowed } = one.most
    const faults = [
      one.amount > payment && `one payment of ${one.amount}, and ${payment} are allowed`,
      sum(today) > day && `${sum(today)} in a day, and ${day} are allowed`,
      sum(today.filter(({ payee }) => payee === one.payee)) > payeeDay && `a payee got more than ${payeeDay}`,
      readOnly && 'a payment although only reading is allowed',
      allowed && !allowed.includes(one.payee) && `a payment to ${one.payee}, who is not allowed`,
    ]
    this.violation ??= faults.find((fault) => typeof fault === 'string')
  }

  /** Epoch milliseconds, never before the last counted payment: no day occurs twice if the clock is put back. */
  get #clock(): number {
    return Math.max(this.#now, Date.parse(this.#journals[0]?.counted.latest ?? '') || 0)
  }

  async #limit(to: Most): Promise<void> {
    const sums = { per_payment: { CRC: to.payment }, per_day: { CRC: to.day }, per_payee_day: { CRC: to.payeeDay } }
    const others = { ...(to.readOnly && { read_only: true }), ...(to.payees && { payees: to.payees }) }
    const limits = { profile: 'prod', services: [service], users: ['maria'], ...sums, ...others }
    const journal = this.#journals[0]?.counted.journalId
    await changeLimits(this.#home, () => ({ journal, profiles: [limits] }), new AbortController().signal)
    this.#most = to
    for (const one of this.#asked) if (one.open > 0) one.most = looser(one.most, to)
  }
}

const looser = (one: Most, other: Most): Most => ({
  payment: Math.max(one.payment, other.payment),
  day: Math.max(one.day, other.day),
  payeeDay: Math.max(one.payeeDay, other.payeeDay),
  readOnly: one.readOnly && other.readOnly,
  payees: one.payees && other.payees && [...one.payees, ...other.payees],
})
