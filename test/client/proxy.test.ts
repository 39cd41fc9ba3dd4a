import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requestToken } from '../../src/auth/token_endpoint.ts'
import { InvalidRequestError, NetworkError, OutcomeUnknownError, originalOf } from '../../src/client/index.ts'
import { proxyFor } from '../../src/config/proxy.ts'
import { selfSigned } from '../support/certificate.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { startProxy } from '../support/proxy.ts'
import { serveSecurely } from '../support/server.ts'
import { errorOf, failure, payment, rig, startStub, success } from '../support/stub.ts'

const host = 'api.payctl.test'

/** A service with its own certificate, and with a host name that only a proxy can resolve. */
async function startSecure() {
  const { key, cert } = selfSigned(host)
  const authorizations: (string | undefined)[] = []
  const port = await serveSecurely({ key, cert }, ({ headers }, response) => {
    authorizations.push(headers.authorization)
    response.end(JSON.stringify(success({ id: 'behind-the-proxy' })))
  })
  return { cert, authorizations, port }
}

/** Runs payctl as a process that trusts the service's certificate. */
async function securely(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const service = await startSecure()
  const proxy = await startProxy({ port: service.port })
  const { home, run } = await freshMachine()
  const file = join(home, 'ca.pem')
  await writeFile(file, service.cert)
  const filled = Object.entries(env).map(([name, value]) => [name, value.replace('PROXY', proxy.host)])
  const finished = await run([...args, '--base-url', `https://${host}`, '--retries', '0'], {
    process: true,
    env: { PAYCTL_TOKEN: 'token-of-the-test', NODE_EXTRA_CA_CERTS: file, ...Object.fromEntries(filled) },
  })
  return { ...finished, proxy, service }
}

describe('a proxy of the environment', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('%s carries a request that it can not read', async (name) => {
    const { code, stdout, proxy, service } = await securely({ [name]: 'http://PROXY' }, 'user', '--json')
    expect({ code, id: JSON.parse(stdout).id }).toEqual({ code: 0, id: 'behind-the-proxy' })
    expect(service.authorizations).toEqual(['Bearer token-of-the-test'])
    expect(proxy.tunnels).toEqual([{ target: `${host}:443`, authorization: undefined }])
    expect(proxy.plain).toEqual([])
    expect(proxy.bytes()).not.toBe('')
    expect(proxy.bytes()).not.toMatch(/token-of-the-test|Bearer|behind-the-proxy|\/api\/user/)
  })

  test('gets its password, which is never printed', async () => {
    const { code, stderr, proxy } = await securely({ HTTPS_PROXY: 'http://ana:s%40cret@PROXY' }, 'user', '--verbose')
    expect(code).toBe(0)
    const basic = Buffer.from('ana:s@cret').toString('base64')
    expect(proxy.tunnels).toEqual([{ target: `${host}:443`, authorization: `Basic ${basic}` }])
    for (const secret of ['s@cret', 's%40cret', basic, 'token-of-the-test']) expect(stderr).not.toContain(secret)
  })

  test('that is not there is named in the error, without its password', async () => {
    const { run } = await freshMachine()
    const { code, stderr } = await run(['user', '--base-url', `https://${host}`, '--retries', '0', '--verbose'], {
      env: { PAYCTL_TOKEN: 'token-of-the-test', HTTPS_PROXY: 'http://ana:s3cret@127.0.0.1:1' },
    })
    expect(code).toBe(12)
    expect(stderr).toContain(`No answer from https://${host} through the proxy http://127.0.0.1:1: connection refused.`)
    expect(stderr).not.toMatch(/s3cret|ana/)
  })

  test.each(['socks5://ana:s3cret@host:1080', 'http://ana:s3cret@[', 'ftp://ana:s3cret@host'])(
    'that can not be used is a usage error: %s',
    async (proxy) => {
      const { code, stderr } = await securely({ HTTPS_PROXY: proxy }, 'user')
      expect(code).toBe(2)
      expect(stderr).toContain('HTTPS_PROXY is not a proxy that payctl can use.')
      expect(stderr).not.toContain('s3cret')
    },
  )

  test('is not asked for this machine', async () => {
    const stub = await startStub([200, success({})])
    const proxy = await startProxy()
    const { run } = await freshMachine()
    const env = { HTTP_PROXY: `http://${proxy.host}`, http_proxy: `http://${proxy.host}` }
    const { code } = await run(['user', '--base-url', stub.url], { env: { ...env, PAYCTL_TOKEN: 'token-of-the-test' } })
    expect(code).toBe(0)
    expect({ tunnels: proxy.tunnels, plain: proxy.plain }).toEqual({ tunnels: [], plain: [] })
  })
})

describe('a token request', () => {
  test('goes through the proxy too', async () => {
    const stub = await startStub([200, { access_token: 'granted', token_type: 'Bearer' }])
    const proxy = await startProxy()
    const endpoint = { authUrl: stub.url, signal: new AbortController().signal, retries: 0 }
    const body = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c', client_secret: 's' } as const

    const grant = await requestToken(body, { ...endpoint, proxyFor: async () => `http://${proxy.host}` })

    expect(grant.accessToken).toBe('granted')
    expect(proxy.tunnels).toMatchObject([{ target: new URL(stub.url).host }])
  })
})

