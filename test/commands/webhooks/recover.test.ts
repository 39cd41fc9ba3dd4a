import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { eventNames } from '../../../src/contract/index.ts'
import { serve } from '../../support/server.ts'
import { pageOf, paymentOf } from '../payments/service.ts'
import { ofTheMessage, passOn, payees, rig, target } from './rig.ts'

const often = ['--recover-interval', '50ms']

describe('webhooks tail after a gap', () => {
  it('prints what ended while no tail was there, once, marked as recovered', async () => {
    const { tail, pay, credit, settle } = await rig()
    await pay()
    await settle()
    const first = await tail().listening()
    const open = await pay()
    await first.events(1)
    await first.stop()
    await settle()
    const failed = await pay(payees.failed)
    await settle()
    const timeout = await pay(payees.timeout)
    await settle()
    const received = await credit(500)
    const second = await tail().listening()
    const lines = await second.events(4)
    expect(lines.map(({ recovered, event, data }) => [recovered, event, data?.id, data?.status])).toEqual([
      [true, 'payment.completed', open, 'completed'],
      [true, 'payment.failed', failed, 'failed'],
      [true, null, timeout, 'timeout'],
      [true, 'transaction.received', received, 'completed'],
    ])
    const news = await pay()
    await second.events(5)
    await second.stop()
    expect(second.lines.map(({ recovered, data }) => [recovered, data?.id]).slice(4)).toEqual([[false, news]])
    const third = await tail(['-o', 'table']).listening()
    await settle()
    await third.until(({ stdout }) => stdout.includes(news))
    await third.stop()
    expect(third.stdout).not.toContain('recovered')
  })

  it('knows after kill -9 what it has shown', async () => {
    const { tail, pay, settle, home } = await rig()
    const first = await tail([], { process: true }).listening()
    const shown = await pay()
    await settle()
    await first.events(3)
    const { readdir } = await import('node:fs/promises')
    const folder = `${home}/state/webhooks`
    await vi.waitFor(async () => {
      const [seen = ''] = (await readdir(folder)).filter((name) => name.startsWith('seen-'))
      expect(JSON.parse(await readFile(`${folder}/${seen}`, 'utf8')).told).toContain(shown)
    }, 10_000)
    await first.stop('SIGKILL')
    const missed = await pay()
    await settle()
    const second = await tail().listening()
    expect((await second.events(1)).map(({ data }) => data?.id)).toEqual([missed])
    await second.stop()
    expect(second.lines).toHaveLength(1)
  })

  it('shows what was missed also after it was killed before that was shown', async () => {
    const { tail, pay, settle, emulator } = await rig()
    // The service answers everything except the request for a subscription.
    const asked = Promise.withResolvers<void>()
    let isHeld = false
    const gateway = await target(async (response, post, request) => {
      if (request.method === 'POST' && isHeld) return asked.resolve()
      const answer = await passOn(emulator, request, post)
      response.writeHead(answer.status).end(await answer.text())
    })
    const through = () => tail([], { env: { PAYCTL_BASE_URL: new URL(gateway.url).origin }, process: true })
    await (await through().listening()).stop()
    const earlier = await pay()
    await settle()
    await settle()
    const later = await pay()
    await settle()
    isHeld = true
    const killed = through()
    await asked.promise
    await killed.stop('SIGKILL')
    isHeld = false
    const next = await through().listening()
    expect((await next.events(2)).map(({ data }) => data?.id)).toEqual([earlier, later])
  })

  it('prints only ends that were asked for', async () => {
    const { tail, pay, settle } = await rig()
    await (await tail(['--events', 'payment.failed']).listening()).stop()
    await pay()
    await settle()
    const failed = await pay(payees.failed)
    await settle()
    const running = await tail(['--events', 'payment.failed']).listening()
    await running.events(1)
    await running.stop()
    expect(running.lines.map(({ data }) => data?.id)).toEqual([failed])
  })

  it('finds ends that have no event while it runs', async () => {
    const { tail, pay, settle } = await rig()
    const running = await tail(often).listening()
    const id = await pay(payees.timeout)
    await settle()
    const lines = await running.events(3)
    expect(lines.map(({ recovered, event, data }) => [recovered, event, data?.id, data?.status])).toEqual([
      [false, 'payment.created', id, 'pending'],
      [false, 'payment.processing', id, 'processing'],
      [true, null, id, 'timeout'],
    ])
  })

  it('takes up a subscription that the service has suspended', async () => {
    const { tail, pay, settle, client, subscriptions } = await rig()
    const running = await tail(often).listening()
    const [subscription] = await subscriptions()
    await client.call('webhooks.suspend', { params: { id: subscription?.id ?? '' }, body: { reason: 'A test' } })
    const id = await pay()
    await running.until(({ stderr }) => stderr.includes('suspended the subscription (A test). It is active again.'))
    await running.events(1)
    await settle()
    const lines = await running.events(3)
    expect(new Set(lines.map(({ data }) => data?.id))).toEqual(new Set([id]))
    expect(lines.map(({ recovered }) => recovered)).toEqual([false, false, false])
  })

  it('makes a new subscription where the service has lost it, and recovers what ended in between', async () => {
    const { tail, pay, settle, client, subscriptions } = await rig()
    const running = await tail(often).listening()
    const [lost] = await subscriptions()
    await client.call('webhooks.delete', { params: { id: lost?.id ?? '' } })
    const missed = await pay()
    await settle()
    await running.until(({ stderr }) => stderr.includes('payctl made a new subscription'))
    await running.until(({ lines }) => lines.some(({ data }) => data?.id === missed && data.status === 'completed'))
    const next = await pay()
    await running.until(({ lines }) => lines.some(({ data }) => data?.id === next))
    await running.stop()
    expect(await subscriptions()).toEqual([])
  })

  it('takes what a new subscription delivers for new, also where the service counts its deliveries from one again', async () => {
    const { tail, credit, client, subscriptions } = await rig()
    const running = await tail(often).listening()
    const first = await credit(500)
    await running.events(1)
    const [lost] = await subscriptions()
    await client.call('webhooks.delete', { params: { id: lost?.id ?? '' } })
    await running.until(({ stderr }) => stderr.includes('payctl made a new subscription'))
    const second = await credit(600)
    const lines = await running.events(2)
    expect(lines.map(({ recovered, data }) => [recovered, data?.id])).toEqual([
      [false, first],
      [false, second],
    ])
  })

  it('starts again in another world at the same address', async () => {
    const { tail, pay, settle, emulator } = await rig()
    await emulator.control.advanceClock(86_400_000)
    await pay()
    await settle()
    await (await tail().listening()).stop()
    await emulator.control.reset()
    await pay()
    await settle()
    const running = await tail().listening()
    const news = await pay()
    await running.events(1)
    await running.stop()
    expect(running.lines.map(({ recovered, data }) => [recovered, data?.id])).toEqual([[false, news]])
  })

  it('goes on when the world is reset under it', async () => {
    const { tail, pay, settle, emulator, subscriptions } = await rig()
    await emulator.control.advanceClock(86_400_000)
    await pay()
    await settle()
    const running = await tail(often).listening()
    await emulator.control.reset()
    await running.until(({ stderr }) => stderr.includes('payctl made a new subscription'))
    const news = await pay(payees.timeout)
    await running.events(1)
    await settle()
    const lines = await running.events(3)
    expect(lines.map(({ recovered, data }) => [recovered, data?.id, data?.status])).toEqual([
      [false, news, 'pending'],
      [false, news, 'processing'],
      [true, news, 'timeout'],
    ])
    await running.stop()
    expect(await subscriptions()).toEqual([])
  })

  it('shows on a terminal when a missed payment ended', async () => {
    const { tail, pay, settle } = await rig()
    await (await tail().listening()).stop()
    await pay()
    await settle()
    const running = await tail(['-o', 'table']).listening()
    await running.until(({ stdout }) => stdout.endsWith('\n'))
    expect(running.stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}payment\.completed +-10\.00 CRC {2}Carlos.+\n {10}recovered from the history: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC.*\)\n$/,
    )
  })

  it('goes without the history where the token may not read it', async () => {
    const { tail, token, pay } = await rig()
    const running = await tail(often, { env: { PAYCTL_TOKEN: await token('manage-webhooks') } }).listening()
    expect(running.stderr).toContain('Missed payments are not looked for: the token lacks the scope send-payments')
    const id = await pay()
    expect((await running.events(1))[0]?.data?.id).toBe(id)
  })

  it('starts although the history cannot be read, and reads it later', async () => {
    const service = await fakeService()
    service.historyStatus = 500
    const { tail } = await rig()
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    const running = await tail([...often, '--retries', '0'], { env }).listening()
    expect(running.stderr).toContain('Missed payments will be looked for later, as the history cannot be read now')
    await running.until(({ stderr }) => stderr.includes('Still listening, but the service cannot be asked'))
    service.historyStatus = 200
    await running.until(({ stderr }) => stderr.includes('The service answers again.'))
    service.add(1, '2026-01-02')
    expect((await running.events(1)).map(({ data }) => data?.id)).toEqual(service.ids)
  })

  it('says once that the service cannot be asked, and when it can', async () => {
    const service = await fakeService()
    const { tail } = await rig()
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    const running = await tail([...often, '--retries', '0'], { env }).listening()
    service.isDown = true
    await running.until(({ stderr }) => stderr.includes('Still listening, but the service cannot be asked'))
    const asked = service.requests
    await vi.waitFor(() => expect(service.requests).toBeGreaterThan(asked + 3), 10_000)
    service.isDown = false
    await running.until(({ stderr }) => stderr.includes('The service answers again.'))
    expect(running.stderr.match(/Still listening/g)).toHaveLength(1)
    await running.stop()
  })

  it.each([['newest first'], ['oldest first']])(
    'reads a history that lists the %s through its pages',
    async (order) => {
      const service = await fakeService(order === 'oldest first')
      const { tail } = await rig()
      const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
      service.add(150, '2026-01-01')
      await (await tail([], { env }).listening()).stop()
      service.add(250, '2026-01-02')
      const running = await tail([], { env }).listening()
      const lines = await running.events(250)
      await running.stop()
      expect(new Set(lines.map(({ data }) => data?.id))).toEqual(new Set(service.ids.slice(150)))
      expect(running.lines).toHaveLength(250)
    },
  )

  it.each([
    [1, 150],
    [0, 200],
  ])('recovers a payment once that moves to the next page while the history is read: %i, %i', async (known, count) => {
    const service = await fakeService()
    const { tail } = await rig()
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    service.add(known, '2026-01-01')
    await (await tail([], { env }).listening()).stop()
    service.add(count, '2026-01-02')
    const ended = service.ids.slice(known)
    service.onPage = (page) => page === 2 && service.add(1, '2026-01-03')
    const { url, posts } = await target()
    const running = await tail(['--forward-to', url], { env }).listening()
    await running.events(count)
    await running.stop()
    expect(running.lines.map(({ data }) => data?.id).toSorted()).toEqual(ended.toSorted())
    expect(posts).toHaveLength(count)
  })

  it('finds a payment that turns up later than one that was made after it', async () => {
    const service = await fakeService()
    const { tail } = await rig()
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    service.add(31, '2026-01-01') // one payment a second, from 12:00:00 to 12:00:30
    for (const _ of ['the first', 'the next']) await (await tail([], { env }).listening()).stop()
    service.add(1, '2026-01-01')
    const running = await tail([], { env }).listening()
    expect((await running.events(1)).map(({ data }) => data?.id)).toEqual(service.ids.slice(31))
  })

  it('of two subscriptions to one URL it removes the one that has its secret', async () => {
    const service = await fakeService()
    service.losesAnswers = true
    const { run } = await rig()
    const url = 'https://tunnel.example/hook'
    service.subscriptions.set('theirs', { id: 'theirs', url, headers: { 'X-Payctl-Tail-Secret': 'of another' } })
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    const { code } = await run(['webhooks', 'tail', '--public-url', url], { env })
    expect({ code, made: service.made }).toEqual({ code: 10, made: 1 })
    expect([...service.subscriptions.keys()]).toEqual(['theirs'])
  })

  it('leaves a subscription to its URL of which the service does not show the secret', async () => {
    const service = await fakeService()
    service.losesAnswers = true
    const { run } = await rig()
    const url = 'https://tunnel.example/hook'
    service.subscriptions.set('theirs', { id: 'theirs', url, headers: { 'X-Payctl-Tail-Secret': null } })
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    const { code, stderr } = await run(['webhooks', 'tail', '--public-url', url], { env })
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('No answer') })
    expect([...service.subscriptions.keys()]).toEqual(['theirs'])
  })

  it('removes a subscription whose making was never answered', async () => {
    const service = await fakeService()
    service.losesAnswers = true
    const { run, home } = await rig()
    let onRecord: readonly string[] = []
    service.onMake = () => {
      onRecord = readdirSync(join(home, 'state', 'webhooks')).filter((name) => name.startsWith('tail-'))
    }
    const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 'x' }
    const { code, stderr } = await run(['webhooks', 'tail'], { env })
    expect({ code, stderr }).toMatchObject({ code: 10, stderr: expect.stringContaining('No answer') })
    expect(service.made).toBe(1)
    expect(onRecord).toHaveLength(1)
    expect(service.subscriptions.size).toBe(0)
  })
})

