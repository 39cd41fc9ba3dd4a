import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endOfTime } from '../../../emulator/clock.ts'
import { receiver } from '../../support/receiver.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { startReceiver } from './receiver.ts'
import { startWorld } from './world.ts'

const hour = 60 * 60 * 1000

/** Allowed difference of a running clock between two readings, in milliseconds. */
const slack = 5000

describe('the clock', () => {
  it('is the machine’s until it is moved', async () => {
    const { steer } = await startWorld()
    const { now, ...rest } = await steer('control.clock.get')
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(slack)
    expect(rest).toEqual({ offset_ms: 0, frozen: false, speed: 1 })
  })

  it('advances, and what fell due on the way has happened', async () => {
    const { steer, pay, client } = await startWorld()
    const { id } = await pay({ recipient_phone: '87000001' })
    const { offset_ms } = await steer('control.clock.advance', { body: { ms: hour } })
    expect(Math.abs(offset_ms - hour)).toBeLessThan(slack)
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
  })

  it('stands still when frozen, and still takes payments to their end when it is advanced', async () => {
    const { steer, pay, client } = await startWorld({ settle: 20 })
    const frozen = await steer('control.clock.freeze')
    expect(frozen.frozen).toBe(true)
    const { id } = await pay({ recipient_phone: '87000001' })
    const after = await steer('control.clock.advance', { body: { ms: 10 } })
    expect(Date.parse(after.now) - Date.parse(frozen.now)).toBe(10)
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'processing' })
    await steer('control.clock.advance', { body: { ms: 10 } })
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
  })

  it('runs on from where it stood, and takes up what was waiting for it', async () => {
    const { steer, pay, client } = await startWorld({ settle: 20 })
    const { now } = await steer('control.clock.freeze')
    const { id } = await pay({ recipient_phone: '87000001' })
    const running = await steer('control.clock.unfreeze')
    expect(running.frozen).toBe(false)
    expect(Date.parse(running.now) - Date.parse(now)).toBeLessThan(slack)
    await expect.poll(() => client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
  })

  it('is set forward to a time, whatever its zone', async () => {
    const { steer } = await startWorld()
    await steer('control.clock.freeze')
    const { now } = await steer('control.clock.set', { body: { time: '2040-01-05T12:00:00-06:00' } })
    expect(now).toBe('2040-01-05T18:00:00.000Z')
    expect(await steer('control.clock.get')).toMatchObject({ now, frozen: true })
  })

  it.each(['2030-02-30T00:00:00Z', '2030-04-31T23:00:00-06:00', '2030-02-29T00:00:00Z', '2030-01-05T25:00:00Z'])(
    'refuses a time that does not exist: %s',
    async (time) => {
      const { ask, steer } = await startWorld()
      const message = 'The time field must be a time that exists.'
      for (const id of ['control.clock.set', 'control.clock.at'] as const) {
        expect(await ask(id, { body: { time } })).toMatchObject({ status: 422, body: { message } })
      }
      const rule = { endpoint: 'user.get', status: 500, until: time }
      const refused = { status: 422, body: { errors: { until: ['The time does not exist'] } } }
      expect(await ask('control.faults.add', { body: rule })).toMatchObject(refused)
      await expect(startWorld({ clock: time })).rejects.toThrow('The option clock takes an ISO 8601 time')
      for (const seed of [{ clock: { time } }, { users: [{ name: 'Ana', created_at: time }] }]) {
        const { status, body } = await ask('control.worlds.create', { body: { from: { seed } } })
        expect({ status, body }).toMatchObject({ status: 422 })
        expect(JSON.stringify(body.errors)).toContain('must be a time that exists')
      }
      expect(await steer('control.clock.get')).toMatchObject({ frozen: false })
    },
  )

  it.each([
    ['control.clock.set', { time: '2020-01-01T00:00:00Z' }, 'time'],
    ['control.clock.set', { time: '2040-01-05T12:00:00' }, 'time'],
    ['control.clock.set', { time: '2040-13-45T12:00:00Z' }, 'time'],
    ['control.clock.set', { time: '9999-12-31T00:00:00Z' }, 'time'],
    ['control.clock.set', { time: 1 }, 'time'],
    ['control.clock.set', {}, 'time'],
    ['control.clock.advance', { ms: -1 }, 'ms'],
    ['control.clock.advance', { ms: 1.5 }, 'ms'],
    ['control.clock.advance', { ms: 1e15 }, 'ms'],
    ['control.clock.advance', {}, 'ms'],
    ['control.clock.advance', { ms: 1, delivery_timeout_ms: 0 }, 'delivery_timeout_ms'],
    ['control.clock.at', { time: '2020-01-01T00:00:00Z' }, 'time'],
    ['control.clock.runUntilIdle', { ms: -1 }, 'ms'],
    ['control.clock.speed', { speed: 0 }, 'speed'],
    ['control.clock.speed', { speed: 1e9 }, 'speed'],
  ] as const)('%s refuses %j', async (id, body, field) => {
    const { ask, steer } = await startWorld()
    const answer = await ask(id, { body })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect((await steer('control.clock.get')).offset_ms).toBe(0)
  })

  it('does not leave the years that the API can write', async () => {
    const { ask, steer } = await startWorld()
    await steer('control.clock.freeze')
    await steer('control.clock.set', { body: { time: new Date(endOfTime).toISOString() } })
    expect((await ask('control.clock.advance', { body: { ms: 1 } })).status).toBe(422)
  })

  it('is where it was after a restart: ahead, or still', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const first = await startWorld({ data })
    await first.steer('control.clock.advance', { body: { ms: 48 * hour } })
    await first.emulator.close()
    const second = await startWorld({ data })
    const ahead = await second.steer('control.clock.get')
    expect(Math.abs(ahead.offset_ms - 48 * hour)).toBeLessThan(slack)
    expect(ahead.frozen).toBe(false)
    const { now } = await second.steer('control.clock.freeze')
    await second.emulator.close()
    const third = await startWorld({ data })
    expect(await third.steer('control.clock.get')).toMatchObject({ now, frozen: true })
    await third.steer('control.clock.unfreeze')
    await third.emulator.close()
    const fourth = await startWorld({ data })
    const running = await fourth.steer('control.clock.get')
    expect(running.frozen).toBe(false)
    expect(Date.parse(running.now)).toBeGreaterThanOrEqual(Date.parse(now))
  })
})

