import { describe, expect, it, test } from 'vitest'
import { type EmulatorOptions, EmulatorRefusal, startEmulator } from '../../emulator/index.ts'
import { controlEndpoints, documents, endpoints, oauthEndpoints } from '../../src/contract/index.ts'
import { exchangeOverHttp } from '../conformance/http_exchange.ts'
import { startWorld } from './control/world.ts'

const publicUrl = 'https://pay.test/sandbox'

const list = { method: 'GET', url: endpoints['accounts.list'].path }
const makeWorld = { method: 'POST', url: controlEndpoints['control.worlds.create'].path }

async function start(options: EmulatorOptions = {}) {
  const { emulator } = await startWorld({ publicUrl, ...options })
  const ask = async (
    { method, url, payload }: { method: string; url: string; payload?: string },
    headers: Record<string, string> = {},
    origin = emulator.baseUrl,
  ) => {
    const own = { Authorization: `Bearer ${emulator.token}`, 'Content-Type': 'application/json' }
    const answer = await exchangeOverHttp(new URL(origin), {
      method,
      url,
      headers: { ...own, ...headers },
      ...(payload !== undefined && { payload }),
    })
    return { status: answer.status, text: answer.text, json: () => JSON.parse(answer.text) }
  }
  return { emulator, ask }
}

describe('an emulator with a public URL', () => {
  test('uses it in links, worlds and documents, whatever the Host', async () => {
    const { emulator, ask } = await start()
    expect(emulator.publicUrl).toBe(publicUrl)
    const { data } = (await ask(list)).json()
    expect(data.path).toBe(`${publicUrl}${list.url}`)
    expect(data.first_page_url).toBe(`${publicUrl}${list.url}?page=1`)
    const made = (await ask({ ...makeWorld, payload: '{"name":"shop"}' })).json().data
    expect(made).toMatchObject({ base_url: `${publicUrl}/w/shop`, auth_url: `${publicUrl}/w/shop` })
    const inWorld = (await ask({ ...list, url: `/w/shop${list.url}` })).json().data
    expect(inWorld.path).toBe(`${publicUrl}/w/shop${list.url}`)
    const document = (await ask({ method: 'GET', url: documents.service.path })).json()
    expect(document.servers[0].url).toBe(publicUrl)
  })

  test('links to a world from its own port', async () => {
    const { ask } = await start()
    const made = (await ask({ ...makeWorld, payload: '{"name":"shop","port":0}' })).json().data
    const { hostname, port } = new URL(made.base_url)
    expect(hostname).toBe('pay.test')
    const { data } = (await ask(list, {}, `http://127.0.0.1:${port}`)).json()
    expect(data.path).toBe(`${publicUrl}/w/shop${list.url}`)
  })

  test('answers under its name and those of this machine, and under no other', async () => {
    const { ask } = await start()
    const statuses = async (...hosts: readonly string[]) =>
      await Promise.all(hosts.map(async (Host) => (await ask(list, { Host })).status))
    expect(await statuses('pay.test', 'PAY.test', 'localhost:1')).toEqual([200, 200, 200])
    expect(await statuses('pay.test.attacker.example', 'pay.test:8080', 'attacker.example')).toEqual([421, 421, 421])
  })

  test('is steered by pages of its own origin, and by no others', async () => {
    const { ask } = await start()
    const steer = { method: 'GET', url: controlEndpoints['control.state'].path }
    const from = async (Origin: string) => (await ask(steer, { Origin })).status
    expect([await from('https://pay.test'), await from('http://pay.test'), await from('https://x.test')]).toEqual([
      200, 403, 403,
    ])
  })

  test('takes the answer of its own consent page, also through a proxy that names another Host', async () => {
    const { emulator, ask } = await start()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: emulator.clientId,
      redirect_uri: 'http://127.0.0.1:1/callback',
      scope: 'read-user',
    })
    const decide = { method: 'POST', url: `${oauthEndpoints['oauth.decide'].path}?${query}`, payload: 'decision=deny' }
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await ask(decide, { ...form, Origin: 'https://pay.test' })).status).toBe(303)
    expect((await ask(decide, { ...form, Origin: 'https://x.test' })).status).toBe(403)
  })
})

describe('a public URL', () => {
  it.each(['pay.test', 'ftp://pay.test', 'https://me:secret@pay.test', 'https://pay.test/?x=1', 'https://pay.test/#x'])(
    '%s is refused',
    async (url) => {
      await expect(startEmulator({ publicUrl: url })).rejects.toThrow(EmulatorRefusal)
    },
  )

  it.each(['http://localhost:8080', 'http://emulator:4010', 'https://pay.internal'])(
    '%s, which nobody on the internet reaches, needs no secrets of one’s own',
    async (url) => {
      const { emulator } = await startWorld({ publicUrl: url })
      expect(emulator.publicUrl).toBe(url)
    },
  )

  it.each(['https://pay.example.com', 'http://203.0.113.7:4010', 'http://[2001:db8::7]'])(
    '%s requires the user’s own secrets',
    async (url) => {
      await expect(startEmulator({ publicUrl: url })).rejects.toThrow(
        `Under ${url}, the emulator can be reached from other machines and needs secrets of your own`,
      )
      const secrets = { token: 'token-of-this-test-alone', controlToken: 'control-of-this-test-alone' }
      const { emulator } = await startWorld({ publicUrl: `${url}/`, ...secrets })
      expect(emulator.publicUrl).toBe(url)
      expect(emulator.clientSecret).not.toBe('payctl-demo-secret')
    },
  )
})
