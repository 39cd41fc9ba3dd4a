import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { type ControlId, controlEndpoints, type Endpoint } from '../../../src/contract/index.ts'
import { startWorld } from './world.ts'

const ids = Object.keys(controlEndpoints) as ControlId[]
const steering = ids.filter((id) => controlEndpoints[id].access === 'control')
const anyParams = { params: { id: '1', address: '1' } }

describe('a control endpoint', () => {
  it('answers no page of another origin', async () => {
    const { ask, emulator } = await startWorld()
    const port = Number(new URL(emulator.controlUrl).port)
    for (const origin of ['https://attacker.example', 'null', `http://127.0.0.1:${port + 1}`, 'http://localhost']) {
      for (const id of steering)
        expect((await ask(id, anyParams, { Origin: origin })).status, `${id} ${origin}`).toBe(403)
    }
  })

  it('answers its own page, and every loopback name', async () => {
    const { ask, emulator } = await startWorld()
    const { host, port } = new URL(emulator.controlUrl)
    expect((await ask('control.state', {}, { Origin: `http://${host}` })).status).toBe(200)
    for (const name of ['localhost', `localhost:${port}`, '[::1]', '127.8.8.8']) {
      expect((await ask('control.state', {}, { Host: name })).status).toBe(200)
    }
  })

  it('answers under no name of another machine', async () => {
    const { ask } = await startWorld()
    for (const id of ids) expect((await ask(id, anyParams, { Host: 'attacker.example' })).status, id).toBe(421)
  })

  it('wants the control token where there is one', async () => {
    const { ask, emulator } = await startWorld({
      controlToken: 'c0ntrol-of-this-test',
      token: 'token-of-this-test-alone',
    })
    for (const id of steering) {
      expect((await ask(id, anyParams)).status, id).toBe(401)
      expect((await ask(id, anyParams, { Authorization: `Bearer ${emulator.token}` })).status, id).toBe(401)
    }
    expect((await ask('control.state', {}, { Authorization: 'Bearer c0ntrol-of-this-test' })).status).toBe(200)
    expect(
      (await ask('control.state', {}, { Authorization: 'Bearer c0ntrol-of-this-test', Host: 'emulator.test' })).status,
    ).toBe(200)
  })

  it('says nothing of itself in headers that a page could read', async () => {
    const { ask } = await startWorld()
    const { headers } = await ask('control.state', {}, { Origin: 'https://attacker.example' })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each([
    ['is not JSON', 400, 'application/json', '{"to":'],
    ['has another media type', 415, 'text/plain', '{}'],
    ['has more than 1 MiB', 413, 'application/json', ' '.repeat(1024 * 1024 + 1)],
  ])('refuses a body that %s: %i', async (_, expected, type, body) => {
    const { emulator } = await startWorld()
    for (const id of ids) {
      const row: Endpoint = controlEndpoints[id]
      if (!row.body || row.upload) continue
      const init = { method: row.method, body, headers: { 'Content-Type': type } }
      expect((await fetch(`${emulator.controlUrl}${row.path}`, init)).status, id).toBe(expected)
      expect(Object.keys(row.errors), id).toContain(`${expected}`)
    }
  })
})

it('health says that it is ready until it is about to stop', async () => {
  const { emulator } = await startWorld()
  const status = async (query: string) => (await emulator.fetch(`/_emulator/health${query}`)).status
  expect([await status(''), await status('?ready=true')]).toEqual([200, 200])
  const drained = emulator.drain()
  expect([await status(''), await status('?ready=true'), await status('?ready=false')]).toEqual([200, 503, 200])
  await drained
})

it('health is public', async () => {
  const { ask } = await startWorld({ controlToken: 'c0ntrol' })
  const { status, body } = await ask('control.health')
  expect({ status, data: body.data }).toEqual({
    status: 200,
    data: {
      ...{ status: 'ok', version: manifest.version, pid: process.pid, shard: null },
      worlds: { open: 1, closed: 0, broken: 0 },
    },
  })
})
