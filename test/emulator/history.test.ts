import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkLedger } from '../../emulator/control/counts.ts'
import type { HistoryFilter } from '../../emulator/store/history.ts'
import { Worlds } from '../../emulator/worlds/worlds.ts'
import type { Channel, TransferType } from '../../src/contract/index.ts'
import { full } from '../support/full.ts'
import { madePayment } from './made_payment.ts'

const channel = fc.constantFrom<Channel>('pin', 'sinpe_movil')
const type = fc.constantFrom<TransferType>('debit', 'credit')
const document = fc.constantFrom('0101110001', '0202220002', '3101234567')
/** Leaves out each filter half of the time, so that most lists contain several kinds. */
const often = { freq: 2 }

/** A world with only these payments of its one user, oldest first. */
function worldWith(made: readonly { channel: Channel; type: TransferType; document: string }[]) {
  const worlds = new Worlds({ seed: 'demo', settle: 'manual' })
  const { current: world } = worlds
  const payments = made.map((kind, index) => madePayment(world, { ...kind, index }))
  world.database.write(() => {
    for (const payment of payments) world.store.payments.add(payment)
  })
  return { worlds, world, payments }
}

describe('any page of any filter', () => {
  test('is what filtering, reversing and slicing all payments gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ channel, type, document }), { maxLength: 60, size: 'max' }),
        fc.array(
          fc.record({
            filter: fc.record({
              channel: fc.option(channel, often),
              transfer_type: fc.option(type, often),
              recipient_document_number: fc.option(document, often),
            }),
            limit: fc.integer({ min: 1, max: 20 }),
            offset: fc.integer({ min: 0, max: 70 }),
          }),
          { minLength: 1, maxLength: 20, size: 'max' },
        ),
        async (made, pages) => {
          const { worlds, world, payments } = worldWith(made)
          try {
            for (const { filter, limit, offset } of pages) {
              const wanted = payments.filter((payment) => matches(payment, filter)).reverse()
              const { items, total } = world.store.payments.history(1, filter, { limit, offset })
              expect(total).toBe(wanted.length)
              expect(items.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit).map(({ id }) => id))
            }
          } finally {
            await worlds.close()
          }
        },
      ),
      { numRuns: full ? 60 : 8 },
    )
  })
})

test('a payment that was undone leaves no gap: the next one takes its place', async () => {
  const { worlds, world } = worldWith([])
  const { database, store } = world
  const [lost, kept] = [0, 1].map((index) =>
    madePayment(world, { channel: 'pin', type: 'debit', document: '1', index }),
  )
  try {
    expect(() =>
      database.write(() => {
        if (lost) store.payments.add(lost)
        throw new Error('no further')
      }),
    ).toThrow('no further')
    database.write(() => kept && store.payments.add(kept))
    expect(checkLedger(world).payments).toBe(1)
    for (const filter of [{}, { channel: 'pin' as const }, { recipient_document_number: '1' }]) {
      const { items, total } = store.payments.history(1, filter, { limit: 10, offset: 0 })
      expect({ filter, total, ids: items.map(({ id }) => id) }).toEqual({ filter, total: 1, ids: [kept?.id] })
    }
  } finally {
    await worlds.close()
  }
})

function matches(payment: ReturnType<typeof madePayment>, filter: HistoryFilter): boolean {
  return (
    (!filter.channel || payment.channel === filter.channel) &&
    (!filter.transfer_type || payment.transfer_type === filter.transfer_type) &&
    (!filter.recipient_document_number || payment.payee.document_number === filter.recipient_document_number)
  )
}