/** A machine on which a tail has run before, so that later payments count as missed. */
async function afterFirstTail() {
  const machine = await rig()
  await (await machine.tail().listening()).stop()
  return machine
}

describe('what webhooks tail recovers', () => {
  it('is saved, and passed on, as the event that did not come', async () => {
    const { client, home, tail, pay, credit, settle, run } = await afterFirstTail()
    const delivered = await target()
    await client.call('webhooks.create', { body: { url: delivered.url, events: [...eventNames] } })
    await pay()
    await pay(payees.failed)
    await settle()
    await credit(500)
    await settle()
    const ends = ['payment.completed', 'payment.failed', 'transaction.received']
    const missed = delivered.posts
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ event }) => ends.includes(event))
    expect(missed.map(({ event }) => event).toSorted()).toEqual(ends)

    const taken = await target()
    const file = join(home, 'saved.ndjson')
    const running = await tail(['--forward-to', taken.url, '--save', file]).listening()
    const lines = await running.events(3)
    expect(lines.map(({ recovered, forward }) => [recovered, forward?.status])).toEqual(Array(3).fill([true, 204]))
    await running.stop()
    const byId = (one: { data: { id: string } }, other: { data: { id: string } }) =>
      one.data.id < other.data.id ? -1 : 1
    // The history does not contain the reason and time of a rejection, and contains only the phone or the IBAN of a
    // party.
    const known = ({ event, timestamp, data: { state_code, payer, payee, ...data } }: (typeof missed)[0]) => ({
      event,
      at: event === 'payment.failed' ? null : timestamp.slice(0, 19),
      data,
      parties: [payer, payee].map(({ iban, phone_number, ...party }) => party),
    })
    const forwarded = taken.posts.map(({ body }) => JSON.parse(body.toString()))
    expect(forwarded.map(known).toSorted(byId)).toEqual(missed.map(known).toSorted(byId))
    for (const post of taken.posts) {
      expect(ofTheMessage(post)).toContainEqual(['X-Payctl-Recovered', 'true'])
    }
    const saved = (await readFile(file, 'utf8')).trim().split('\n')
    expect(saved.map((line) => JSON.parse(JSON.parse(line).body))).toEqual(forwarded)

    const again = await target()
    expect((await run(['webhooks', 'replay', file, '--to', again.url])).code).toBe(0)
    expect(again.posts.map(({ body }) => body)).toEqual(taken.posts.map(({ body }) => body))
  })

  it('is passed on at the next looks where it was refused, three times at most, printed with the answers, saved once', async () => {
    const { tail, pay, settle, home } = await afterFirstTail()
    const ids = [await pay(), await pay()]
    await settle()
    const { url, posts } = await target((response, { body }) => {
      const isTaken = posts.length > 2 && JSON.parse(body.toString()).data.id === ids[0]
      response.writeHead(isTaken ? 204 : 503).end()
    })
    const file = join(home, 'saved.ndjson')
    const running = await tail([...often, '--forward-to', url, '--save', file]).listening()
    await running.events(5)
    const news = await pay()
    await running.until(({ lines }) => lines.some(({ data }) => data?.id === news))
    await running.stop()
    const answers = (id: string | undefined) =>
      running.lines.filter(({ data }) => data?.id === id).map(({ forward }) => forward?.status)
    expect(ids.map(answers)).toEqual([
      [503, 204],
      [503, 503, 503],
    ])
    expect(posts.filter(({ body }) => ids.includes(JSON.parse(body.toString()).data.id))).toHaveLength(5)
    const saved = (await readFile(file, 'utf8')).trim().split('\n')
    const idsSaved = saved.map((line) => JSON.parse(JSON.parse(line).body).data.id)
    expect(idsSaved.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted())
  })

  it('is found again by the next tail where this one ended before it was accepted', async () => {
    const { tail, pay, settle } = await afterFirstTail()
    const id = await pay()
    await settle()
    const silent = await target(() => {})
    const first = await tail(['--forward-to', silent.url], { process: true }).listening()
    await vi.waitFor(() => expect(silent.posts).toHaveLength(1), 10_000)
    await first.stop('SIGKILL')
    const { url, posts } = await target()
    const second = await tail(['--forward-to', url]).listening()
    const [line] = await second.events(1)
    expect([line?.data?.id, line?.forward?.status, posts.length]).toEqual([id, 204, 1])
    await second.stop()
    const third = await tail(['--forward-to', url]).listening()
    const news = await pay()
    expect((await third.events(1)).map(({ data }) => data?.id)).toEqual([news])
  })

  it('goes where its event is routed to, if it meets --where', async () => {
    const { tail, pay, settle } = await afterFirstTail()
    const ids = [await pay(), await pay(payees.failed), await pay(payees.timeout)]
    await settle()
    const { url, posts } = await target()
    const flags = ['--route', `payment.failed=${url}`, '--where', 'status!=completed']
    const running = await tail(flags).listening()
    const lines = await running.events(2)
    await running.stop()
    expect(new Map(lines.map(({ data, forward }) => [data?.id, forward?.status]))).toEqual(
      new Map([
        [ids[1], 204],
        [ids[2], undefined],
      ]),
    )
    expect(posts.map(({ body }) => JSON.parse(body.toString()).data.id)).toEqual([ids[1]])
    const next = await tail().listening()
    const news = await pay()
    expect((await next.events(1)).map(({ data }) => data?.id)).toEqual([news])
  })

  it('is only printed where its end has no event', async () => {
    const { home, tail, pay, settle } = await afterFirstTail()
    const id = await pay(payees.timeout)
    await settle()
    const { url, posts } = await target()
    const file = join(home, 'saved.ndjson')
    const running = await tail(['--forward-to', url, '--save', file]).listening()
    const lines = await running.events(1)
    await running.stop()
    expect(lines.map(({ event, data, forward }) => [event, data?.id, forward])).toEqual([[null, id, undefined]])
    expect([posts, await readFile(file, 'utf8')]).toEqual([[], ''])
  })
})

