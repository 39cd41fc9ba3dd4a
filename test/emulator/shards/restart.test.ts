import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Supervisor } from '../../support/supervisor.ts'

const [token, controlToken] = ['a-token-of-this-test-only-1', 'a-control-token-of-this-test-2']

const folder = mkdtempSync(join(tmpdir(), 'payctl-restart-'))

const supervisor = new Supervisor(['--worlds', join(folder, 'worlds'), '--settle', 'manual', '--rate-limit', 'off'], {
  PAYCTL_EMULATOR_TOKEN: token,
  PAYCTL_EMULATOR_CONTROL_TOKEN: controlToken,
  PAYCTL_STATE_DIR: folder,
  PAYCTL_CONFIG_DIR: folder,
})

beforeAll(() => supervisor.start())

afterAll(async () => {
  await supervisor.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly connection: string | undefined
  readonly data: unknown
}

/** Sends one request; rejects if the connection fails. */
function ask(agent: Agent | undefined, method: string, path: string, { key = '', body = '', access = token } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${access}`,
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...(key && { 'X-Idempotency-Key': key }),
    }
    const sent = request(`${supervisor.baseUrl}${path}`, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString())
        resolve({ status: response.statusCode as number, connection: response.headers.connection, data })
      })
    })
    sent.on('error', reject).end(body)
  })
}

async function payment() {
  const { data } = await ask(undefined, 'GET', '/api/accounts')
  const [{ id }] = (data as { data: [{ id: string }] }).data
  return JSON.stringify({ source_account_id: id, recipient_phone: '87000001', amount: 1 })
}

/** Keeps paying through one kept-alive connection until `stopped`; appends the status of each answer to `statuses`. */
async function pay(
  client: number,
  body: string,
  { statuses, stopped }: { statuses: number[]; stopped: () => boolean },
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let at = 0; !stopped(); at += 1) {
    const key = `client-${client}-payment-${at}`
    statuses.push((await ask(agent, 'POST', '/api/payments', { key, body })).status)
  }
  agent.destroy()
}

describe('an emulator on the socket of a supervisor', () => {
  it('is restarted under load without a refused connection or a lost request', async () => {
    let isStopped = false
    const statuses: number[] = []
    const body = await payment()
    const stopped = () => isStopped
    const clients = Array.from({ length: 8 }, (_, client) => pay(client, body, { statuses, stopped }))
    for (let restart = 1; restart <= 3; restart += 1) {
      await expect.poll(() => statuses.length, { timeout: 10_000 }).toBeGreaterThan(restart * 20)
      expect(await supervisor.end('SIGTERM')).toEqual([0, null])
      await supervisor.start()
    }
    isStopped = true
    await Promise.all(clients)
    expect(new Set(statuses)).toEqual(new Set([201]))
    const state = await ask(undefined, 'GET', '/_emulator/ledger', { access: controlToken })
    expect(state.data).toMatchObject({ balanced: true, payments: statuses.length })
  })

  it('answers connections that were made while none was running, after a kill too', async () => {
    await supervisor.end('SIGKILL')
    const waiting = Array.from({ length: 20 }, () => ask(undefined, 'GET', '/api/accounts'))
    await supervisor.start()
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  })

  it('answers what was under way, with a wait in it, and closes the connections', async () => {
    const agent = new Agent({ keepAlive: true })
    await ask(agent, 'GET', '/api/accounts')
    const wait = JSON.stringify({ requests: 100_000, timeout_ms: 60_000 })
    const waiting = ask(agent, 'POST', '/_emulator/wait', { access: controlToken, body: wait })
    // When the emulator answers this later request, it has already read the wait request.
    await ask(undefined, 'GET', '/api/accounts')
    const ended = supervisor.end('SIGTERM')
    const answer = await waiting
    expect(answer).toMatchObject({ status: 503, connection: 'close' })
    expect(await ended).toEqual([0, null])
    await supervisor.start()
    agent.destroy()
  })

  it('closes idle connections soon, and slow ones after five seconds', async () => {
    const idle = connect(supervisor.port, '127.0.0.1')
    idle.write(`GET /api/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await once(idle, 'data')
    const slow = connect(supervisor.port, '127.0.0.1')
    slow.write('POST /api/payments HTTP/1.1\r\nHost: 127.0.0.1\r\n')
    await once(slow, 'connect')
    const began = performance.now()
    const closed = async (socket: Socket) => {
      await once(
        socket.resume().on('error', () => {}),
        'close',
      )
      return performance.now() - began
    }
    const ended = supervisor.end('SIGTERM')
    const [idleMs, slowMs] = await Promise.all([closed(idle), closed(slow)])
    expect(await ended).toEqual([0, null])
    expect(idleMs).toBeLessThan(2000)
    expect(slowMs).toBeGreaterThan(4500)
    await supervisor.start()
  })
})
