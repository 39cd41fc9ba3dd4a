import { describe, expect, test } from 'vitest'
import { startWorld } from './world.ts'

const account = '01900000-0000-7000-8000-0000000000c1'

describe('a part of an id', () => {
  test('finds accounts, also by their IBAN or the end of it', async () => {
    const { steer } = await startWorld()
    const find = (part: string) => steer('control.ids.find', { query: { kind: 'account', part } })

    for (const part of ['00c1', account, 'CR76099910000000000001', '0000000001']) {
      expect(await find(part)).toEqual([{ id: account, about: 'CR76099910000000000001, CRC' }])
    }
    expect(await find('abcdef')).toEqual([])
    expect((await find('0000')).length).toBeGreaterThan(1)
  })

  test('finds payments, newest first, and the newest as last', async () => {
    const { steer } = await startWorld()
    const ids: string[] = []
    for (const amount of [100, 200]) {
      const { id } = await steer('control.credits.create', { body: { to: '88001234', amount } })
      ids.unshift(`${id}`)
    }
    const find = (part: string) => steer('control.ids.find', { query: { kind: 'payment', part } })

    expect((await find(ids[0]?.slice(0, 8) ?? '')).map(({ id }) => id)).toEqual(ids)
    expect(await find('last')).toMatchObject([{ id: ids[0], about: expect.stringMatching(/^2.00 CRC, completed, 20/) }])
  })

  test('finds users, subscriptions and scheduled credits only under their own kind', async () => {
    const { steer } = await startWorld()
    const body = { to: '88001234', amount: 100, after_ms: 1000 }
    const { id } = await steer('control.credits.schedule', { body })
    const find = (kind: 'user' | 'subscription' | 'scheduled_credit', part: string) =>
      steer('control.ids.find', { query: { kind, part } })

    expect(await find('scheduled_credit', `${id}`)).toMatchObject([{ id, about: expect.stringContaining('scheduled') }])
    expect(await find('user', `${id}`)).toEqual([])
    expect(await find('subscription', `${id}`)).toEqual([])
    expect(await find('user', '0001')).toMatchObject([{ about: 'María Fernández Rojas' }])
  })

  test.each(["'; --", 'abc', '%%%%', '____', 'CR1', 'f'.repeat(37)])('%j is refused', async (part) => {
    const { steer } = await startWorld()

    const asked = steer('control.ids.find', { query: { kind: 'payment', part } })

    await expect(asked).rejects.toThrow('The part field must be')
  })
})
