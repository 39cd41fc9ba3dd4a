import { describe, expect, it } from 'vitest'
import { runPayctl } from '../../support/run_payctl.ts'
import { startWorld, type WorldUnderTest } from '../control/world.ts'

const phone = { recipient_phone: '87000001' }

/** Subscribes a built-in receiver of the world to completed payments. */
async function subscribe({ steer, client }: WorldUnderTest, more: object = {}) {
  const { url } = await steer('control.receivers.get', { params: { id: 'shop' } })
  await client.call('webhooks.create', { body: { url, events: ['payment.completed'], ...more } })
  return url
}

const shop = { params: { id: 'shop' } }

describe('a built-in receiver', () => {
  it('keeps what came to it, without a connection and without secrets', async () => {
    const world = await startWorld()
    const { steer, pay, emulator } = world
    await steer('control.deliverySettings.set', { body: { signature_header: 'X-Signature' } })
    const url = await subscribe(world, { headers: { 'X-Secret': 'of the receiver' } })
    expect(url).toBe(`${emulator.baseUrl}/_emulator/receivers/shop`)
    const { id } = await pay(phone)
    await steer('control.clock.advance', { body: { ms: 5000 } })
    const { arrived, arrivals } = await steer('control.receivers.get', shop)
    expect(arrived).toBe(1)
    expect(arrivals).toMatchObject([
      { delivery_id: 'whd_000000000001', attempt: 1, event: 'payment.completed', signature: 'valid', status: 200 },
    ])
    expect(arrivals[0]?.headers).toMatchObject({ 'X-Secret': '***', 'X-Webhook-Id': 'whd_000000000001' })
    expect(JSON.parse(arrivals[0]?.body ?? '')).toMatchObject({ data: { id } })
    expect(await steer('control.deliveries.get', { params: { id: 'whd_000000000001' } })).toMatchObject({
      status: 'delivered',
      history: [{ status: 200, error: null }],
    })
  })

  it('shows a wrong signature', async () => {
    const world = await startWorld()
    const { steer, pay } = world
    await steer('control.deliverySettings.set', { body: { signature_header: 'X-Signature' } })
    await subscribe(world)
    await steer('control.faults.add', { body: { event: '*', fault: 'bad_signature' } })
    await pay(phone)
    await steer('control.clock.advance', { body: { ms: 5000 } })
    expect((await steer('control.receivers.get', shop)).arrivals).toMatchObject([{ signature: 'wrong' }])
  })

  it.each([
    ['500', { status: 500 }, { status: 500, error: 'Answered 500' }],
    ['slowly', { delay_ms: 60_000 }, { status: null, error: expect.stringContaining('No answer within 100 ms') }],
    ['by hanging up', { hang_up: true }, { status: null, error: 'The receiver hung up' }],
  ])('answers %s as set, until that is changed', async (_, answer, failure) => {
    const world = await startWorld()
    const { steer, pay } = world
    await subscribe(world)
    await steer('control.receivers.set', { ...shop, body: answer })
    await pay(phone)
    await steer('control.clock.advance', { body: { ms: 5000, delivery_timeout_ms: 100 } })
    await steer('control.receivers.set', { ...shop, body: {} })
    await steer('control.clock.advance', { body: { ms: 10_000 } })
    const { history, status } = await steer('control.deliveries.get', { params: { id: 'whd_000000000001' } })
    expect([status, history]).toMatchObject(['delivered', [failure, { status: 200, error: null }]])
    expect((await steer('control.receivers.get', shop)).arrived).toBe(2)
  })

  it('belongs to the world that delivers, also in a fork', async () => {
    const world = await startWorld()
    await subscribe(world)
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })
    await fork.pay(phone)
    await fork.steer('control.clock.advance', { body: { ms: 5000 } })
    expect((await fork.steer('control.receivers.get', shop)).arrived).toBe(1)
    expect(await fork.steer('control.receivers.list')).toMatchObject([
      { id: 'shop', url: `${world.emulator.baseUrl}/w/fork/_emulator/receivers/shop` },
    ])
    expect(await world.steer('control.receivers.list')).toEqual([])
  })

  it('accepts nothing from outside, and is the only URL of the emulator that can be subscribed', async () => {
    const { emulator, steer, client } = await startWorld()
    const { url } = await steer('control.receivers.get', shop)
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json', ...headers } })
    expect((await post({})).status).toBe(405)
    expect((await post({ 'X-Webhook-Id': 'whd_000000000001' })).status).toBe(421)
    for (const path of [
      '/_emulator/receivers',
      '/_emulator/receivers/shop/settings',
      '/_emulator/reset',
      '/w/a/api/user',
    ]) {
      const body = { url: `${emulator.baseUrl}${path}`, events: ['payment.completed' as const] }
      await expect(client.call('webhooks.create', { body })).rejects.toMatchObject({ status: 422 })
    }
  })

  it('keeps the last hundred, and counts all', async () => {
    const world = await startWorld({ rateLimit: null })
    await subscribe(world)
    for (let paid = 0; paid < 101; paid += 1) await world.pay(phone, 1)
    await world.steer('control.clock.runUntilIdle', { body: {} })
    const { arrived, arrivals } = await world.steer('control.receivers.get', shop)
    expect([arrived, arrivals.length]).toEqual([101, 100])
  })
})

it('payctl emulator receivers shows and sets them', async () => {
  const world = await startWorld()
  const env = { PAYCTL_BASE_URL: world.emulator.baseUrl, NO_COLOR: '1' }
  const payctl = (line: string) => runPayctl(line.split(' '), { env })
  expect(await payctl('emulator receivers')).toMatchObject({ code: 0, stderr: expect.stringContaining('No receiver') })
  const url = (await payctl('emulator receivers show shop --jq .url')).stdout.trim()
  expect(url).toBe(await subscribe(world))
  const set = await payctl('emulator receivers answer shop --status 503 --delay 10ms --json')
  expect(JSON.parse(set.stdout)).toMatchObject({ answer: { status: 503, delay_ms: 10, hang_up: false } })
  await world.pay(phone)
  await world.steer('control.clock.advance', { body: { ms: 5000 } })
  const { stdout } = await payctl('emulator receivers show shop')
  expect(stdout).toContain('503 after 10 ms')
  expect(stdout).toContain('whd_000000000001 payment.completed, attempt 1: 503')
})
