import { createRequire } from 'node:module'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type * as Clients from '../../src/index.ts'
import { createClient } from '../../src/index.ts'
import type * as Emulators from '../../src/testing/index.ts'
import { startEmulator } from '../../src/testing/index.ts'
import { serve } from '../support/server.ts'

const require = createRequire(import.meta.url)

interface Loaded {
  readonly createClient: typeof Clients.createClient
  readonly startEmulator: typeof Emulators.startEmulator
}

/** Everything that Vitest can fake, except `nextTick`, which it refuses in child processes, and `queueMicrotask`. */
const faked = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const),
  ...(['Date', 'performance', 'hrtime'] as const),
]

/** A fake `queueMicrotask` stops undici; only the bundle can prevent that. */
const faces: readonly (readonly [string, Loaded, readonly 'queueMicrotask'[]])[] = [
  ['the source', { createClient, startEmulator }, []],
  [
    'the bundle',
    { ...require('../../dist/lib/index.cjs'), ...require('../../dist/lib/emulator.cjs') },
    ['queueMicrotask'],
  ],
]

/** A receiver of webhooks that saves the events. */
async function receiver() {
  const received: string[] = []
  const url = await serve(async (request, response) => {
    const chunks = await request.toArray()
    received.push(JSON.parse(String(Buffer.concat(chunks))).event)
    response.end()
  })
  return { received, url }
}

describe.each(faces)('%s', (_face, { createClient, startEmulator }, more) => {
  const toFake = [...faked, ...more]

  it.each([
    ['as Vitest fakes them by itself', {}],
    ['all that can be faked', { toFake }],
    ['those of Node’s modules too', { toFake, fakeNodeBuiltins: true }],
  ])('a world lives as usual under fake timers, %s', async (_, way) => {
    const hook = await receiver()
    const onFault = vi.fn()
    vi.useFakeTimers({ now: 0, ...way })
    onTestFinished(() => void vi.useRealTimers())

    await using emulator = await startEmulator({ settle: 'manual', onFault })
    await using world = await emulator.world()
    const client = createClient({ baseUrl: world.baseUrl, token: world.token })
    const pay = (key: string) =>
      client.call('payments.create', {
        headers: { 'X-Idempotency-Key': key },
        body: { source_account_id: world.accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
      })
    await client.call('webhooks.create', { body: { url: hook.url, events: ['payment.created', 'payment.completed'] } })

    // The client waits before it retries, and the emulator before it answers, both in real time.
    await world.control.faults.add({ endpoint: 'payments.create', status: 429, retry_after: 0 })
    await world.control.faults.add({ endpoint: 'payments.create', delay_ms: 5 })
    const { id } = await pay('k')
    await world.control.clock.advance({ ms: 60_000 })
    expect(await world.control.wait({ payment: String(id), status: 'completed' })).toEqual({
      payment: { id, status: 'completed' },
    })
    await world.control.wait({ deliveries: 2 })
    expect(hook.received).toEqual(['payment.created', 'payment.completed'])

    const late = await world.control.wait({ deliveries: 3, timeout_ms: 5 }).catch((error: Error) => error.message)
    expect(late).toContain('Delivered: 2 of 3')
    expect(Date.now()).toBe(0)
    expect(onFault).not.toHaveBeenCalled()
    await client.close()
  })
})
