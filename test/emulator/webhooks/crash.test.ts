import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { receiver } from '../../support/receiver.ts'
import { world } from './world.ts'

test('what is queued when the emulator stops is delivered by the next one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-webhooks-'))
  const data = join(folder, 'world.db')
  try {
    await using target = await receiver()
    const sent: string[] = []
    {
      await using here = await world({ data })
      const { id } = await here.subscribe(target.url, ['payment.created'])
      await here.client.call('webhooks.suspend', { params: { id }, body: {} })
      for (let count = 0; count < 50; count++) sent.push((await here.pay()).id)
      await here.client.call('webhooks.resume', { params: { id } })
    }
    {
      await using here = await world({ data })
      await here.advance(100)
      expect(new Set(target.received.map(({ body }) => body.data.id))).toEqual(new Set(sent))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the id of a delivery that went with its subscription names no other after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-webhooks-'))
  const data = join(folder, 'world.db')
  try {
    await using target = await receiver()
    const deliver = async (payments: number) => {
      await using here = await world({ data })
      const { id } = await here.subscribe(target.url, ['payment.created'])
      // After each start, keys begin at 1 again, so the first keys repeat payments of earlier starts.
      for (let count = 0; count < payments; count++) await here.pay()
      await here.advance(100)
      await here.client.call('webhooks.delete', { params: { id } })
    }

    for (const payments of [1, 2, 2, 3]) await deliver(payments)

    const ids = target.received.map(({ headers }) => headers['x-webhook-id'])
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
