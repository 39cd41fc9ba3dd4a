import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { worldHeader } from '../../src/contract/index.ts'
import { type Allowance, guarded } from './allowance.ts'
import { aKey } from './fixture.ts'
import { type Answer, type Request, startProxy } from './mutants/mutating_proxy.ts'
import { remote } from './targets/remote.ts'
import { readWrites, WriteJournal } from './writes.ts'

/** A server that looks like a service with real money. `writes`: requests that it got, except reads and validations. */
async function service(change: (answer: Answer) => void = () => {}) {
  const emulator = await startEmulator({ settle: 'manual' })
  const writes: Request[] = []
  const proxy = await startProxy(new URL(emulator.baseUrl), {
    async answer(request, send) {
      if (request.method !== 'GET' && request.endpoint !== 'payments.validate') writes.push(request)
      const answer = await send(request)
      delete answer.headers[worldHeader.toLowerCase()]
      if (request.method !== 'GET') change(answer)
      return answer
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'payctl-allowance-'))
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await emulator.close()
    rmSync(folder, { recursive: true })
  })
  const [colones, dollars] = emulator.accounts()
  const file = join(folder, 'writes')
  const journal = new WriteJournal(file)
  const { token } = emulator
  const asA = async (allowance: Allowance | null) => {
    const { exchange } = await remote({
      baseUrl: proxy.url,
      token,
      payer: undefined,
      allowance,
      journal,
      oauth: null,
    }).start()
    const post = (url: string, body: object) =>
      exchange({
        method: 'POST',
        url,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Idempotency-Key': aKey() },
        payload: JSON.stringify(body),
      })
    return { post, pay: (body: object) => post('/api/payments', body) }
  }
  return { asA, writes, colones, dollars, written: () => readWrites(file) }
}

describe('what a run may write at a service that is not an emulator', () => {
  test('is nothing, unless payments are allowed', async () => {
    const { asA, writes, colones, written } = await service()
    const { pay, post } = await asA(null)

    await expect(pay({ source_account_id: colones?.id, amount: 1, recipient_phone: '88880001' })).rejects.toThrow(
      '--allow-payments',
    )
    await expect(post('/api/accounts', { currency: 'CRC' })).rejects.toThrow('--allow-payments')
    await expect(post('/api/nothing', {})).rejects.toThrow('--allow-payments')

    expect(writes).toEqual([])
    expect(written()).toMatchObject({ payments: 0, accounts: 0 })
  })

  test('is what was allowed: from the one account, to the user’s own, and no more in all, however many at once', async () => {
    const { asA, writes, colones, dollars, written } = await service()
    const { pay, post } = await asA({ account: { id: colones?.id ?? '', currency: 'CRC' }, total: 250 })
    const { status, text } = await post('/api/accounts', { currency: 'CRC' })
    expect(status).toBe(201)
    const { iban } = JSON.parse(text).data
    const order = { source_account_id: colones?.id, amount: 100, recipient_iban: iban }

    await expect(pay({ ...order, source_account_id: dollars?.id })).rejects.toThrow('another account')
    await expect(pay({ ...order, recipient_iban: 'CR61010200100000000001' })).rejects.toThrow('somebody')
    const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => pay(order)))

    expect(attempts.filter((attempt) => attempt.status === 'fulfilled').length).toBe(2)
    await expect(pay({ ...order, amount: '51' })).rejects.toThrow('of 2.50 CRC in all 0.50 CRC are left')
    expect(writes.filter(({ endpoint }) => endpoint === 'payments.create').map(({ body }) => body)).toEqual([
      order,
      order,
    ])
    expect(written()).toEqual({
      payments: 2,
      asked: { CRC: 200 },
      accepted: 2,
      unanswered: 0,
      accounts: 1,
      subscriptions: 0,
    })
  })

  test('a request that is limited is sent again, and counts once', async () => {
    let limited = 2
    const { asA, writes, colones, written } = await service((answer) => {
      if (limited > 0) Object.assign(answer, { status: 429, headers: { 'retry-after': '0' } })
      limited -= 1
    })
    const { pay } = await asA({ account: { id: colones?.id ?? '', currency: 'CRC' }, total: 1 })

    expect((await pay({ source_account_id: colones?.id, amount: 1 })).status).toBe(422)

    expect(writes.length).toBe(3)
    expect(new Set(writes.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1)
    expect(written()).toMatchObject({ payments: 1, asked: { CRC: 1 }, accepted: 0, unanswered: 0 })
  })

  test('a payment without an answer is reported as such', async () => {
    const { colones, written } = await service()
    const folder = mkdtempSync(join(tmpdir(), 'payctl-allowance-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const journal = new WriteJournal(join(folder, 'writes'))
    const allowance = { account: { id: colones?.id ?? '', currency: 'CRC' }, total: 100 } as const
    const exchange = guarded(() => Promise.reject(new Error('reset')), { token: 'x', allowance, journal })
    const payload = JSON.stringify({ source_account_id: colones?.id, amount: 7 })

    await expect(exchange({ method: 'POST', url: '/api/payments', headers: {}, payload })).rejects.toThrow('reset')

    expect(readWrites(join(folder, 'writes'))).toMatchObject({ payments: 1, unanswered: 1, asked: { CRC: 7 } })
    expect(written().payments).toBe(0)
  })
})
