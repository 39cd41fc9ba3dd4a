import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { RequestGate } from '../../src/client/retry.ts'
import { UsageError } from '../../src/errors/cli_error.ts'
import { ApiError } from '../../src/errors/service_errors.ts'
import { type LookupRow, lookUpMany } from '../../src/lookups/lookups.ts'

interface Setting {
  readonly find?: (value: string) => Promise<LookupRow>
  readonly concurrency?: number
  readonly signal?: AbortSignal
}

function rowsOf(values: AsyncIterable<string>, { find, concurrency = 3, signal }: Setting) {
  const ending = signal ?? new AbortController().signal
  const normalize = (text: string): string => {
    if (text === 'wrong') throw new UsageError('It is wrong.')
    return text.trim()
  }
  const found = async (iban: string): Promise<LookupRow> => ({ iban, status: 'active' })
  return lookUpMany(values, () => ({ key: 'iban', normalize, find: find ?? found }), {
    client: {} as Client,
    gate: new RequestGate(ending),
    concurrency,
    signal: ending,
  })
}

async function* given(...values: string[]): AsyncGenerator<string> {
  yield* values
}

async function collect(rows: AsyncIterable<LookupRow>) {
  const found: string[] = []
  let failure: unknown
  try {
    for await (const { iban, status } of rows) found.push(`${iban} ${status}`)
  } catch (error) {
    failure = error
  }
  return { found, failure }
}

const missing = () =>
  new ApiError({
    status: 404,
    message: 'Nobody.',
    errors: {},
    requestId: undefined,
    retryable: false,
    fromService: true,
  })

describe('lookUpMany', () => {
  it('gives a row for each value in order, whatever is answered first', async () => {
    const later = Promise.withResolvers<void>()
    const find = async (iban: string): Promise<LookupRow> => {
      if (iban === 'a') await later.promise
      if (iban === 'b') {
        later.resolve()
        throw missing()
      }
      return { iban, status: 'active' }
    }
    const { found, failure } = await collect(rowsOf(given('a', 'b', 'wrong', ' c '), { find }))
    expect([found, failure]).toEqual([['a active', 'b not_found', 'wrong invalid', 'c active'], undefined])
  })

  it('asks once for a value that comes again, and no more at a time than it may', async () => {
    let asked = 0
    let underWay = 0
    let most = 0
    const find = async (iban: string): Promise<LookupRow> => {
      asked += 1
      underWay += 1
      most = Math.max(most, underWay)
      await turn()
      underWay -= 1
      return { iban, status: 'active' }
    }
    const { found } = await collect(rowsOf(given(...'abcaabcdefgh'), { find }))
    expect([found.length, asked, most]).toEqual([12, 8, 3])
  })

  it('begins no more than `concurrency` values before the first of them is taken', async () => {
    let begun = 0
    const find = async (iban: string): Promise<LookupRow> => {
      begun += 1
      return { iban, status: 'active' }
    }
    const rows = rowsOf(given(...'abcdefghijkl'), { find })
    await rows.next()
    await turn()
    expect(begun).toBeLessThanOrEqual(4)
    await rows.return()
  })

  it('ends with the first failure, after the rows before it', async () => {
    const broken = new Error('broken')
    const failed = Promise.withResolvers<void>()
    const find = async (iban: string): Promise<LookupRow> => {
      if (iban === 'c') {
        failed.resolve()
        throw broken
      }
      if (iban === 'b') await failed.promise
      return { iban, status: 'active' }
    }
    expect(await collect(rowsOf(given(...'abcdef'), { find }))).toEqual({
      found: ['a active', 'b active'],
      failure: broken,
    })
  })

  it('ends at once when the signal aborts while a value is awaited', async () => {
    const stop = new AbortController()
    const never = async function* () {
      yield 'a'
      setImmediate(() => stop.abort(new Error('stopped')))
      await new Promise(() => {})
    }
    const { found, failure } = await collect(rowsOf(never(), { signal: stop.signal }))
    expect([found, failure]).toEqual([['a active'], new Error('stopped')])
  })
})
