import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import manifest from '../../package.json' with { type: 'json' }
import { exchangeOverHttp } from '../conformance/http_exchange.ts'

const steering = [
  ['GET', '/_emulator/ledger'],
  ['GET', '/_emulator/clock'],
  ['POST', '/_emulator/clock/advance'],
] as const

async function call(
  emulator: Emulator,
  [method, url]: readonly [string, string],
  headers: Record<string, string> = {},
) {
  const json = { 'Content-Type': 'application/json', ...headers }
  const wire = { method, url, headers: json, ...(method === 'POST' && { payload: '{"ms": 1}' }) }
  const { status, text } = await exchangeOverHttp(new URL(emulator.baseUrl), wire)
  return { status, body: JSON.parse(text) }
}

describe('the control endpoints', () => {
  let emulator: Emulator

  beforeAll(async () => {
    emulator = await startEmulator({ settle: 'manual' })
  })
  afterAll(() => emulator.close())

  test('tell whether the emulator is up', async () => {
    const { status, body } = await call(emulator, ['GET', '/_emulator/health'])

    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...{ status: 'ok', version: manifest.version, pid: process.pid, shard: null },
      worlds: { open: 1, closed: 0, broken: 0 },
    })
  })

  test('move the clock forward, and tell the time', async () => {
    const before = (await call(emulator, ['GET', '/_emulator/clock'])).body.data
    const headers = { 'Content-Type': 'application/json' }
    const wire = { method: 'POST', url: '/_emulator/clock/advance', headers, payload: '{"ms": 3600000}' }

    const { data } = JSON.parse((await exchangeOverHttp(new URL(emulator.baseUrl), wire)).text)

    expect(Math.abs(data.offset_ms - before.offset_ms - 3_600_000)).toBeLessThan(1000)
    expect(Date.parse(data.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(3_600_000)
  })

  test.each(['{}', '{"ms": -1}', '{"ms": 1.5}', '{"ms": "1"}', '{"ms": 1e15}', '[]'])(
    'do not move it by %s',
    async (payload) => {
      const headers = { 'Content-Type': 'application/json' }
      const wire = { method: 'POST', url: '/_emulator/clock/advance', headers, payload }

      expect((await exchangeOverHttp(new URL(emulator.baseUrl), wire)).status).toBe(422)
    },
  )

  test.each(steering)('%s %s does not answer a page that came by a foreign Host', async (...endpoint) => {
    for (const Host of [
      'evil.example',
      'evil.example:4010',
      '10.0.0.1',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      expect((await call(emulator, endpoint, { Host })).status).toBe(421)
    }
  })

  test.each(steering)('%s %s does not answer to another origin', async (...endpoint) => {
    for (const Origin of ['https://evil.example', 'http://localhost:1', 'null', 'http://127.0.0.1']) {
      expect((await call(emulator, endpoint, { Origin })).status).toBe(403)
    }
    expect((await call(emulator, endpoint, { Origin: emulator.baseUrl })).status).toBe(200)
  })

  test.each(['localhost', 'LOCALHOST:4010', '127.0.0.1', '127.1.2.3:80', '[::1]', '[::1]:4010'])(
    'answer under the loopback name %s',
    async (Host) => {
      expect((await call(emulator, steering[0], { Host })).status).toBe(200)
    },
  )
})

describe('an emulator with a control token', () => {
  test.each(steering)('%s %s requires the control token, and accepts no other', async (...endpoint) => {
    const emulator = await startEmulator({ settle: 'manual', controlToken: 'let-me-steer' })

    const statuses = await Promise.all(
      [{}, { Authorization: `Bearer ${emulator.token}` }, { Authorization: 'Bearer let-me-steer' }].map((headers) =>
        call(emulator, endpoint, headers as Record<string, string>),
      ),
    )

    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200])
    await emulator.close()
  })
})
