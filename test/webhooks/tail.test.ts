import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/client/index.ts'
import { idempotencyHeader } from '../../src/contract/index.ts'
import { silent } from '../../src/run/reporter.ts'
import type { TailEvent } from '../../src/webhooks/event.ts'
import { type TailOptions, tail } from '../../src/webhooks/tail.ts'
import { crcAccount } from '../e2e/machine.ts'

/**
 * An emulator whose payments move with the clock, and the objects with which a program receives its events as
 * `tail` does.
 */
async function startWorld() {
  const looks: string[] = []
  const onRequest = ({ endpoint }: { readonly endpoint: string | null }) => {
    if (endpoint === 'payments.history') looks.push(endpoint)
  }
  const emulator = await startEmulator({ settle: 'manual', rateLimit: null, onRequest })
  onTestFinished(() => emulator.close())
  const { baseUrl, token } = emulator
  const client = createClient({ baseUrl, token, strict: true })
  onTestFinished(() => client.close())
  const stateDir = await mkdtemp(join(tmpdir(), 'payctl-tail-'))
  onTestFinished(() => rm(stateDir, { recursive: true }))

  async function startTail(options: Partial<TailOptions> = {}, mayPrint: Promise<void> = Promise.resolve()) {
    const stop = new AbortController()
    const remarks: string[] = []
    const events: TailEvent[] = []
    const result = tail(
      { recover: true, recoverInterval: 30_000, ...options },
      {
        baseUrl,
        client,
        clientUntil: async (signal) => createClient({ baseUrl, token, signal }),
        stateDir,
        signal: stop.signal,
        reporter: { ...silent, remark: (text) => remarks.push(String(text)) },
        print: async (queue, onPrinted) => {
          for await (const { event } of queue) {
            await mayPrint
            events.push(event)
            if (!onPrinted(event)) return
          }
        },
      },
    )
    await vi.waitFor(() => expect(remarks.join('\n')).toContain('Listening as'), 10_000)
    return { result, events, remarks, stop: () => stop.abort('SIGINT') }
  }

  return {
    stateDir,
    startTail,
    /** Resolves after `count` more reads of the history. */
    async looks(count: number) {
      const before = looks.length
      await vi.waitFor(() => expect(looks.length).toBeGreaterThanOrEqual(before + count), 10_000)
    },
    subscriptions: async () => (await client.call('webhooks.list')).data,
    /** Makes a payment; resolves with its id when it has ended and its events have been delivered. */
    pay: async (): Promise<string> => {
      const headers = { [idempotencyHeader]: crypto.randomUUID() }
      const body = { source_account_id: crcAccount(emulator), amount: 1000, recipient_phone: '87000001' }
      const { id } = await client.call('payments.create', { headers, body })
      await emulator.control.advanceClock(60_000)
      return id
    },
  }
}

describe('the webhooks engine without the command line', () => {
  it('hands events over until the limit, and leaves no subscription and no record', async () => {
    const { startTail, pay, subscriptions, stateDir } = await startWorld()
    const { result, events, remarks } = await startTail({ limit: 3 })
    expect(await subscriptions()).toHaveLength(1)
    const id = await pay()
    expect(await result).toEqual({ endedBy: 'enough', printed: 3 })
    expect(events.map(({ event, data }) => [event, (data as { id: string }).id])).toEqual([
      ['payment.created', id],
      ['payment.processing', id],
      ['payment.completed', id],
    ])
    expect(remarks).toEqual([expect.stringMatching(/^Listening as .+ \(http:\/\/127\.0\.0\.1:\d+, /)])
    expect(await subscriptions()).toEqual([])
    const files = await readdir(join(stateDir, 'webhooks'))
    expect(files.filter((name) => name.startsWith('tail-'))).toEqual([])
  })

  it('says what ended it, and finds what ended while nobody listened', async () => {
    const { startTail, pay, subscriptions } = await startWorld()
    const first = await startTail()
    first.stop()
    expect(await first.result).toEqual({ endedBy: 'interrupted', printed: 0 })
    const missed = await pay()
    const second = await startTail({ tailTimeout: 2_000, limit: 1 })
    expect(await second.result).toEqual({ endedBy: 'timeout', printed: 0 })
    expect(second.events).toMatchObject([{ recovered: true, event: 'payment.completed', data: { id: missed } }])
    const third = await startTail({ tailTimeout: 500 })
    expect([await third.result, third.events]).toEqual([{ endedBy: 'timeout', printed: 0 }, []])
    expect(await subscriptions()).toEqual([])
  })

  it('does not recover what has come and waits to be printed', async () => {
    const { startTail, pay, looks } = await startWorld()
    const { promise: mayPrint, resolve: print } = Promise.withResolvers<void>()
    const { result, events, stop } = await startTail({ recoverInterval: 300 }, mayPrint)
    const id = await pay()
    await looks(3)
    print()
    await vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(3), 10_000)
    stop()
    expect(await result).toEqual({ endedBy: 'interrupted', printed: 3 })
    expect(events.map(({ event, recovered, data }) => [event, recovered, (data as { id: string }).id])).toEqual([
      ['payment.created', false, id],
      ['payment.processing', false, id],
      ['payment.completed', false, id],
    ])
  })
})
