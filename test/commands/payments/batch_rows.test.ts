import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { worstOf } from '../../../src/commands/payments/report_result.ts'
import type { SendPaymentBody } from '../../../src/contract/index.ts'
import { StagedRows } from '../../../src/journal/staged_rows.ts'
import { batchNameOf } from '../../../src/payments/earlier_runs.ts'
import { inParallel } from '../../../src/run/in_parallel.ts'
import { readSheet } from '../../../src/sheets/read_sheet.ts'

/** Few different values, so that many rows are equal. */
const body: fc.Arbitrary<SendPaymentBody> = fc.record(
  {
    source_account_id: fc.constantFrom('a', 'b'),
    amount: fc.integer({ min: 1, max: 3 }),
    recipient_phone: fc.constantFrom('88881234', '88881235'),
    description: fc.constantFrom('Payment of today', 'Payment of tomorrow'),
  },
  { requiredKeys: ['source_account_id', 'amount', 'recipient_phone'] },
)

const bodies = fc.array(body, { maxLength: 30 })

function batchOf(rows: readonly SendPaymentBody[], scope?: string): { keys: string[]; name: string } {
  const staged = new StagedRows(scope)
  try {
    for (const [at, row] of rows.entries()) staged.add({ line: at + 2, body: row, reference: null, columns: null })
    return { keys: [...staged.rows()].map((row) => row.idempotency_key), name: batchNameOf(staged) }
  } finally {
    staged.close()
  }
}

describe('the keys of rows', () => {
  test('are all different, and the same for the same rows in any order', () => {
    fc.assert(
      fc.property(
        bodies.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
        ([rows, shuffled]) => {
          const [one, other] = [batchOf(rows), batchOf(shuffled)]
          expect(new Set(one.keys).size).toBe(rows.length)
          expect([...one.keys].sort()).toEqual([...other.keys].sort())
          expect(one.name).toBe(other.name)
        },
      ),
    )
  })

  test('of rows that stay are not changed by rows that come, go or are edited', () => {
    fc.assert(
      fc.property(bodies, bodies, (stay, come) => {
        const before = batchOf(stay).keys
        const after = new Set(batchOf([...come, ...stay]).keys)
        expect(before.filter((key) => !after.has(key))).toEqual([])
      }),
    )
  })

  test('are others under another name, and fit what the service takes', () => {
    fc.assert(
      fc.property(bodies, fc.string({ minLength: 1 }), (rows, scope) => {
        const [one, other] = [batchOf(rows).keys, batchOf(rows, scope).keys]
        expect(one.filter((key) => other.includes(key))).toEqual([])
        for (const key of one) expect(key).toMatch(/^batch-[0-9a-f]{64}$/)
      }),
    )
  })

  test('are what they were in the first release: a change would pay rows twice', () => {
    const row = { source_account_id: 'a', amount: 1, recipient_phone: '88881234' }

    expect(batchOf([row, row]).keys).toMatchInlineSnapshot(`
      [
        "batch-60b9f8c26360b79eb2948de823f244ab51c6873d86e81712453a88d8efc1adce",
        "batch-6705e30614fc0003de05e2e66c986d05e81fcda531b3ce2ba0563fd157ede078",
      ]
    `)
    expect(batchOf([row], '2026-11').keys).toMatchInlineSnapshot(`
      [
        "batch-94580b2a72142a05b7380ce760d806bbe3fdd741840df72d0e8425fc9b0121a4",
      ]
    `)
  })

  test('do not depend on the reference', () => {
    const staged = new StagedRows()
    onTestFinished(() => staged.close())
    const row = { source_account_id: 'a', amount: 1, recipient_phone: '88881234' }
    staged.add({ line: 2, body: row, reference: 'one', columns: null })

    expect([...staged.rows()].map((staged) => staged.idempotency_key)).toEqual(batchOf([row]).keys)
  })
})

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (let piece = 0; from < bytes.length; piece++) {
    const size = Math.max(1, sizes[piece % Math.max(sizes.length, 1)] ?? bytes.length)
    yield bytes.subarray(from, from + size)
    from += size
  }
}

const cell = fc.string({ unit: fc.constantFrom('a', 'ñ', '₡', '😀', ',', ';', '"', '\n', ' x') })
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

test('a file says the same in whatever pieces it is read, with its lines counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, fc.constant('z')), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (rows, sizes, end) => {
        const text = ['h,i,j', ...rows.map((row) => row.map(quoted).join(','))].join('\n').replaceAll('\n', end)
        const read = []
        const { header, rows: records } = await readSheet(inPieces(Buffer.from(text), sizes), { isStrict: true })
        if (header) read.push({ cells: header.cells, line: header.line })
        for await (const { cells, line } of records) read.push({ cells, line })
        let line = 2
        const expected = rows.map((row) => {
          const at = line
          line += 1 + row.join('').split('\n').length - 1
          return { cells: row, line: at }
        })
        expect(read).toEqual([{ cells: ['h', 'i', 'j'], line: 1 }, ...expected])
      },
    ),
  )
})

describe('the worst end', () => {
  test.each([
    [['done', 'rejected', 'outcome_unknown', 'interrupted'], 'outcome_unknown'],
    [['payment_unsuccessful', 'interrupted', 'rejected'], 'interrupted'],
    [['payment_unsuccessful', 'unauthenticated'], 'unauthenticated'],
    [['rejected', 'unavailable'], 'unavailable'],
    [['payment_in_progress', 'rejected', 'payment_unsuccessful'], 'payment_unsuccessful'],
    [['payment_in_progress', 'rejected'], 'rejected'],
    [['payment_in_progress', 'done'], 'payment_in_progress'],
    [[], 'done'],
  ] as const)('of %j is %s', (ends, worst) => {
    expect(worstOf(ends)).toBe(worst)
  })
})

describe('working concurrently', () => {
  test('never has more under way than allowed, and reports each once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.nat(40), async (limit, count) => {
        let [running, most] = [0, 0]
        const all = Array.from({ length: count }, (_, at) => at)
        const items = [...all]
        const work = async (item: number) => {
          most = Math.max(most, ++running)
          for (let turns = item % 5; turns > 0; turns--) await Promise.resolve()
          running -= 1
          return item
        }
        const results = []
        for await (const result of inParallel(items.values(), limit, work)) results.push(result)
        expect(results.sort((a, b) => a - b)).toEqual(all)
        expect(most).toBeLessThanOrEqual(limit)
      }),
    )
  })
})
