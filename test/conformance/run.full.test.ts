import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { worldHeader } from '../../src/contract/index.ts'
import { demoRegistry } from '../emulator/demo_registry.ts'

const script = fileURLToPath(new URL('run.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (token: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', PAYCTL_TOKEN: token }
    const child = execFile(process.execPath, [script, ...args], { env, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })

interface Write {
  readonly method: string
  readonly path: string
  readonly body: { readonly amount?: unknown; readonly recipient_iban?: unknown; readonly recipient_phone?: unknown }
}

interface Reply {
  status: number
  readonly headers: Record<string, unknown>
  readonly envelope: Record<string, unknown> & { readonly data?: Record<string, unknown> | null }
}

const noEmulator = ({ headers }: Reply) => {
  delete headers[worldHeader.toLowerCase()]
}

/** The emulator with something done to each of its answers. */
async function service(change: (path: string, reply: Reply) => void) {
  const emulator = await startEmulator({ settle: 0 })
  const writes: Write[] = []
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url = '', headers } = incoming
    const body = await text(incoming)
    if (method !== 'GET' && !url.endsWith('/validate')) writes.push({ method, path: url, body: parsed(body) })
    const { port } = new URL(emulator.baseUrl)
    const forwarded = request({
      port,
      host: '127.0.0.1',
      method,
      path: url,
      headers: { ...headers, host: '127.0.0.1' },
    })
    forwarded.end(body)
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
    const { 'content-length': _, ...rest } = answer.headers
    const reply = { status: answer.statusCode ?? 500, headers: rest, envelope: parsed(await text(answer)) }
    change(url, reply)
    outgoing.writeHead(reply.status, rest).end(JSON.stringify(reply.envelope))
  }
  // A request that is broken off on purpose ends here.
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await emulator.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: emulator.token, writes }
}

function parsed(body: string) {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

describe('npm run conformance', () => {
  test.each([
    ['nothing', '', [], '--base-url is missing.'],
    ['no token', '', ['--base-url', 'http://127.0.0.1:4010'], 'PAYCTL_TOKEN is not set.'],
    ['a token that all can see', 'abc', ['--base-url', 'http://x', '--token', 'abc'], 'set PAYCTL_TOKEN'],
    ['a flag without its value', 'abc', ['--base-url'], '--base-url is missing.'],
    ['a base URL that is none', 'abc', ['--base-url', 'localhost:4010'], '--base-url is no http or https URL'],
    [
      'an allowance that is none',
      'abc',
      ['--base-url', 'http://x', '--allow-payments', '1e9'],
      '--allow-payments "1e9"',
    ],
  ])('with %s says what is missing and how it is used, and runs nothing', async (_, token, args, why) => {
    const { code, stdout, stderr } = await run(token, ...args)

    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(why)
    expect(stderr).toContain('npm run conformance -- --base-url <url>')
  })

  test('at an emulator tries everything, its own decisions too, and names what it skips', async () => {
    const { baseUrl, token, close } = await startEmulator({ settle: 0 })
    onTestFinished(close)

    const { code, stdout } = await run(token, '--base-url', baseUrl)

    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/✓ .*the user behind the token is shown/)
    expect(stdout).toMatch(/✓ .*the IBAN of an account in CRC is valid and of no bank’s/)
    expect(stdout).toMatch(/✓ .*the events of a payment tell what it is/)
    expect(stdout).toMatch(/✓ .*a token without the scope is refused/)
    expect(stdout).toMatch(/↓ .*many at once never spend more than there is/)
  }, 240_000)

  test('at any other service only reads, and leaves out what the emulator decided', async () => {
    const { baseUrl, token, writes } = await service((_, reply) => noEmulator(reply))

    const { code, stdout } = await run(token, '--base-url', baseUrl)

    expect(writes).toEqual([])
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/✓ .*answers carry the rate limit/)
    expect(stdout).toMatch(/↓ .*the same key again gives the same payment.*--allow-payments/)
    expect(stdout).toMatch(/↓ .*the IBAN of an account in CRC is valid and of no bank’s/)
    expect(stdout).toMatch(/↓ .*fifty twins at once are one payment/)
  }, 240_000)

  test('pays no more than it was allowed, and nobody who is not known; one fault fails the cases of one endpoint', async () => {
    const addresses = demoRegistry.map(({ address }) => address)
    const { baseUrl, token, writes } = await service((path, reply) => {
      noEmulator(reply)
      const { data } = reply.envelope
      if (data && addresses.some((address) => path.endsWith(`/information/${address}`))) data.name = 'Somebody Else'
      if (data && path.startsWith('/api/user')) delete data.email
    })

    const { code, stdout } = await run(token, '--base-url', baseUrl, '--allow-payments', '10.00')

    const payments = writes.filter(({ path }) => path === '/api/payments').map(({ body }) => body)
    const asked = payments.reduce((sum, { amount }) => sum + (Number(amount) > 0 ? Number(amount) : 0), 0)
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(1000)
    const payees = payments.flatMap(({ recipient_iban, recipient_phone }) => [recipient_iban, recipient_phone])
    expect(payees.filter((payee) => addresses.includes(String(payee)))).toEqual([])
    expect(code).toBe(1)
    expect(stdout).toMatch(/[×✗] .*GET \/api\/user answers in the envelope with every field/)
    expect(stdout).toMatch(/✓ .*the same key again gives the same payment, and makes no other/)
    expect(stdout).toMatch(/✓ .*GET \/api\/accounts answers in the envelope with every field/)
    expect(stdout).toMatch(/↓ .*would pay somebody|↓ .*are left/)
  }, 240_000)

  test('what a server gets wrong is told by the case that says what it should be', async () => {
    const { baseUrl, token } = await service((path, reply) => {
      const { envelope, headers } = reply
      for (const name of Object.keys(headers)) if (name.startsWith('x-ratelimit-')) delete headers[name]
      if (reply.status === 403) reply.status = 200
      if (path.startsWith('/oauth/token')) envelope.error = 'invalid_request'
      if (envelope.data && path.includes('/phone/')) envelope.data.document_type = 0
    })

    const { code, stdout } = await run(token, '--base-url', baseUrl, '-t', 'the interface: ')

    expect(code).toBe(1)
    expect(stdout).toMatch(/[×✗] .*answers carry the rate limit/)
    expect(stdout).toMatch(/[×✗] .*a token without the scope is refused/)
    expect(stdout).toMatch(/[×✗] .*of a client nobody registered is invalid_client/)
    expect(stdout).toMatch(/[×✗] .*of a phone no document type is told/)
    expect(stdout).toMatch(/ 5 failed /)
  }, 240_000)
})