describe('moves of the clock', () => {
  it('stop it at a time, both in one', async () => {
    const { steer, pay, client } = await startWorld({ settle: 20 })
    const { id } = await pay({ recipient_phone: '87000001' })
    const now = '2040-01-31T23:59:59.000Z'
    expect(await steer('control.clock.at', { body: { time: now } })).toMatchObject({ now, frozen: true })
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
    expect(await steer('control.clock.get')).toMatchObject({ now, frozen: true })
  })

  it('run step by step until nothing is due: payments, then the retries of their webhooks', async () => {
    const { steer, pay, client } = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(500)
    const body = { url: receiver.url, events: ['payment.completed' as const], max_attempts: 3 }
    await client.call('webhooks.create', { body })
    const { now } = await steer('control.clock.freeze')
    await pay({ recipient_phone: '87000001' })

    const first = await steer('control.clock.runUntilIdle', { body: { ms: 5000 } })
    expect(first).toMatchObject({ idle: false, frozen: true })
    expect(Date.parse(first.next_due_at ?? '')).toBeGreaterThan(Date.parse(first.now))
    expect(receiver.received).toHaveLength(1)

    const end = await steer('control.clock.runUntilIdle', { body: {} })
    expect(end).toMatchObject({ idle: true, next_due_at: null })
    expect(receiver.received).toHaveLength(3)
    expect(Date.parse(end.now) - Date.parse(now)).toBe(1000 + 10_000 + 100_000)
    expect(await steer('control.clock.runUntilIdle', { body: {} })).toMatchObject({ now: end.now, idle: true })
  })

  it('wait for a receiver that hangs no longer than requested, also for deliveries under way', async () => {
    const { steer, pay, client } = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    const body = { url: receiver.url, events: ['payment.created' as const], max_attempts: 2, timeout: 30 }
    await client.call('webhooks.create', { body })
    await pay({ recipient_phone: '87000001' })
    await expect.poll(() => receiver.received).toHaveLength(1)

    const started = performance.now()
    await steer('control.clock.runUntilIdle', { body: { delivery_timeout_ms: 50 } })

    expect(performance.now() - started).toBeLessThan(5000)
    // The receiver has possibly not received the second attempt: on a busy machine an attempt can end before its
    // request arrives.
    const { history } = await steer('control.deliveries.get', { params: { id: 'whd_000000000001' } })
    const error = 'No answer within 50 ms, the limit while the clock is moved'
    expect(history).toMatchObject([{ error }, { error }])
  })
})

