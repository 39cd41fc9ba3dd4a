import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../store/folder.ts'
import { startWorld } from './world.ts'

const upstream = { params: { provider: 'upstream' } }

describe('exchange rates', () => {
  it('are as they are set, with the spread on each side', async () => {
    const { steer, client } = await startWorld()
    const state = await steer('control.fx.set', { body: { bid: 500, ask: 510, spread: 0.004 } })
    expect(state).toEqual({
      bid: 500,
      ask: 510,
      spread: 0.004,
      offline: false,
      upstream: { bid: 500, ask: 510 },
      service: { bid: 498, ask: 512.04 },
    })
    expect(await client.call('fx.rates')).toMatchObject({ bid: 498, ask: 512.04 })
    expect(await client.call('fx.upstream', upstream)).toMatchObject({ bid: 500, ask: 510 })
    await steer('control.clock.advance', { body: { ms: 6 * 60 * 60 * 1000 } })
    expect(await client.call('fx.rates')).toMatchObject({ bid: 498, ask: 512.04 })
  })

  it('can be put out of order and back', async () => {
    const { steer, client } = await startWorld()
    await steer('control.fx.set', { body: { offline: true } })
    await expect(client.call('fx.rates')).rejects.toMatchObject({ status: 503 })
    await expect(client.call('fx.upstream', upstream)).rejects.toMatchObject({ status: 503 })
    await steer('control.fx.set', { body: { offline: false } })
    expect((await client.call('fx.rates')).bid).toBeGreaterThan(0)
  })

  it('move by themselves again when they are null', async () => {
    const { steer, client } = await startWorld()
    const before = await steer('control.fx.get')
    await steer('control.clock.freeze')
    await steer('control.fx.set', { body: { bid: 100, ask: 900, spread: 0 } })
    expect(await client.call('fx.rates')).toMatchObject({ bid: 100, ask: 900 })
    await steer('control.fx.set', { body: { bid: 500, ask: 500 } })
    expect(await client.call('fx.rates')).toMatchObject({ bid: 500, ask: 500 })
    const back = await steer('control.fx.set', { body: { bid: null, ask: null, spread: 0.004 } })
    expect(back).toEqual(before)
  })

  it('of a world of an earlier version, which can cross, are changed unless that makes them cross further', async () => {
    const data = join(newFolder(), 'world.db')
    const { emulator } = await startWorld({ data })
    await emulator.close()
    const rates = JSON.stringify({ bid: 507, ask: null, spread: 0.004, offline: false })
    const file = new Sqlite(data)
    file.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('rates', ?)").run(rates)
    file.close()
    const { ask, steer } = await startWorld({ data })

    expect(await steer('control.fx.set', { body: { offline: true } })).toMatchObject({ bid: 507, offline: true })
    expect(await steer('control.fx.set', { body: { spread: 0.01 } })).toMatchObject({ bid: 507, spread: 0.01 })
    expect(await steer('control.fx.set', { body: { bid: 506 } })).toMatchObject({ bid: 506 })
    expect((await ask('control.fx.set', { body: { bid: 507 } })).body.message).toBe(
      'The ask (505) can be below the bid (507). Set both rates, or let both drift (null)',
    )
    expect(await ask('control.fx.set', { body: { bid: 510, ask: 509 } })).toMatchObject({ status: 422 })
    expect(await steer('control.fx.set', { body: { bid: 507, ask: 508 } })).toMatchObject({ bid: 507, ask: 508 })
  })

  it.each([
    [{ bid: 0 }, 'bid'],
    [{ bid: -500 }, 'bid'],
    [{ bid: '500' }, 'bid'],
    [{ ask: 1e12 }, 'ask'],
    [{ bid: 510, ask: 500 }, 'ask'],
    [{ bid: 900 }, 'bid'],
    [{ bid: 507 }, 'bid'],
    [{ ask: 503 }, 'ask'],
    [{ spread: 0.9 }, 'spread'],
    [{ spread: -0.1 }, 'spread'],
    [{ spread: null }, 'spread'],
    [{ offline: 'yes' }, 'offline'],
  ])('refuse %j and stay', async (body, field) => {
    const { ask, steer } = await startWorld({ clock: '2030-01-05T12:00:00Z' })
    const before = await steer('control.fx.get')
    const answer = await ask('control.fx.set', { body })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
    expect(await steer('control.fx.get')).toEqual(before)
  })
})