describe('the choice of a proxy', () => {
  const proxy = 'http://proxy:3128'

  test.each([
    ['https://api.example.com', { HTTPS_PROXY: proxy }, proxy],
    ['https://api.example.com', { https_proxy: proxy, HTTPS_PROXY: 'http://other' }, proxy],
    ['https://api.example.com', { HTTPS_PROXY: 'proxy:3128' }, proxy],
    ['https://api.example.com', { HTTP_PROXY: proxy }, undefined],
    ['http://api.example.com', { HTTP_PROXY: proxy }, proxy],
    ['http://api.example.com', { HTTPS_PROXY: proxy }, undefined],
    ['https://localhost', { HTTPS_PROXY: proxy }, undefined],
    ['http://127.0.0.1:4010', { HTTP_PROXY: proxy }, undefined],
    ['http://[::1]:4010', { HTTP_PROXY: proxy }, undefined],
    ['https://api.example.com', {}, undefined],
  ])('for %s with %j is %s', (url, env, chosen) => {
    expect(proxyFor(url, env)).toBe(chosen)
  })

  test.each([
    ['*', true],
    ['example.com', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['API.Example.com', true],
    ['other.com, example.com', true],
    ['other.com example.com', true],
    ['example.com:443', true],
    ['example.com:8443', false],
    ['ample.com', false],
    ['example.com.evil', false],
    ['com.', false],
    ['', false],
    [',,', false],
  ])('leaves api.example.com out with NO_PROXY=%s: %s', (list, left) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(proxyFor('https://api.example.com', { HTTPS_PROXY: proxy, [name]: list })).toBe(left ? undefined : proxy)
    }
  })

  test.each(['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'])('leaves an address out with NO_PROXY=%s', (list) => {
    expect(proxyFor('https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: list })).toBeUndefined()
  })
})

describe('the library', () => {
  test('goes through the proxy that it is given, by a tunnel for each request', async () => {
    const stub = await startStub([200, success({ id: 1 })])
    const proxy = await startProxy()
    const { client } = rig(stub.url, { proxy: `http://${proxy.host}` })

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    const target = new URL(stub.url).host
    expect(proxy.tunnels).toMatchObject([{ target }, { target }])
    expect(stub.received[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test.each(['http', 'https'])('reaches a service at %s through a proxy that is asked over TLS', async (scheme) => {
    const tls = selfSigned('localhost')
    setDefaultCACertificates([...rootCertificates, tls.cert])
    onTestFinished(() => setDefaultCACertificates([...rootCertificates]))
    const url = scheme === 'https' ? await startSecureService(tls) : (await startStub([200, success({ id: 1 })])).url
    const proxy = await startProxy({ tls })
    const { client } = rig(url, { proxy: `https://${proxy.host}`, retries: 0, timeout: 5000 })

    expect(originalOf(await client.call('payments.create', payment))).toEqual({ id: 1 })
    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    const target = new URL(url).host
    expect(proxy.tunnels).toMatchObject([{ target }, { target }])
  })

  test('sends no payment through a tunnel in which an answer comes before the request', async () => {
    const stub = await startStub([201, success({ id: 'p1' })])
    const body = JSON.stringify(failure('Insufficient balance'))
    const more = `HTTP/1.1 422 Any\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const proxy = await startProxy({ more })
    const { client } = rig(stub.url, { proxy: `http://${proxy.host}`, retries: 0 })

    const error = await errorOf(client.call('payments.create', payment))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ reason: 'the proxy sent data after its answer' })
    expect(stub.received).toEqual([])
  })

  test.each([
    ['407 Proxy Authentication Required', 'the proxy requires a user name and password (407)'],
    ['403 Forbidden', 'the proxy refused the connection (403)'],
  ])('reports that the proxy answered %s, and that a payment was not sent', async (refusal, reason) => {
    const stub = await startStub([200, success({})])
    const proxy = await startProxy({ refusal })
    const { client } = rig(stub.url, { proxy: `http://ana:s3cret@${proxy.host}`, retries: 0 })

    const error = await errorOf(client.call('payments.create', payment))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).not.toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ reason })
    expect(String(error)).not.toContain('s3cret')
    expect(stub.received).toEqual([])
  })

  test.each(['socks5://s3cret@x', 's3cret', ''])('refuses a proxy that it can not use: %j', (proxy) => {
    const open = () => rig('http://127.0.0.1:1', { proxy })
    expect(open).toThrow(InvalidRequestError)
    expect(open).not.toThrow(/s3cret/)
  })

  test('closes while a proxy keeps it waiting', async () => {
    const proxy = await startProxy({ port: 1 })
    const { client } = rig('https://service.invalid', { proxy: `http://${proxy.host}`, retries: 0 })
    const call = errorOf(client.call('user.get'))
    await client.close()
    expect(await call).toBeInstanceOf(Error)
  })
})

async function startSecureService(tls: { readonly key: string; readonly cert: string }): Promise<string> {
  const port = await serveSecurely(tls, (_, response) => response.end(JSON.stringify(success({ id: 1 }))))
  return `https://localhost:${port}`
}