describe('a move of a running clock past receivers that take their time', () => {
  /** Three payments, and a receiver that answers each of their events late. */
  async function withSlowReceiver(options: { readonly status: number; readonly maxAttempts?: number }) {
    const { status, maxAttempts = 3 } = options
    const world = await startWorld()
    const answered: string[] = []
    const onEvent: ((event: string) => Promise<unknown>)[] = []
    const late = await receiver((response, { body }) => {
      const answer = async () => {
        // The answer is still missing during these requests: a move that did not wait for it would end meanwhile.
        for (let turn = 0; turn < 5; turn++) await world.steer('control.health')
        for (const react of onEvent) await react(body.event)
        answered.push(body.event)
        response.writeHead(status).end()
      }
      answer().catch(() => response.destroy())
    })
    onTestFinished(() => late[Symbol.asyncDispose]())
    const body = { url: late.url, events: ['payment.completed' as const], max_attempts: maxAttempts }
    await world.client.call('webhooks.create', { body })
    for (let i = 0; i < 3; i++) await world.pay({ recipient_phone: '87000001' })
    return { ...world, answered, onEvent }
  }

  it('ends when all deliveries that it caused have been answered', async () => {
    const { steer, answered } = await withSlowReceiver({ status: 200 })
    await steer('control.clock.advance', { body: { ms: 1000 } })
    expect(answered).toEqual(Array(3).fill('payment.completed'))
    expect(await steer('control.state')).toMatchObject({ unfinished: 0, deliveries: { pending: 0 } })
  })

  it('has the retries that fall due on its way at their own times', async () => {
    const { steer, answered } = await withSlowReceiver({ status: 500 })
    const before = Date.parse((await steer('control.clock.get')).now)
    const { now } = await steer('control.clock.advance', { body: { ms: 1000 + 10_000 } })
    expect(answered).toHaveLength(6)
    const { history } = await steer('control.deliveries.get', { params: { id: 'whd_000000000001' } })
    const [first = Number.NaN, second] = history.map(({ started_at }) => Date.parse(started_at))
    expect(second).toBe(first + 10_000)
    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(11_000)
  })

  it('takes a payment that a receiver makes on the way to its end', async () => {
    const { steer, pay, answered, onEvent } = await withSlowReceiver({ status: 200 })
    let paid = false
    onEvent.push(async () => {
      if (!paid) {
        paid = true
        await pay({ recipient_phone: '87000002' })
      }
    })
    await steer('control.clock.advance', { body: { ms: 2000 } })
    expect(answered).toHaveLength(4)
  })

  it('leaves a clock frozen that was frozen on the way', async () => {
    const { steer, onEvent } = await withSlowReceiver({ status: 200 })
    onEvent.push(() => steer('control.clock.freeze'))
    const { now } = await steer('control.clock.advance', { body: { ms: 5000 } })
    expect(await steer('control.clock.get')).toMatchObject({ now, frozen: true })
  })
})

