import dns, { type LookupAddress } from 'node:dns'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { InvalidRequestError } from '../../src/client/index.ts'
import { startProxy } from '../support/proxy.ts'
import { errorOf, type Reply, rig, startStub, success } from '../support/stub.ts'

const ok: Reply = [200, success({ id: 'u' })]

/** Replaces the system's name service with these addresses; returns the names that were looked up. */
function nameService(addresses: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = []
  const answer = (name: string, _: unknown, done: (error: Error | null, found: LookupAddress[]) => void) => {
    asked.push(name)
    const found = (addresses[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    done(found.length === 0 ? Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' }) : null, found)
  }
  vi.spyOn(dns, 'lookup').mockImplementation(answer as unknown as typeof dns.lookup)
  return asked
}

afterEach(() => vi.restoreAllMocks())

const portOf = (url: string) => new URL(url).port

describe('a token over plain http', () => {
  test.each([
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://10.0.0.1',
    'http://[::ffff:10.0.0.1]',
    'http://128.0.0.1',
  ])('is refused for %s, before any connection', async (baseUrl) => {
    const asked = nameService({})
    expect(() => rig(baseUrl)).toThrow(InvalidRequestError)
    expect(() => rig(baseUrl)).toThrow(/anyone on the network path could read the token/)
    const calls: string[] = []
    const token = async () => `token ${calls.push('asked')}`
    const { client } = rig(baseUrl, { token })
    expect(await errorOf(client.call('user.get'))).toBeInstanceOf(InvalidRequestError)
    expect(await errorOf(client.raw({ method: 'GET', path: '/api/user' }))).toBeInstanceOf(InvalidRequestError)
    expect({ calls, asked }).toEqual({ calls: [], asked: [] })
  })

  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://[::1]',
    'http://0.0.0.0',
    'http://[::]',
  ])('may go to this machine: %s', (baseUrl) => {
    expect(() => rig(baseUrl)).not.toThrow()
  })

  test('is refused for a proxy on another machine, wherever it goes', async () => {
    const proxy = 'http://proxy.example.com:3128'
    expect(() => rig('http://127.0.0.1:1', { proxy })).toThrow(/anyone on the network path could read the token/)
    expect(() => rig('https://api.example.com', { proxy })).not.toThrow()
  })

  test('may go through a proxy of this machine', async () => {
    const stub = await startStub(ok)
    const proxy = await startProxy()
    expect(await rig(stub.url, { proxy: `http://${proxy.host}` }).client.call('user.get')).toEqual({ id: 'u' })
  })
})

describe('a name under localhost', () => {
  test.each([
    ['localhost', ['127.0.0.1']],
    ['api.localhost', ['127.0.0.1']],
    ['api.localhost', ['127.0.0.1', '::1']],
  ])('%s that stands for %j is this machine', async (name, addresses) => {
    const stub = await startStub(ok)
    const asked = nameService({ [name]: addresses })
    expect(await rig(`http://${name}:${portOf(stub.url)}`).client.call('user.get')).toEqual({ id: 'u' })
    expect(asked).toEqual([name])
  })

  test.each([[['192.0.2.1']], [['127.0.0.1', '192.0.2.1']], [['::1', '2001:db8::1']], [['::ffff:192.0.2.1']]])(
    'that stands for %j gets no connection over plain http',
    async (addresses) => {
      const stub = await startStub(ok)
      const asked = nameService({ 'api.localhost': addresses })
      const { client, delays } = rig(`http://api.localhost:${portOf(stub.url)}`)
      const error = await errorOf(client.call('user.get'))
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect((error as Error).message).toMatch(/api\.localhost is not this machine but /)
      expect({ asked, received: stub.received, delays }).toEqual({ asked: ['api.localhost'], received: [], delays: [] })
    },
  )

  test('over https is whatever its certificate says', async () => {
    const stub = await startStub(ok)
    nameService({ 'api.localhost': ['127.0.0.1', '192.0.2.1'] })
    const { client } = rig(`https://api.localhost:${portOf(stub.url)}`, { retries: 0, timeout: 500 })
    expect(await errorOf(client.call('user.get'))).toMatchObject({ name: 'NetworkError' })
  })
})
