import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { documents, oauthEndpoints } from '../../src/contract/index.ts'
import { openWorld } from '../conformance/targets/inject.ts'

const reference = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8'))

/** A document without the parts that depend on its address. */
const withoutServers = (document: object): unknown =>
  JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'servers' ? undefined : value)).replaceAll(elsewhere, ''),
  )

/** Addresses of emulators in the examples of documents. */
const elsewhere = /http:\/\/(127\.0\.0\.1|localhost)(:\d+)?/g

it.each([
  [documents.service.path, 'openapi.json'],
  [documents.emulator.path, 'emulator-openapi.json'],
])('%s is %s, for anybody', async (url, name) => {
  const world = await openWorld({ controlToken: 'secret' })
  const { status, headers, text } = await world.exchange({ method: 'GET', url, headers: {} })
  await world.close()
  const body = JSON.parse(text)
  expect({ status, type: headers['content-type'], body: withoutServers(body) }).toEqual({
    status: 200,
    type: expect.stringMatching(/^application\/json\b/),
    body: withoutServers(reference(name)),
  })
})

it('a document names the server that serves it first, whole, with its port and world', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const { control, baseUrl } = emulator
  const { base_url: named } = await control.worlds.create({ name: 'shop' })
  const { base_url: withPort } = await control.worlds.create({ name: 'other', port: 0 })
  expect(named).toBe(`${baseUrl}/w/shop`)
  expect(withPort).not.toContain('/w/')
  for (const base of [baseUrl, named, withPort]) {
    const service = await documentAt(`${base}${documents.service.path}`)
    const lists = [service.servers, ...Object.values(oauthEndpoints).map(({ path }) => service.paths[path]?.servers)]
    for (const servers of lists) {
      expect(servers?.[0]).toEqual({ url: base, description: 'Server from which this document was loaded' })
      expect(servers).toHaveLength(2)
    }
    const steering = await documentAt(`${base}${documents.emulator.path}`)
    const emulatorUrl = base === withPort ? withPort : baseUrl
    expect(steering.servers.map(({ url }) => url)).toEqual([base, `${emulatorUrl}/w/{world}`])
  }
})

interface Served {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, { readonly servers?: Served['servers'] }>>
}

const documentAt = async (url: string): Promise<Served> => (await (await fetch(url)).json()) as Served

it('a document can only be read', async () => {
  const world = await openWorld()
  const { status, headers } = await world.exchange({ method: 'DELETE', url: documents.service.path, headers: {} })
  await world.close()
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
})

it.each([
  ['service', documents.service.path],
  ['emulator', documents.emulator.path],
])('a request may omit exactly those bodies that the document of the %s does not require', async (_, url) => {
  const world = await openWorld()
  onTestFinished(() => world.close())
  const { text } = await world.exchange({ method: 'GET', url, headers: {} })
  const headers = { Authorization: `Bearer ${world.token}`, 'X-Idempotency-Key': 'one' }
  const found: string[] = []
  for (const [path, item] of Object.entries((JSON.parse(text) as Bodies).paths)) {
    const { content, required } = item.post?.requestBody ?? {}
    if (!content?.['application/json'] || pathsOfOAuth.has(path)) continue
    const request = { method: 'POST', url: path.replace(/\{\w+\}/g, '01900000-0000-7000-8000-0000000000ff') }
    const without = await world.exchange({ ...request, headers })
    const empty = { headers: { ...headers, 'Content-Type': 'application/json' }, payload: '{}' }
    if (required) expect([path, without.text]).toEqual([path, expect.stringMatching(/is required|are required/)])
    else {
      found.push(path)
      expect([path, without.status]).toEqual([path, (await world.exchange({ ...request, ...empty })).status])
      expect([path, without.text]).not.toEqual([path, expect.stringMatching(/is required|are required/)])
    }
  }
  expect(found).not.toEqual([])
})

const pathsOfOAuth = new Set<string>(Object.values(oauthEndpoints).map(({ path }) => path))

interface Bodies {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly requestBody?: { readonly content: Readonly<Record<string, object>>; readonly required: boolean }
        }
      }
    >
  >
}
