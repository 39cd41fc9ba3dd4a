import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { demo } from '../../emulator/worlds/seed.ts'
import { announce } from '../../src/config/running_emulators.ts'
import { freshMachine } from '../auth/logged_in.ts'
import { allow, callbackOf, configOf, decide, emulatorsClient, startLogin } from '../auth/login_session.ts'
import { startStrictService } from '../auth/strict_service.ts'
import { announceAll, announcementOf, startTwo } from '../config/ready.ts'
import { freePort } from '../support/free_port.ts'
import { payctlCommand } from '../support/program.ts'
import { listen } from '../support/server.ts'
import { startStub } from '../support/stub.ts'
import { keys, openProgram } from '../support/terminal.ts'

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ rateLimit: null })
})
afterAll(() => emulator.close())

const parsed = (text: unknown) => JSON.parse(String(text))

/** Sends a request that no browser would send. Returns the status. */
const knock = (url: URL, options: object): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    httpRequest(url, options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })

describe('login in a browser', () => {
  it('ends with a login that every command uses', async () => {
    const session = await startLogin(emulator)
    const page = await allow(session)

    expect(await session.terminal.ended).toBe(0)

    expect(page).toContain('You are logged in')
    expect(session.terminal.screen).toContain('Logged in as María Fernández Rojas')
    const { exitCode, stdout } = await session.start(['user', '--json'])
    expect({ exitCode, id: parsed(stdout).id }).toEqual({ exitCode: 0, id: demo.user.id })
    const status = parsed((await session.start(['auth', 'status', '--json'])).stdout)
    expect(status).toMatchObject({
      profile: 'default',
      base_url: emulator.baseUrl,
      kind: 'oauth',
      renewal: 'automatic',
      source: session.file,
      user: { id: demo.user.id },
    })
    const { access_token, refresh_token } = session.credentials()
    expect((await session.start(['auth', 'token'])).stdout).toBe(access_token)
    for (const secret of [access_token, refresh_token, demo.clientSecret]) {
      expect(session.terminal.written + JSON.stringify(status) + readFileSync(configOf(session))).not.toContain(secret)
    }
  })

  it.each([
    ['es-CR,es;q=0.9,en;q=0.8', 'es', 'Ya ingresó'],
    ['fr-CA,es;q=0.5', 'es', 'Ya ingresó'],
    ['en-US,es;q=0.9', 'en', 'You are logged in'],
    ['fr', 'en', 'You are logged in'],
  ])('shows the browser a page in its language: %s', async (languages, language, title) => {
    const session = await startLogin(emulator)
    const address = await session.address()
    const callback = await decide(address)
    const headers = { 'Accept-Language': languages }

    const stray = await (await fetch(callbackOf(address), { headers })).text()
    const page = await (await fetch(callback, { headers })).text()

    expect(page).toContain(`<html lang="${language}">`)
    expect(page).toContain(title)
    expect(stray).toContain(`<html lang="${language}">`)
    expect(await session.terminal.ended).toBe(0)
  })

  it('asks by PKCE and state, for the scopes that are wanted', async () => {
    const session = await startLogin(emulator, ['--scopes', 'read-user,send-payments'])
    const { searchParams } = await session.address()

    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'payctl',
      response_type: 'code',
      scope: 'read-user send-payments',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    })
    await allow(session, { grant: ['read-user'] })
    expect(await session.terminal.ended).toBe(0)
    expect(session.terminal.screen).toContain('Not granted: send-payments')
    expect(session.credentials().scopes).toEqual(['read-user'])
  })

  it.each([
    ['a token without scopes has those that were asked for', {}, ['read-user'], undefined],
    ['scopes that are null are not known', { scope: null }, undefined, undefined],
    ['scopes that are a list are not known', { scope: ['read-user'] }, undefined, undefined],
    [
      'fewer scopes than requested are reported',
      { scope: 'read-accounts' },
      ['read-accounts'],
      'Not granted: read-user',
    ],
  ])('%s', async (_, answer, scopes, said) => {
    const { url } = await startStub([200, { access_token: emulator.token, token_type: 'Bearer', ...answer }])
    const flags = ['--auth-url', url, '--scopes', 'read-user', '--client-id', 'me', '--client-secret-file']
    const machine = await freshMachine()
    const secret = join(machine.home, 'secret')
    writeFileSync(secret, 's3cret\n')
    const session = await startLogin(emulator, [...flags, secret], { machine, env: {} })
    const address = await session.address()
    const back = callbackOf(address)
    back.search = `${new URLSearchParams({ code: 'c', state: address.searchParams.get('state') ?? '' })}`
    await fetch(back)
    expect(await session.terminal.ended).toBe(0)
    expect(session.credentials().scopes).toEqual(scopes)
    if (said) expect(session.terminal.screen).toContain(said)
    else expect(session.terminal.screen).not.toContain('Not granted')
  })

  it('prints nothing about scopes if the service reports none', async () => {
    const { url } = await startStub([200, { access_token: emulator.token }])
    const machine = await freshMachine()
    const secret = join(machine.home, 'secret')
    writeFileSync(secret, 's3cret\n')
    const flags = ['--auth-url', url, '--client-id', 'me', '--client-secret-file', secret]
    const session = await startLogin(emulator, flags, { machine, env: {} })
    const address = await session.address()
    const back = callbackOf(address)
    back.search = `${new URLSearchParams({ code: 'c', state: address.searchParams.get('state') ?? '' })}`
    await fetch(back)
    expect(await session.terminal.ended).toBe(0)
    expect(session.terminal.screen).not.toContain('Not granted')
  })

  it.each([
    ['server_error', 12],
    ['temporarily_unavailable', 12],
    ['unauthorized_client', 5],
    ['invalid_request', 7],
    ['of_its_own', 7],
  ])('that is refused with %s ends with exit %i, as its help says', async (error, code) => {
    const session = await startLogin(emulator)
    const address = await session.address()
    const back = callbackOf(address)
    back.search = `${new URLSearchParams({ error, state: address.searchParams.get('state') ?? '' })}`
    await fetch(back)
    expect(await session.terminal.ended).toBe(code)
    expect((await session.start(['help', 'login'])).stdout).toMatch(new RegExp(`\\b${code}\\b`))
  })

  it('starts the command in BROWSER, and does without when there is none', async () => {
    const machine = await freshMachine()
    const opened = join(machine.home, 'opened')
    const script = join(machine.home, 'browser.sh')
    writeFileSync(script, `#!/bin/sh\nprintf '%s|' "$@" > ${opened}.new && mv ${opened}.new ${opened}\n`, {
      mode: 0o755,
    })
    const session = await startLogin(emulator, [], {
      machine,
      env: { ...emulatorsClient, BROWSER: `${script} --new-window` },
    })
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    await expect.poll(() => existsSync(opened)).toBe(true)
    expect(readFileSync(opened, 'utf8')).toBe(`--new-window|${await session.address()}|`)
    expect(session.terminal.screen).toContain('If the browser does not open, use this address')

    const without = await startLogin(emulator, [], { env: { ...emulatorsClient, BROWSER: '/no/such/browser' } })
    await without.terminal.shows('No browser could be started')
    await allow(without)
    expect(await without.terminal.ended).toBe(0)
  })

  it('files are for their owner alone', async () => {
    const session = await startLogin(emulator)
    await allow(session)
    await session.terminal.ended

    expect((statSync(session.configDir).mode & 0o777).toString(8)).toBe('700')
    expect((statSync(session.file).mode & 0o777).toString(8)).toBe('600')
  })

  it('is not ended by what anybody may send to its port', async () => {
    const session = await startLogin(emulator)
    const address = await session.address()
    const callback = callbackOf(address)
    const answer = await decide(address)
    const forged = new URL(answer)
    forged.searchParams.set('state', 'x'.repeat(43))
    const twice = new URL(answer)
    twice.searchParams.append('code', 'another')
    const denied = new URL('?error=access_denied', callback)

    for (const url of [forged, twice, denied, callback]) {
      const response = await fetch(url)
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not the answer')])
    }
    const at = (path: string) => new URL(path, callback)
    // payctl does not listen on this other address of the machine.
    await expect(fetch(`http://127.0.0.2:${callback.port}/callback`)).rejects.toThrow('fetch failed')
    expect(await knock(at('/favicon.ico'), {})).toBe(404)
    expect(await knock(at('/'), {})).toBe(404)
    expect(await knock(answer, { method: 'POST' })).toBe(405)
    expect(await knock(answer, { method: 'HEAD' })).toBe(405)
    expect(await knock(answer, { headers: { host: `evil.example:${callback.port}` } })).toBe(421)
    expect(await knock(answer, { headers: { host: `localhost:${callback.port}` } })).toBe(421)

    const [first, second] = await Promise.all([fetch(answer), fetch(answer)])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await session.terminal.ended).toBe(0)
    expect((await session.start(['user'])).exitCode).toBe(0)
  })

  it('shows pages that hold no secret, load nothing and stay nowhere', async () => {
    const session = await startLogin(emulator)
    const answer = await decide(await session.address())
    const response = await fetch(answer)
    const page = await response.text()

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-frame-options': 'DENY',
    })
    await session.terminal.ended
    for (const [, value] of answer.searchParams) expect(page).not.toContain(value)
    expect(page).not.toMatch(/<script|<img|<link|https?:/)
  })

  it('that is denied ends with exit 5 and keeps nothing', async () => {
    const session = await startLogin(emulator)
    const page = await allow(session, { decision: 'deny' })

    expect(await session.terminal.ended).toBe(5)
    expect(page).toContain('Not logged in')
    expect(session.terminal.screen).toContain('error: Access was denied')
    expect(existsSync(session.file)).toBe(false)
  })

  it.each([
    [
      'access_denied',
      5,
      'To log in again and allow access: next: COMMAND --scopes read-user --client-id payctl --port PORT',
    ],
    [
      'invalid_scope',
      7,
      'To ask for other scopes: next: COMMAND --scopes read-user,read-accounts --client-id payctl --port PORT',
    ],
    ['invalid_grant', 4, 'next: COMMAND --scopes read-user --client-id payctl --port PORT'],
    ['constructor', 7, 'error: The service refused the login (constructor).'],
  ])('that ends with %s says what to type, for this profile and service', async (error, code, hint) => {
    const port = String(await freePort())
    const flags = ['-p', 'shop', '--auth-url', emulator.baseUrl, '--scopes', 'read-user', '--client-id', 'payctl']
    const session = await startLogin(emulator, [...flags, '--port', port], { env: {}, process: true })
    await session.terminal.answer('Secret of client', `${demo.clientSecret}${keys.enter}`)
    const address = await session.address()
    const back = callbackOf(address)
    const state = address.searchParams.get('state') ?? ''
    back.search = `${new URLSearchParams({ ...(error === 'invalid_grant' ? { code: 'no-code' } : { error }), state })}`
    const page = await (await fetch(back)).text()

    expect(await session.terminal.ended).toBe(code)
    const command = `payctl login --profile shop --base-url ${emulator.baseUrl} --auth-url ${emulator.baseUrl}`
    const said = session.terminal.written.replace(/\s+/g, ' ')
    expect(said).toContain(` ${hint.replace('COMMAND', command).replace('PORT', port)}`)
    expect(page).not.toContain('payctl login')
  })

  it('shows the service’s words as text only', async () => {
    const session = await startLogin(emulator)
    const address = await session.address()
    const back = callbackOf(address)
    back.search = `${new URLSearchParams({
      error: '<b>server_error',
      error_description: '<script>alert(1)</script>\x1b[2J\u202eevil\nerror: fake',
      state: address.searchParams.get('state') ?? '',
    })}`
    const page = await (await fetch(back)).text()

    expect(await session.terminal.ended).toBe(7)
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    for (const raw of ['\x1b[2J', '\u202e', '\nerror: fake']) expect(session.terminal.written).not.toContain(raw)
  })

  it.each([
    ['the wrong secret', { PAYCTL_CLIENT_SECRET: 'wrong-secret' }, 'client id or its secret'],
    ['an unknown client', { PAYCTL_CLIENT_ID: 'nobody' }, undefined],
  ])('with %s is not one', async (_, env, said) => {
    const session = await startLogin(emulator, ['--login-timeout', '2s'], { env: { ...emulatorsClient, ...env } })
    const address = await session.address()
    if (said) await fetch(await decide(address))
    else expect((await fetch(address)).status).toBe(400)

    expect(await session.terminal.ended).toBe(4)
    if (said) expect(session.terminal.screen).toContain(said)
    expect(existsSync(session.file)).toBe(false)
  })

  it('asks for client id and secret, and shows no secret', async () => {
    const session = await startLogin(emulator, [], { env: {}, process: true })
    await session.terminal.answer('Client id', `payctl${keys.enter}`)
    await session.terminal.answer('Secret of client payctl', `${demo.clientSecret}${keys.enter}`)
    await allow(session)

    expect(await session.terminal.ended).toBe(0)
    expect(session.terminal.written).not.toContain(demo.clientSecret)
    // The next login uses the saved client id and secret.
    const again = await startLogin(emulator, [], { machine: session, env: {}, process: true })
    await allow(again)
    expect(await again.terminal.ended).toBe(0)
  })

  it.each([
    ['PAYCTL_BASE_URL', { PAYCTL_BASE_URL: 'https://other.example', PAYCTL_AUTH_URL: 'https://other.example' }],
    ['PAYCTL_AUTH_URL', { PAYCTL_BASE_URL: '', PAYCTL_AUTH_URL: 'https://other.example' }],
  ])('does not take the secret of the environment where %s says that it is for another service', async (name, env) => {
    const session = await startLogin(emulator, ['--auth-url', emulator.baseUrl, '--client-id', 'payctl'], {
      process: true,
      env: { PAYCTL_CLIENT_SECRET: 's3cret-of-another', ...env },
    })
    await session.terminal.answer('Secret of client payctl', `${demo.clientSecret}${keys.enter}`)
    expect(session.terminal.screen).toContain(
      `PAYCTL_CLIENT_SECRET is not used: ${name} says that the secret belongs to https://other.example.`,
    )
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    expect(session.credentials().client_secret).toBe(demo.clientSecret)
  })

  it.each([
    ['profiles use', {}],
    ['PAYCTL_PROFILE', { PAYCTL_PROFILE: 'emulator' }],
  ])('at the emulator that %s selects uses its client, and nothing of another service', async (_, env) => {
    const machine = await freshMachine()
    announce(machine.env.PAYCTL_STATE_DIR, announcementOf(emulator))
    expect(await machine.start(['profiles', 'use', 'emulator'])).toMatchObject({ exitCode: 0 })
    const another = {
      PAYCTL_AUTH_URL: 'https://auth.example',
      PAYCTL_CLIENT_ID: 'client-of-another',
      PAYCTL_CLIENT_SECRET: 's3cret-of-another',
    }
    const session = await startLogin({}, [], { machine, env: { ...another, ...env } })
    expect((await session.address()).origin).toBe(emulator.baseUrl)
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    expect(session.terminal.screen).toContain('PAYCTL_CLIENT_SECRET is not used: it is sent only to an emulator that')
    expect(session.credentials('emulator')).toMatchObject({
      auth_url: emulator.baseUrl,
      client_id: demo.clientId,
      client_secret: demo.clientSecret,
    })
  })

  it('takes the secret from a file', async () => {
    const machine = await freshMachine()
    const secret = join(machine.home, 'secret')
    writeFileSync(secret, `${demo.clientSecret}\n`)
    const session = await startLogin(emulator, ['--client-id', 'payctl', '--client-secret-file', secret], {
      machine,
      env: {},
    })
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
  })

  it('waits on the port that is asked for, and says when it is taken', async () => {
    const port = await freePort()
    const taken = createServer()
    await listen(taken, { port })
    const refused = await startLogin(emulator, ['--port', String(port)])
    expect(await refused.terminal.ended).toBe(2)
    expect(refused.terminal.screen).toContain(`Port ${port}`)
    await new Promise((resolve) => taken.close(resolve))

    const session = await startLogin(emulator, ['--port', String(port)])
    expect(callbackOf(await session.address()).port).toBe(String(port))
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
  })

  it('gives up after a while', async () => {
    const session = await startLogin(emulator, ['--login-timeout', '100ms'])
    expect(await session.terminal.ended).toBe(4)
    expect(session.terminal.screen).toContain('No answer came from the browser in time')
    expect(session.terminal.screen).toContain('  If no browser can reach this machine, add --no-browser.')
    expect(session.terminal.screen).toContain(`next:  payctl login --base-url ${emulator.baseUrl}`)
  })

  it.each([
    ['waits', [], emulatorsClient, 'response_type=code'],
    ['waits for a paste', ['--no-browser'], emulatorsClient, 'paste here'],
    ['asks for the client', [], {}, 'Client id'],
    ['asks for the secret', [], { PAYCTL_CLIENT_ID: 'payctl' }, 'Secret of client'],
  ])('Ctrl-C while it %s ends it with 130 and leaves nothing open', async (_, flags, env, sign) => {
    const session = await startLogin(emulator, flags, { env })
    await session.terminal.shows(sign)
    session.terminal.type(keys.interrupt)

    expect(await session.terminal.ended).toBe(130)
    expect(existsSync(session.file)).toBe(false)
    expect(session.terminal.screen).not.toMatch(/^\s+at /m)
    if (sign === 'response_type=code') await expect(fetch(callbackOf(await session.address()))).rejects.toThrow()
  })

  it('Ctrl-D at a question ends it', async () => {
    for (const [flags, question] of [
      [['-p', 'shop'], 'Client id'],
      [['-p', 'shop', '--client-id', 'me'], 'Secret of client me'],
      [['-p', 'shop', '--with-token'], 'Token from the dashboard'],
    ] as const) {
      const session = await startLogin(emulator, flags, { env: {}, process: true })
      await session.terminal.answer(question, keys.endOfInput)
      expect(await session.terminal.ended).toBe(4)
      const again = ['payctl login --profile shop', '--base-url', emulator.baseUrl, ...flags.slice(2)].join(' ')
      expect(session.terminal.screen.split('\n')).toContain(`next:  ${again}`)
    }
  })

  it('uses id and secret of the emulator that runs', async () => {
    const machine = await freshMachine()
    const readyFile = join(machine.home, 'ready.json')
    const running = machine.start(['emulate', '--port', '0', '--ready-file', readyFile])
    onTestFinished(async () => {
      running.kill('SIGTERM')
      await running
    })
    await expect.poll(() => existsSync(readyFile)).toBe(true)
    const { base_url: baseUrl, token } = parsed(readFileSync(readyFile, 'utf8'))
    const session = await startLogin({}, ['--emulator'], { machine, env: {} })
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    const { stdout } = await machine.start(['--emulator', 'auth', 'token'])
    expect(stdout).toBe(machine.credentials('emulator').access_token)
    expect(stdout).not.toBe(token)
    expect(existsSync(configOf(machine))).toBe(false)
    expect(parsed((await machine.start(['--emulator', 'auth', 'status', '--json'])).stdout).base_url).toBe(baseUrl)
    await machine.start(['--emulator', 'logout'])
    expect((await machine.start(['--emulator', 'auth', 'token'])).stdout).toBe(token)
  })

  it.each(['oauth', 'dashboard'])('at an emulator (%s) is dropped once it was reset', async (kind) => {
    const own = await startEmulator()
    onTestFinished(() => own.close())
    const machine = await freshMachine()
    announce(machine.env.PAYCTL_STATE_DIR, announcementOf(own))
    if (kind === 'oauth') {
      const session = await startLogin({}, ['--emulator'], { machine, env: {} })
      await allow(session)
      expect(await session.terminal.ended).toBe(0)
    } else {
      const { stdout: minted } = await machine.start(['emulator', 'token'])
      const input = String(minted)
      await machine.start(['login', '--with-token', '--emulator'], { stdin: 'pipe', input })
    }
    const login = machine.credentials('emulator')
    expect(login).toMatchObject({ kind, emulator_world: own.worldId })
    expect((await machine.start(['--emulator', 'auth', 'token'])).stdout).toBe(login.access_token)

    await own.control.reset()
    const first = await machine.start(['--emulator', 'user', '--json'])
    const next = await machine.start(['--emulator', 'auth', 'token'])

    expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^The login of profile 'emulator' ended with the world .+ own token\.$/),
    })
    expect(parsed(first.stdout).id).toBe(demo.user.id)
    expect(machine.credentials('emulator')).toBe(undefined)
    expect({ stdout: next.stdout, stderr: next.stderr }).toEqual({ stdout: own.token, stderr: '' })
  })

  it('at another emulator stays, while one that is named is used', async () => {
    const machine = await freshMachine()
    const two = await startTwo()
    onTestFinished(() => two.close())
    announceAll(machine.env.PAYCTL_STATE_DIR, [two.first, two.second])
    const { stdout } = await machine.start(['emulator', 'token', '--base-url', two.one.baseUrl])
    const input = String(stdout)
    const at = (emulator: Emulator) => ['--emulator', '--base-url', emulator.baseUrl]
    await machine.start(['login', '--with-token', ...at(two.one)], { stdin: 'pipe', input })

    const other = await machine.start(['auth', 'token', ...at(two.other)])
    const own = await machine.start(['auth', 'token', ...at(two.one)])

    expect([other, own].map(({ stdout, stderr }) => ({ stdout, stderr }))).toEqual([
      { stdout: two.other.token, stderr: '' },
      { stdout: input, stderr: '' },
    ])
  })
})

