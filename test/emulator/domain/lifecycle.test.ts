import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { capture, type Entry, hold, release } from '../../../emulator/domain/entries.ts'
import { initiate } from '../../../emulator/domain/initiate.ts'
import { advance } from '../../../emulator/domain/lifecycle.ts'
import type { Payment, Step } from '../../../emulator/domain/payment.ts'
import { Outcome, type PaymentStatus, terminalStatuses } from '../../../src/contract/index.ts'
import { circumstances, now, orderTo } from './orders.ts'

const initiated = (outcome: Payment['outcome'], more: Parameters<typeof circumstances>[0] = {}): Payment =>
  initiate(orderTo(outcome), circumstances(more)).payment

/** Source: docs/decisions/emulator.md, row 3. */
const allowed: Readonly<Partial<Record<PaymentStatus, readonly PaymentStatus[]>>> = {
  pending: ['processing', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'],
  processing: ['completed', 'failed', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'],
}

const life = fc.record({
  outcome: fc.constantFrom(...Outcome.enum),
  settleMs: fc.integer({ min: 0, max: 100_000 }),
  lateness: fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 2, maxLength: 2 }),
})

/** Every state of a payment whose runner takes each step when the step is due or later. */
function live({ outcome, settleMs, lateness }: { outcome: Payment['outcome']; settleMs: number; lateness: number[] }) {
  const steps: { at: number; step: Step }[] = []
  let payment = initiated(outcome, { settleMs })
  const states = [payment]
  for (const late of lateness) {
    if (payment.due_at === null) break
    const at = Math.max(payment.due_at + late, steps.at(-1)?.at ?? now)
    const step = advance(payment, at)
    steps.push({ at, step })
    payment = step.payment
    states.push(payment)
  }
  return { states, steps, last: payment }
}

describe('a payment’s life', () => {
  test('goes only from pending to processing to an end, or ends early', () => {
    fc.assert(
      fc.property(life, (chosen) => {
        const { states } = live(chosen)
        expect(states[0]?.status).toBe('pending')
        states.slice(1).forEach(({ status }, at) => {
          expect(allowed[states[at]?.status ?? 'completed'] ?? []).toContain(status)
        })
      }),
    )
  })

  test('ends as its recipient has it, within two steps, and then has no step due', () => {
    fc.assert(
      fc.property(life, (chosen) => {
        const { last } = live(chosen)
        expect(last.status).toBe(['slow', 'fee_unknown'].includes(chosen.outcome) ? 'completed' : chosen.outcome)
        expect(last.due_at).toBeNull()
      }),
    )
  })

  test('settles the held money once when it ends, and never before', () => {
    fc.assert(
      fc.property(life, (chosen) => {
        const { steps, last } = live(chosen)
        const settlements = steps.flatMap(({ step }) => step.movement ?? [])
        if (last.status === 'processing') expect(settlements).toEqual([])
        else expect(settlements).toEqual([last.status === 'completed' ? 'capture' : 'release'])
        expect(steps.slice(0, -1).every(({ step }) => step.movement === null)).toBe(true)
      }),
    )
  })

  test('keeps its times in order, and shows an error only when it did not complete', () => {
    fc.assert(
      fc.property(life, (chosen) => {
        const { last } = live(chosen)
        const times = [last.created_at, last.submitted_at, last.completed_at].filter((time) => time !== null)
        expect(times.toSorted((a, b) => a - b)).toEqual(times)
        expect(last.completed_at !== null).toBe(last.status === 'completed')
        expect(last.sinpe_reference !== null).toBe(last.status === 'completed')
        expect(last.error_message !== null).toBe(!['completed', 'processing'].includes(last.status))
      }),
    )
  })

  test('changes nothing but its state, references and times', () => {
    fc.assert(
      fc.property(life, (chosen) => {
        const { states, last } = live(chosen)
        const { status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at } = last
        const [first] = states
        const changed = { status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at }
        expect({ ...first, ...changed }).toEqual(last)
      }),
    )
  })

  test.each(terminalStatuses)('has no step from %s', (status) => {
    const ended: Payment = { ...initiated('completed'), status }

    expect(() => advance(ended, now)).toThrow('has no next step')
  })

  test('a slow payment is due ten times as late', () => {
    const usual = initiated('completed', { settleMs: 400 })
    const slow = initiated('slow', { settleMs: 400 })

    expect([usual.due_at, slow.due_at]).toEqual([now + 200, now + 2000])
    expect(advance(usual, now + 200).payment.due_at).toBe(now + 400)
    expect(advance(slow, now + 2000).payment.due_at).toBe(now + 4000)
  })

  test('with the rail offline it is over before it began', () => {
    const payment = initiated('completed', { railOnline: false })

    expect(payment).toMatchObject({
      status: 'service_unavailable',
      initial_status: 'service_unavailable',
      due_at: null,
    })
  })
})

describe('the entries of a payment', () => {
  const books = { available: 1, held: 2, destination: 3, fees: 4 }
  const sums = (entries: readonly Entry[]) => {
    const totals: Record<number, number> = {}
    for (const { account, amount } of entries) totals[account] = (totals[account] ?? 0) + amount
    return totals
  }
  const amounts = fc.record({
    amount: fc.integer({ min: 1, max: 500_000_000 }),
    fee: fc.integer({ min: 0, max: 10_000 }),
  })

  test('of every movement sum to zero, none of them zero', () => {
    fc.assert(
      fc.property(amounts, (money) => {
        const payment: Payment = { ...initiated('completed'), ...money }
        for (const entries of [hold(payment, books), release(payment, books), capture(payment, books)]) {
          expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
          expect(entries.map(({ amount }) => amount)).not.toContain(0)
        }
      }),
    )
  })

  test('a hold and its release leave all as it was; with its capture they move amount and fee', () => {
    fc.assert(
      fc.property(amounts, ({ amount, fee }) => {
        const payment: Payment = { ...initiated('completed'), amount, fee }
        expect(sums([...hold(payment, books), ...release(payment, books)])).toEqual({ 1: 0, 2: 0 })
        expect(sums([...hold(payment, books), ...capture(payment, books)])).toEqual({
          1: -(amount + fee),
          2: 0,
          3: amount,
          ...(fee > 0 && { 4: fee }),
        })
      }),
    )
  })
})
