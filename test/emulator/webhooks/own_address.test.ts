import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { controlEndpoints } from '../../../src/contract/index.ts'
import { freePort } from '../../support/free_port.ts'
import { receiver } from '../../support/receiver.ts'
import { newFolder } from '../store/folder.ts'
import { world } from './world.ts'

const reset = controlEndpoints['control.reset'].path
const own = { token: 'token-of-this-test-alone', controlToken: 'control-of-this-test-alone' }
const lan = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** Spellings of 127.0.0.1. */
const spellings = [
  '127.0.0.1',
  'localhost',
  'LocalHost',
  '0.0.0.0',
  '0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
]

describe('a webhook to the emulator itself', () => {
  test.each(spellings)('can’t be subscribed under %s', async (host) => {
    await using here = await world()
    const { port } = new URL(here.emulator.baseUrl)

    const refused = here.subscribe(`http://${host}:${port}${reset}`, ['payment.created'])

    await expect(refused).rejects.toMatchObject({ status: 422, errors: { url: [expect.stringContaining('emulator')] } })
  })

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'that was subscribed under %s while it listened elsewhere is not delivered: the world stays, the reason is kept',
    async (host) => {
      const data = join(newFolder(), 'world.db')
      const port = await freePort()
      let subscription: string
      {
        await using before = await world({ data })
        subscription = (
          await before.subscribe(`http://${host}:${port}${reset}`, ['payment.created'], { max_attempts: 1 })
        ).id
      }
      await using here = await world({ data, port })

      const { id: payment } = await here.pay()
      await here.advance(1)

      expect((await here.client.call('payments.get', { params: { id: payment } })).status).toBe('completed')
      expect((await here.subscription(subscription)).suspended_reason).toBe(
        'Delivery failed 1 times: The URL leads back to the emulator, which accepts no deliveries',
      )
      expect(here.faults).toEqual([])
    },
  )

  test.each(['localhost', '127.1.2.3', '[::ffff:127.0.0.1]', ...(lan ? [lan] : [])])(
    'is not subscribed under %s where it listens on every address',
    async (host) => {
      await using here = await world({ ...own, host: '0.0.0.0' })
      const { port } = new URL(here.emulator.baseUrl)

      const refused = here.subscribe(`http://${host}:${port}${reset}`, ['payment.created'])

      await expect(refused).rejects.toMatchObject({ status: 422 })
    },
  )

  test('is not delivered where a receiver sends it back', async () => {
    await using here = await world()
    await using elsewhere = await receiver((response) =>
      response.writeHead(307, { Location: `${here.emulator.baseUrl}${reset}` }).end(),
    )
    await here.subscribe(elsewhere.url, ['payment.created'])

    const { id } = await here.pay()
    await here.advance(1)

    expect((await here.client.call('payments.get', { params: { id } })).status).toBe('completed')
  })

  test('is refused if another emulator delivers it', async () => {
    await using victim = await world()
    await using here = await world()
    const { id: payment } = await victim.pay()
    const url = `${victim.emulator.baseUrl}${reset}`
    const { id } = await here.subscribe(url, ['payment.created'], { max_attempts: 1 })

    await here.pay()
    await here.advance(1)

    expect((await here.subscription(id)).suspended_reason).toBe('Delivery failed 1 times: Answered 421')
    expect((await victim.client.call('payments.get', { params: { id: payment } })).status).toBe('pending')
  })

  test('is none on another port of this machine', async () => {
    await using elsewhere = await receiver()
    await using here = await world()
    await here.subscribe(elsewhere.url.replace('127.0.0.1', 'localhost'), ['payment.created'])

    await here.pay()

    await elsewhere.until(1)
  })
})