/**
 * A service with a generated history. The service can be down, and can lose answers. The lists of the service have two
 * items on a page.
 */
async function fakeService(isAscending = false) {
  const service = {
    url: '',
    isDown: false,
    losesAnswers: false,
    onMake: () => {},
    /** Called before a page of the history is answered. */
    onPage: (_page: number): unknown => undefined,
    historyStatus: 200,
    requests: 0,
    made: 0,
    subscriptions: new Map<string, unknown>(),
    payments: [] as Record<string, unknown>[],
    get ids() {
      return this.payments.map(({ id }) => id)
    },
    add(count: number, day: string) {
      for (let at = 0; at < count; at += 1) {
        const time = `${day}T12:${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}.000000Z`
        this.payments.push({ ...paymentOf({ key: 'k', body: { amount: 1 } }), status: 'completed', created_at: time })
      }
    },
  }
  const url = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    service.requests += 1
    if (service.isDown) return void request.socket.destroy()
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const ok = (data: unknown, status = 200) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ success: status < 400, message: 'ok', data }))
    const page = Number(searchParams.get('page') ?? 1)
    const sliced = (all: unknown[], size: number) =>
      ok(pageOf(all.slice((page - 1) * size, page * size), page, Math.max(1, Math.ceil(all.length / size))))
    if (pathname === '/api/user') return ok({ id: 'u' })
    if (pathname === '/api/payments/history') {
      if (service.historyStatus !== 200) return ok(null, service.historyStatus)
      service.onPage(page)
      const all = isAscending ? service.payments : service.payments.toReversed()
      return sliced(all, Number(searchParams.get('per_page')))
    }
    const id = pathname.split('/')[4]
    if (request.method === 'POST') {
      service.made += 1
      service.onMake()
      const made = { id: `s${service.made}`, active: true, ...JSON.parse(text) }
      service.subscriptions.set(made.id, made)
      return service.losesAnswers ? void request.socket.destroy() : ok(made, 201)
    }
    if (id === undefined) return sliced([{ id: 'a' }, { id: 'b' }, ...service.subscriptions.values()], 2)
    const found = service.subscriptions.get(id)
    if (request.method === 'DELETE') service.subscriptions.delete(id)
    return found ? ok(found) : ok(null, 404)
  })
  service.url = url
  return service
}