describe('login --no-browser', () => {
  it('takes the address that the browser ended at', async () => {
    const session = await startLogin(emulator, ['--no-browser'])
    const answer = await decide(await session.address())
    await session.terminal.answer('paste here', `${answer}${keys.enter}`)

    expect(await session.terminal.ended).toBe(0)
    expect((await session.start(['user'])).exitCode).toBe(0)
  })

  it('takes the code alone', async () => {
    const session = await startLogin(emulator, ['--no-browser'])
    const code = (await decide(await session.address())).searchParams.get('code')
    await session.terminal.answer('paste here', `  ${code} ${keys.enter}`)

    expect(await session.terminal.ended).toBe(0)
  })

  it('takes the answer that comes to its port all the same', async () => {
    const session = await startLogin(emulator, ['--no-browser'])
    await session.terminal.shows('paste here')
    await allow(session)

    expect(await session.terminal.ended).toBe(0)
  })

  it('asks again for what belongs to another login', async () => {
    const session = await startLogin(emulator, ['--no-browser'], { process: true })
    const answer = await decide(await session.address())
    const foreign = new URL(answer)
    foreign.searchParams.set('state', 'another')
    await session.terminal.answer('paste here', `${foreign}${keys.enter}`)
    await session.terminal.shows('That is not the answer to this login')
    session.terminal.type(`${answer}${keys.enter}`)

    expect(await session.terminal.ended).toBe(0)
  })

  it.each([
    ['in quotes', (text: string) => `"${text}"`],
    ['as a chat shows it', (text: string) => `<${text}>`],
    ['broken where a line was full', (text: string) => `${text.slice(0, 40)} ${text.slice(40)}`],
  ])('takes an address %s', async (_, write) => {
    const session = await startLogin(emulator, ['--no-browser'])
    const answer = await decide(await session.address())
    await session.terminal.answer('paste here', `${write(`${answer}`)}${keys.enter}`)

    expect(await session.terminal.ended).toBe(0)
  })

  it('hears a no in what is pasted', async () => {
    const session = await startLogin(emulator, ['--no-browser'])
    const answer = await decide(await session.address(), { decision: 'deny' })
    await session.terminal.answer('paste here', `${answer}${keys.enter}`)

    expect(await session.terminal.ended).toBe(5)
  })
})

