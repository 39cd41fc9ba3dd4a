import fc from 'fast-check'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { html } from '../../../emulator/ui/html.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import { allScopes } from '../../../src/contract/index.ts'
import { anyCharacter } from '../../support/any_character.ts'
import { redirectOf, search, startOAuthApp } from './oauth_app.ts'

describe('what the user answers', () => {
  test('granting all gives a token with every scope, of the user that was picked', async () => {
    const app = await startOAuthApp()

    const { scope, access_token } = await app.signIn({}, { user: demo.neighbour.user.id })

    expect(scope.split(' ')).toEqual(allScopes)
    expect(await app.asked(access_token)).toEqual({ status: 200, name: 'Laura Quesada Brenes' })
  })

  test('granting less gives a token that says so, and can do no more', async () => {
    const app = await startOAuthApp()

    const { scope, access_token } = await app.signIn({}, { grant: ['read-accounts', 'send-payments'] })

    expect(scope).toBe('read-accounts send-payments')
    expect(await app.asked(access_token)).toMatchObject({ status: 403 })
  })

  test.each([
    ['deny', { decision: 'deny' }],
    ['deny, whatever is ticked', { decision: 'deny', user: undefined, grant: [] }],
    ['allow with nothing ticked', { grant: [] }],
  ])('%s is access_denied', async (_, form) => {
    const response = await (await startOAuthApp()).decide({}, form)

    expect(response.status).toBe(303)
    expect(Object.fromEntries(redirectOf(response))).toMatchObject({ error: 'access_denied', state: 'xyz' })
    expect(redirectOf(response).has('code')).toBe(false)
  })

  test.each([
    ['no decision', { decision: undefined }],
    ['two decisions', { decision: ['allow', 'deny'] }],
    ['an unknown decision', { decision: 'yes' }],
    ['no user', { user: undefined }],
    ['an unknown user', { user: '01900000-0000-7000-8000-0000000000ff' }],
    ['a user that is not an id', { user: "' OR 1=1 --" }],
    ['a scope that is none', { grant: ['read-user', 'read-minds'] }],
  ])('%s is a page', async (_, form) => {
    const response = await (await startOAuthApp()).decide({}, form)

    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  test('a scope that was not asked for can’t be granted', async () => {
    const response = await (await startOAuthApp()).decide(
      { scope: 'read-user' },
      { grant: ['read-user', 'send-payments'] },
    )

    expect(response.status).toBe(400)
  })

  test('the form can be JSON', async () => {
    const app = await startOAuthApp()

    const response = await fetch(app.link(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: demo.user.id.toUpperCase(), grant: ['read-user'], decision: 'allow' }),
      redirect: 'manual',
    })

    expect((await app.exchange(redirectOf(response).get('code') ?? '')).body.scope).toBe('read-user')
  })
})

describe('who may answer', () => {
  test.each([
    ['the page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['the page of another site, by an old browser', { origin: 'https://evil.example' }],
    ['a page on another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a page on another port, by an old browser', { origin: 'http://127.0.0.1:1' }],
    ['a page that hides where it is', { origin: 'null' }],
    ['a page that hides and lies', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a page that shows only its distance', { 'sec-fetch-site': 'cross-site' }],
    ['another subdomain', { 'sec-fetch-site': 'same-site' }],
  ])('not %s', async (_, headers: Record<string, string>) => {
    const response = await (await startOAuthApp()).decide({}, {}, headers)

    expect(response.status).toBe(403)
    expect(response.headers.get('location')).toBeNull()
  })

  test('not through a name that points at this machine', async () => {
    const link = (await startOAuthApp()).link()
    for (const host of ['evil.example', 'localhost.evil.example:4010', '127.0.0.1.nip.io', '127.0.0.1@evil.example']) {
      expect((await through(host, link)).statusCode, host).toBe(421)
      expect((await through(host, link, { decision: 'deny' })).statusCode, host).toBe(421)
    }
    expect((await through('LOCALHOST:4010', link)).statusCode).toBe(200)
  })

  test('the page itself, and programs, which send none of these headers', async () => {
    const app = await startOAuthApp()
    const own = { origin: app.emulator.authUrl, 'sec-fetch-site': 'same-origin' }

    expect(redirectOf(await app.decide({}, {}, own)).has('code')).toBe(true)
    expect(redirectOf(await app.decide()).has('code')).toBe(true)
  })

  test('with a control token, for any caller, under any name of the machine', async () => {
    const app = await startOAuthApp({ controlToken: 'a-secret-of-the-test', token: 'another-of-this-test' })
    const host = 'bank.internal:4010'
    const allow = { user: demo.user.id, grant: 'read-user', decision: 'allow' }

    const page = await (await through(host, app.link())).body.text()
    expect(page).toContain('name="control_token"')
    for (const { id, name, email } of await app.emulator.control.users.list()) {
      for (const known of [id, name, email]) expect(page).not.toContain(known)
    }
    const unknown = { user: '01900000-0000-7000-8000-0000000000ff', grant: 'read-user', decision: 'allow' }
    expect((await through(host, app.link(), unknown)).statusCode).toBe(403)
    for (const control_token of [undefined, '', 'guess', ['a-secret-of-the-test', 'x']]) {
      expect((await through(host, app.link(), { ...allow, control_token })).statusCode).toBe(403)
    }
    const { headers } = await through(host, app.link(), { ...allow, control_token: 'a-secret-of-the-test' })
    expect(headers.location).toContain('?code=')
    const byEmail = {
      ...allow,
      user: ` ${app.emulator.user.email.toUpperCase()}`,
      control_token: 'a-secret-of-the-test',
    }
    expect((await through(host, app.link(), byEmail)).headers.location).toContain('?code=')
    expect((await through(host, app.link(), { decision: 'deny' })).headers.location).toContain('error=access_denied')
  })
})

/** Sends a request with any Host header, which `fetch` does not allow: a POST if there is a form, otherwise a GET. */
const through = (host: string, link: string, form?: Parameters<typeof search>[0]) =>
  request(link, {
    method: form ? 'POST' : 'GET',
    headers: { host, ...(form && { origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' }) },
    body: form ? `${search(form)}` : null,
  })

describe('hostile text', () => {
  test('a client’s name and id are text, whatever they say', async () => {
    const app = await startOAuthApp()
    const name = `</h1><script>alert(1)</script><img src=x onerror=alert(1)>"'&amp;{{7*7}}`
    const { client_id } = await app.register({ name })

    const page = await (await app.page({ client_id, state: '"><script>alert(2)</script>' })).text()

    expect(page).not.toMatch(/<script|<img/)
    expect(page).toContain(
      '&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;',
    )
  })

  test('what is put into a template can’t leave the place it was put in', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const { text: markup } = html`<p title="${text}">${text}</p>`
        expect(markup.split(/[<>"']/)).toHaveLength(7)
      }),
    )
  })
})

test('a form of a million fields is answered at once', async () => {
  const app = await startOAuthApp()
  const body = 'a=&'.repeat(340_000)
  const begun = performance.now()

  const response = await fetch(app.link(), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    redirect: 'manual',
  })

  expect(response.status).toBe(400)
  expect(performance.now() - begun).toBeLessThan(5000)
})
