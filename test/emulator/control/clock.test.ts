import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOfTime } from '../../../emulator/clock.ts'
import { temporaryDirectory } from '../../commands/run_payctl.ts'
import { startWorld } from './world.ts'

const hour = 60 * 60 * 1000

/** The clock runs on between two looks: how much it may differ, in milliseconds. */
const slack = 5000

describe('the clock', () => {
  it('is the machine’s until it is moved', async () => {
    const { steer } = await startWorld()
    const { now, ...rest } = await steer('control.clock.get')
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(slack)
    expect(rest).toEqual({ offset_ms: 0, frozen: false })
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