describe('login --with-token', () => {
  it.each(['', '\n', '\r\n'])('keeps a token of the dashboard, followed by %j', async (end) => {
    const { start, credentials, file } = await freshMachine()
    const run = await start(['login', '--with-token', '--base-url', emulator.baseUrl], {
      stdin: 'pipe',
      input: `${emulator.token}${end}`,
    })

    expect(run.exitCode).toBe(0)
    expect(`${run.stdout}${run.stderr}`).not.toContain(emulator.token)
    expect(credentials()).toMatchObject({ kind: 'dashboard', access_token: emulator.token })
    expect((await start(['user'])).exitCode).toBe(0)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  it('keeps one that may not ask whose it is', async () => {
    const { start, credentials } = await freshMachine()
    const minted = await start(['emulator', 'token', '--scopes', 'read-accounts', '--base-url', emulator.baseUrl])
    const run = await start(['login', '--with-token', '--base-url', emulator.baseUrl], {
      stdin: 'pipe',
      input: String(minted.stdout),
    })

    expect([run.exitCode, credentials().access_token]).toEqual([0, minted.stdout])
  })

  it('does not keep one that the service does not know', async () => {
    const { start, file } = await freshMachine()
    const input = 'unknown-token-of-the-test'
    const run = await start(['login', '--with-token', '--base-url', emulator.baseUrl], { stdin: 'pipe', input })

    expect([run.exitCode, existsSync(file)]).toEqual([4, false])
    expect(run.stderr).not.toContain(input)
  })

  it.each([
    ['nothing', ''],
    ['a line end', '\n'],
    ['two lines', 'one-token\ntwo-token\n'],
    ['two line ends', 'one-token\n\n'],
    ['a header', 'Bearer one-token'],
    ['spaces', ' one-token'],
    ['control characters', 'one\x1b[31mtoken'],
    ['a file of another kind', 'x'.repeat(1_000_000)],
  ])('refuses %s without sending it', async (_, input) => {
    const service = await startStrictService()
    const { start, file } = await freshMachine()
    const run = await start(['login', '--with-token', '--base-url', service.url], { stdin: 'pipe', input })

    expect([run.exitCode, existsSync(file), service.received]).toEqual([2, false, []])
    expect(run.stderr).not.toContain('one-token')
  })

  it.each([
    ['quotes around it', `"${'t'.repeat(20)}"`, 'quotes'],
    ['single quotes around it', `'${'t'.repeat(20)}'\n`, 'quotes'],
  ])('says what is wrong with one that has %s, and sends it nowhere', async (_, input, said) => {
    const service = await startStrictService()
    const { start } = await freshMachine()
    const run = await start(['login', '--with-token', '--base-url', service.url], { stdin: 'pipe', input })
    expect({ code: run.exitCode, stderr: run.stderr, received: service.received }).toEqual({
      code: 2,
      stderr: expect.stringContaining(said),
      received: [],
    })
  })

  it.each(['--with-token --no-input', '--with-token 2>/dev/null', '--client-id me --client-secret-file -'])(
    'takes no secret from a terminal, where it would be seen: %s',
    async (flags) => {
      const { env, home } = await freshMachine()
      const command = `"$@" login --base-url ${emulator.baseUrl} ${flags} || echo "ended $?"`
      const terminal = openProgram('sh', ['-c', command, 'sh', ...payctlCommand().flat()], {
        env: { ...env, HOME: home },
      })
      await terminal.shows('ended 2')
    },
  )

  it('asks for it hidden on a terminal', async () => {
    const session = await startLogin(emulator, ['--with-token'])
    await session.terminal.answer('Token from the dashboard', `${emulator.token}${keys.enter}`)

    expect(await session.terminal.ended).toBe(0)
    expect(session.terminal.written).not.toContain(emulator.token)
  })
})

describe('login', () => {
  it.each([[[]], [['--no-browser']], [['--scopes', 'read-user']]])(
    'without a terminal ends at once with exit 4 and what to do: %j',
    async (flags) => {
      const service = await startStrictService()
      const { start } = await freshMachine()
      const run = await start(['login', '--base-url', service.url, ...flags], { env: emulatorsClient })

      expect({ code: run.exitCode, received: service.received }).toEqual({ code: 4, received: [] })
      expect(run.stderr).toMatch(/terminal.*\n.*PAYCTL_TOKEN.*\nnext: {2}payctl login.* --with-token\n?$/)
    },
  )

  it('knows the scopes, and which was meant', async () => {
    const { start } = await freshMachine()
    const { exitCode, stderr } = await start(['login', '--scopes', 'read-acounts'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('did you mean read-accounts'),
    })
  })

  it('makes a profile for a service that has none', async () => {
    const session = await startLogin(emulator, ['--profile', 'shop', '--client-id', 'payctl'], {
      env: {},
      process: true,
    })
    await session.terminal.answer('Secret of client', `${demo.clientSecret}${keys.enter}`)
    await allow(session)
    expect(await session.terminal.ended).toBe(0)

    expect(parsed(readFileSync(configOf(session), 'utf8')).profiles).toEqual({
      shop: { base_url: emulator.baseUrl, client_id: 'payctl' },
    })
    expect((await session.start(['user', '--profile', 'shop'])).exitCode).toBe(0)
    expect((await session.start(['user'])).exitCode).toBe(2)
  })

  it.each([
    ['by page', [], undefined],
    ['with a token', ['--with-token'], 'token'],
  ])('%s repairs a damaged entry of the credentials', async (_, flags, token) => {
    const machine = await freshMachine()
    machine.keep({ default: { kind: 'oauth', access_token: 's3cret' }, other: { kind: 'oauth' } })
    const session = await startLogin(emulator, flags, { machine })
    if (token) await session.terminal.answer('Token from the dashboard', `${emulator.token}${keys.enter}`)
    else await allow(session)

    expect(await session.terminal.ended).toBe(0)
    expect((await session.start(['user'])).exitCode).toBe(0)
    const { exitCode, stderr } = await session.start(['user', '-p', 'other'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2 })
  })

  it('keeps auth URL and client id in a profile that has only a base URL, and changes none that it has', async () => {
    const machine = await freshMachine()
    const local = emulator.baseUrl.replace('127.0.0.1', 'localhost')
    const own = { base_url: emulator.baseUrl, client_id: 'of-the-profile' }
    machine.configure({ prod: { base_url: emulator.baseUrl }, own })
    for (const profile of ['prod', 'own']) {
      const flags = ['-p', profile, '--auth-url', local, '--client-id', demo.clientId]
      const session = await startLogin({}, flags, { machine, env: {}, process: true })
      await session.terminal.answer('Secret of client', `${demo.clientSecret}${keys.enter}`)
      await allow(session)
      expect(await session.terminal.ended).toBe(0)
    }

    expect(parsed(readFileSync(configOf(machine), 'utf8')).profiles).toEqual({
      prod: { base_url: emulator.baseUrl, auth_url: local, client_id: demo.clientId },
      own: { ...own, auth_url: local },
    })
  })

  it('says what to type without a terminal for the profile that was named', async () => {
    const { start } = await freshMachine()
    const { stderr } = await start(['login', '-p', 'prod', '--base-url', emulator.baseUrl])
    expect(stderr).toContain(`next:  payctl login --profile prod --base-url ${emulator.baseUrl} --with-token`)
  })

  it('never turns a profile to another service', async () => {
    const machine = await freshMachine()
    machine.configure({ default: { base_url: 'https://api.example.com' } })
    const session = await startLogin(emulator, [], { machine })

    expect(await session.terminal.ended).toBe(2)
    expect(session.terminal.screen).toContain("Profile 'default' is for https://api.example.com")
    expect(existsSync(session.file)).toBe(false)
  })

  it('does not send a secret over plain http to another machine', async () => {
    const session = await startLogin({ baseUrl: 'http://api.example.com' })
    expect(await session.terminal.ended).toBe(2)
    expect(session.terminal.screen).toContain('https://api.example.com')
  })

  it('says when a token of the environment outranks it', async () => {
    const { start } = await freshMachine()
    const run = await start(['login', '--with-token', '--base-url', emulator.baseUrl], {
      stdin: 'pipe',
      input: emulator.token,
      env: { PAYCTL_TOKEN: 'another' },
    })
    expect(run.stderr).toContain('PAYCTL_TOKEN is also set, and takes precedence over this login')
  })

  it('says nothing of a token of the environment that later commands ignore', async () => {
    const { start } = await freshMachine()
    const env = { PAYCTL_TOKEN: 'another' }
    const run = await start(['login', '-p', 'prod', '--with-token', '--base-url', emulator.baseUrl], {
      stdin: 'pipe',
      input: emulator.token,
      env,
    })
    expect(run.stderr).toContain('Logged in as')
    expect(run.stderr).not.toContain('takes precedence')
    expect((await start(['user', '-p', 'prod'], { env })).exitCode).toBe(0)
  })

  it.each(['644', '640', '604', '620'])(
    'warns of a credentials file that others can use (%s), and closes it',
    async (mode) => {
      const { start, file } = await freshMachine()
      const input = emulator.token
      await start(['login', '--with-token', '--base-url', emulator.baseUrl], { stdin: 'pipe', input })
      chmodSync(file, Number.parseInt(mode, 8))

      const first = await start(['user'])
      expect([first.exitCode, first.stderr]).toEqual([
        0,
        expect.stringContaining(`could be read by others (mode ${mode})`),
      ])
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
      expect((await start(['user'])).stderr).toBe('')
    },
  )
})
