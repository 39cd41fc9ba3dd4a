import { afterAll, expect, it } from 'vitest'
import { failure, type Reply, startStub } from '../support/stub.ts'
import { english, expectNoEnglish, type Pair, runsAt, spanish, writePage } from './screens.ts'

// Errors in Spanish about answers that are not the service's.

const pairs: Pair[] = []
afterAll(() => writePage('wrong_service.html', pairs))

const html = '<!doctype html><title>Welcome</title>'

it.each<[name: string, reply: Reply, says: RegExp, path?: string]>([
  ['a web page', [200, html], /El servidor respondió 200 con una página web, no con JSON\. Revise que la dirección/],
  ['an empty answer', [200, ''], /respondió 200 con un contenido vacío, no con JSON/],
  ['text', [200, 'hello'], /respondió 200 con otra cosa, no con JSON/],
  ['a gateway', [404, html], /respondió 404 con una página web, no con JSON\. La respuesta no es del servicio/],
  ['a gateway that fails', [502, html], /respondió 502 con una página web/],
  ['JSON without data', [200, '{"success":true}'], /respondió 200 sin datos/],
  [
    'a failure with status 200',
    [200, '{"success":false,"data":{}}'],
    /respondió 200, pero su respuesta dice success: false/,
  ],
  ['data of another kind', [200, '{"success":true,"data":[]}'], /respondió 200 con datos de otro tipo/],
  [
    'an error without words',
    [404, '{"success":false,"data":null}'],
    /El servidor respondió 404: no existe lo que se pidió/,
  ],
  ['a status without a meaning', [418, '{"success":false,"data":null}'], /El servidor respondió 418/],
  ['a wrong path', [404, failure('Not Found.')], /indíquela sin \/api/, '/api'],
  [
    'a redirect',
    [302, '', { Location: 'https://banco.example/x' }],
    /302, una redirección a https:\/\/banco\.example\. payctl no/,
  ],
  ['a redirect to nowhere', [302, ''], /302, una redirección sin destino/],
])('%s', async (name, reply, says, path = '') => {
  const { url } = await startStub(reply)
  const { run } = await runsAt({ baseUrl: `${url}${path}`, token: 'token-of-the-test' })
  const argv = ['user', '--retries', '0']
  const [there, here] = [await run(argv, english, 80), await run(argv, spanish, 80)]

  pairs.push({ name, texts: [there.stderr, here.stderr] })
  expect(here.code).toBe(there.code)
  expect(here.stderr.replace(/\s+/g, ' ')).toMatch(says)
  expectNoEnglish(here.stderr, name)
})

it.each([
  [
    'a proxy that does not answer',
    { HTTPS_PROXY: 'http://127.0.0.1:1' },
    /banco\.example \(por el proxy http:\S+\) no respondió/,
  ],
  [
    'a proxy of another kind',
    { HTTPS_PROXY: 'ftp://127.0.0.1' },
    /payctl no puede usar el proxy que indica HTTPS_PROXY/,
  ],
])('%s', async (name, env, says) => {
  const { run } = await runsAt({ baseUrl: 'https://banco.example', token: 'token-of-the-test' })
  const argv = ['user', '--retries', '0']
  const [there, here] = [await run(argv, { ...english, ...env }, 80), await run(argv, { ...spanish, ...env }, 80)]

  pairs.push({ name, texts: [there.stderr, here.stderr] })
  expect(here.code).toBe(there.code)
  expect(here.stderr.replace(/\s+/g, ' ')).toMatch(says)
  expectNoEnglish(here.stderr, name)
})
