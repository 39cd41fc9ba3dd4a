import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openJournal } from '../../src/journal/journal.ts'
import { Guard } from '../../src/limits/guard.ts'
import { dayOf } from '../../src/limits/limits.ts'
import { changeLimits } from '../../src/limits/limits_file.ts'
import { LimitError } from '../../src/limits/refusals.ts'

// Generated sequences of payments under limits, on real files, judged by a model that only adds up what left.

const source = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const service = 'https://api.example.com'
const payees = ['CR05015202001026284066', 'CR73015100100000000001', 'CR97015200100000000001']

/** In memory where the system has it: every step forces several writes to disk. */
const quick = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Most for one payment, for a day and for a payee of a day, in minor units. */
export const most = { payment: 60, day: 150, payeeDay: 90 } as const

/** What happens: a payment with its end, a repetition of one, or a clock that is set. */
type Step =
  | { readonly kind: 'pay'; readonly amount: number; readonly payee: number; readonly end: End; readonly by: number }
  | { readonly kind: 'repeat'; readonly which: number; readonly end: End; readonly by: number }
  | { readonly kind: 'clock'; readonly hours: number }
  | {
      readonly kind: 'crash'
      readonly amount: number
      readonly payee: number
      readonly sent: boolean
      readonly by: number
    }

type End = 'settled' | 'rejected' | 'unknown' | 'unsent'

const end = fc.constantFrom<End>('settled', 'settled', 'settled', 'rejected', 'unknown', 'unsent')
const amount = fc.integer({ min: 1, max: 80 })
const payee = fc.nat({ max: payees.length - 1 })
const by = fc.nat({ max: 2 })

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('pay' as const), amount, payee, end, by }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat({ max: 30 }), end, by }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('clock' as const), hours: fc.integer({ min: -40, max: 40 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), amount, payee, sent: fc.boolean(), by }) },
  ),
  { minLength: 5, maxLength: 40 },
)

interface Left {
  readonly key: string
  readonly amount: number
  readonly payee: string
  /** The day on which its request left first. */
  day: string
  /** It moved money, or may have. */
  moved: boolean
}

/**
 * Runs a sequence with three processes' worth of journals and guards over the same files, and returns what left. `setClock`
 * sets the machine's clock, in milliseconds.
 */
export async function run(sequence: readonly Step[], setClock: (at: number) => void): Promise<readonly Left[]> {
  const home = mkdtempSync(join(quick, 'payctl-limits-'))
  const journals = [0, 1, 2].map(() => openJournal(home))
  try {
    const sums = {
      per_payment: { CRC: most.payment },
      per_day: { CRC: most.day },
      per_payee_day: { CRC: most.payeeDay },
    }
    const limits = { profile: 'prod', services: [service], users: ['maria'], ...sums }
    const journalId = journals[0]?.counted.journalId
    await changeLimits(home, () => ({ journal: journalId, profiles: [limits] }), new AbortController().signal)
    return await inOrder(sequence, { home, journals, setClock })
  } finally {
    for (const journal of journals) journal.close()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Machine {
  readonly home: string
  readonly journals: readonly ReturnType<typeof openJournal>[]
  readonly setClock: (at: number) => void
}

async function inOrder(sequence: readonly Step[], { home, journals, setClock }: Machine): Promise<readonly Left[]> {
  // The profile, or another one and a flag that lead to the same service.
  const payers = ['prod', 'other', 'default'].map((profile) => ({
    profile,
    base_url: service,
    user: 'maria',
    world: null,
  }))
  const client = { call: async () => ({ balance: { currency: 'CRC' } }) } as never
  for (const [at, journal] of journals.entries()) {
    const payer = payers[at]
    if (!payer) throw new Error('Three of each')
    const guard = new Guard(home, payer)
    await guard.learn([source], client)
    journal.guard(guard)
  }
  const left: Left[] = []
  let now = Date.parse('2026-11-22T18:00:00Z')
  setClock(now)
  /** Put back, the clock gives no day a second time: it is never before the last payment that was counted. */
  const clock = () => Math.max(now, Date.parse(journals[0]?.counted.latest ?? '') || 0)
  /** Whether it was let through. */
  const send = (by: number, key: string, body: object, how: End | 'crash before' | 'crash after'): boolean => {
    const [journal, payer] = [journals[by], payers[by]]
    if (!journal || !payer) throw new Error('Three of each')
    try {
      const intent = journal.prepare({ ...payer, idempotency_key: key, body: body as never })
      if (intent.status === 'settled' || how === 'crash before') return false
      journal.markSent(intent.id)
      if (how === 'settled') journal.markSettled(intent.id, { id: `p-${key}`, status: 'pending' })
      if (how === 'rejected') journal.markRejected(intent.id, 'no')
      if (how === 'unknown') journal.markUnknown(intent.id, 'lost')
      if (how === 'unsent') journal.markUnsent(intent.id, 'no network')
      return true
    } catch (error) {
      if (error instanceof LimitError) return false
      throw error
    }
  }
  for (const [number, step] of sequence.entries()) {
    if (step.kind === 'clock') {
      now += step.hours * 3_600_000
      setClock(now)
      continue
    }
    const known = step.kind === 'repeat' ? left[step.which % Math.max(1, left.length)] : undefined
    if (step.kind === 'repeat' && !known) continue
    const one: Left =
      known ??
      ({
        key: `k${number}`,
        amount: 'amount' in step ? step.amount : 0,
        payee: payees['payee' in step ? step.payee : 0] ?? '',
        day: '',
        moved: false,
      } satisfies Left)
    const body = { source_account_id: source, amount: one.amount, recipient_iban: one.payee }
    const how = step.kind === 'crash' ? (step.sent ? 'crash after' : 'crash before') : step.end
    const at = clock()
    const isSent = send(step.by, one.key, body, how)
    if (isSent) {
      const moves = how === 'settled' || how === 'unknown' || how === 'crash after'
      // A request that may have paid counts for the day on which it left first.
      if (moves && !one.moved) Object.assign(one, { moved: true, day: dayOf(at) })
    }
    if (!known) left.push(one)
  }
  return left
}