describe('moves of the clock that come while another is under way', () => {
  /** Starts a move of the clock that waits at its end for a hanging receiver, for at most half a second. */
  async function moveUnderWay(ms: number) {
    const world = await startWorld()
    const { steer, pay, client } = world
    const receiver = await startReceiver()
    receiver.answer(null)
    await client.call('webhooks.create', {
      body: { url: receiver.url, events: ['payment.completed' as const], max_attempts: 1 },
    })
    const { now } = await steer('control.clock.freeze')
    await pay({ recipient_phone: '87000001' })
    const move = world.ask('control.clock.advance', { body: { ms, delivery_timeout_ms: 500 } })
    await expect.poll(() => receiver.received).toHaveLength(1)
    const hoursOn = (hours: number) => new Date(Date.parse(now) + hours * hour).toISOString()
    return { ...world, move, hoursOn }
  }

  it('reach the requested time, and not a later one', async () => {
    const { steer, move, hoursOn } = await moveUnderWay(hour)
    expect(await steer('control.clock.set', { body: { time: hoursOn(2) } })).toMatchObject({ now: hoursOn(2) })
    expect((await move).status).toBe(200)
    expect(await steer('control.clock.get')).toMatchObject({ now: hoursOn(2) })
  })

  it.each(['control.clock.at', 'control.clock.set'] as const)('are refused if it went further: %s', async (id) => {
    const { ask, steer, move, hoursOn } = await moveUnderWay(2 * hour)
    const { status, body } = await ask(id, { body: { time: hoursOn(1) } })
    const message = `The clock only moves forward, and it shows ${hoursOn(2)}.`
    expect({ status, body }).toMatchObject({ status: 422, body: { message, errors: { time: [message] } } })
    expect((await move).status).toBe(200)
    expect(await steer('control.clock.get')).toMatchObject({ now: hoursOn(2) })
  })

  it('get 410 with the reason when their world ends', async () => {
    const { ask, steer, move, hoursOn } = await moveUnderWay(2 * hour)
    const waiting = ask('control.clock.at', { body: { time: hoursOn(3) } })
    await steer('control.clock.get')
    await steer('control.reset')
    const ended = {
      status: 410,
      body: { message: 'The world ended during the move of its clock: it was reset, restored, deleted or expired' },
    }
    expect(await move).toMatchObject(ended)
    expect(await waiting).toMatchObject(ended)
  })
})

describe('the speed of the clock', () => {
  it('brings nearer what is due', async () => {
    const { steer, pay, client } = await startWorld({ settle: hour })
    const { id } = await pay({ recipient_phone: '87000001' })
    expect(await steer('control.clock.speed', { body: { speed: 36_000 } })).toMatchObject({ speed: 36_000 })
    await expect.poll(() => client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
    const { offset_ms } = await steer('control.clock.speed', { body: { speed: 1 } })
    expect(offset_ms).toBeGreaterThan(hour / 2)
    expect(await steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('moves no payment that waits to be moved', async () => {
    const { steer, pay, client } = await startWorld({ settle: 'manual' })
    const { id } = await pay({ recipient_phone: '87000001' })
    await steer('control.clock.speed', { body: { speed: 100_000 } })
    await expect.poll(async () => (await steer('control.clock.get')).offset_ms).toBeGreaterThan(hour)
    await steer('control.clock.speed', { body: { speed: 1 } })
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
  })

  it('survives a restart and a freeze of the clock', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const first = await startWorld({ data })
    await first.steer('control.clock.speed', { body: { speed: 60 } })
    const { now } = await first.steer('control.clock.freeze')
    await first.emulator.close()
    const second = await startWorld({ data })
    expect(await second.steer('control.clock.get')).toMatchObject({ now, frozen: true, speed: 60 })
    await second.steer('control.clock.unfreeze')
    await second.emulator.close()
    const third = await startWorld({ data })
    const running = await third.steer('control.clock.get')
    expect(running).toMatchObject({ frozen: false, speed: 60 })
    expect(Date.parse(running.now)).toBeGreaterThan(Date.parse(now))
    expect(Date.parse(running.now) - Date.parse(now)).toBeLessThan(60 * 2 * slack)
  })
})

it('is the Date of every answer, of the move itself and of refusals too', async () => {
  const { steer, ask, emulator } = await startWorld()
  const now = '2040-01-31T23:59:59.000Z'
  const date = new Date(now).toUTCString()
  expect((await ask('control.clock.at', { body: { time: now } })).headers.date).toBe(date)
  expect((await ask('control.clock.set', { body: {} })).headers.date).toBe(date)
  const answer = await fetch(`${emulator.baseUrl}/api/user`)
  expect({ status: answer.status, date: answer.headers.get('date') }).toEqual({ status: 401, date })
  await steer('control.reset')
  expect(Math.abs(Date.parse((await ask('control.clock.get')).headers.date ?? '') - Date.now())).toBeLessThan(slack)
})
