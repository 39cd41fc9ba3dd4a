import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../emulator/index.ts'
import { ibanFault } from '../../src/contract/index.ts'
import { apiOn } from './payments.ts'

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

describe('startEmulator', () => {
  test('answers as soon as it resolves, on a port of its own', async () => {
    const [one, two] = await Promise.all([start(), start()])

    expect(one.baseUrl).not.toBe(two.baseUrl)
    for (const emulator of [one, two]) expect((await apiOn(emulator).get('/api/user')).status).toBe(200)
  })

  test('two of them share nothing', async () => {
    const [one, two] = await Promise.all([start(), start()])

    await apiOn(one).post('/api/accounts', { currency: 'CRC' })

    expect(one.accounts().length).toBe(3)
    expect(two.accounts().length).toBe(2)
  })

  test('the demo world is the same every time', async () => {
    const [one, two] = await Promise.all([start(), start()])

    expect(one.accounts()).toEqual(two.accounts())
    expect(one.accounts().map(({ currency, balance }) => [currency, balance])).toEqual([
      ['CRC', 250_000_000],
      ['USD', 1_000_000],
    ])
    for (const { iban } of one.accounts()) {
      expect(ibanFault(iban)).toBeNull()
      expect(iban.slice(5, 8)).toBe('999')
    }
  })

  test('an empty world has a user and nothing else', async () => {
    const emulator = await start({ seed: 'empty' })
    const api = apiOn(emulator)

    expect((await api.get('/api/user')).status).toBe(200)
    expect((await api.get('/api/accounts')).body.data).toMatchObject({ data: [], total: 0, from: null, to: null })
    expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
    expect(emulator.control.checkLedger()).toMatchObject({ balanced: true, entries: 0 })
  })

  test('the token may be chosen, and then the well-known one opens nothing', async () => {
    const emulator = await start({ token: 'of-my-own' })

    expect((await apiOn(emulator).get('/api/user')).status).toBe(200)
    expect((await apiOn({ ...emulator, token: 'payctl-demo-token' }).get('/api/user')).status).toBe(401)
  })

  test('labels of pages come in English when asked', async () => {
    const emulator = await start({ locale: 'en' })

    const { links } = (await apiOn(emulator).get('/api/accounts')).body.data

    expect(links[0].label).toBe('&laquo; Previous')
  })

  test('without a rate limit there are no headers of one', async () => {
    const emulator = await start({ rateLimit: null })

    const { headers } = await apiOn(emulator).get('/api/user')

    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  test('a port that is taken is told as such', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      squatter.close()
    })
    await new Promise((resolve) => squatter.once('listening', resolve))
    const { port } = squatter.address() as { port: number }

    await expect(startEmulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('closing twice is closing once, and then nobody answers', async () => {
    const emulator = await startEmulator()

    await Promise.all([emulator.close(), emulator.close()])

    await expect(apiOn(emulator).get('/api/user')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
