import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../emulator/index.ts'
import { ibanFault } from '../../src/contract/index.ts'
import { ibanOf, paid } from '../conformance/fixture.ts'
import { takenPort } from '../support/server.ts'
import { apiOn } from './payments.ts'

/** An OAuth client to register in the options of an emulator. */
const shop = { id: 'shop', redirectUris: ['https://shop.test/callback'] }

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

describe('startEmulator', () => {
  test('answers as soon as it resolves, on its own port', async () => {
    const [one, two] = await Promise.all([start(), start()])

    expect(one.baseUrl).not.toBe(two.baseUrl)
    for (const emulator of [one, two]) expect((await apiOn(emulator).get('/api/user')).status).toBe(200)
  })

  test('two of them share nothing', async () => {
    const [one, two] = await Promise.all([start(), start()])

    await apiOn(one).post('/api/accounts', { currency: 'CRC' })

    expect(one.accounts().length).toBe(3)
    expect(two.accounts().length).toBe(2)
  })

  test('the demo world is the same every time', async () => {
    const [one, two] = await Promise.all([start(), start()])

    expect(one.accounts()).toEqual(two.accounts())
    expect(one.accounts().map(({ currency, balance }) => [currency, balance])).toEqual([
      ['CRC', 250_000_000],
      ['USD', 1_000_000],
    ])
    for (const { iban } of one.accounts()) {
      expect(ibanFault(iban)).toBeNull()
      expect(iban.slice(5, 8)).toBe('999')
    }
  })

  test('an empty world has a user and nothing else', async () => {
    const emulator = await start({ seed: 'empty' })
    const api = apiOn(emulator)

    expect((await api.get('/api/user')).status).toBe(200)
    expect((await api.get('/api/accounts')).body.data).toMatchObject({ data: [], total: 0, from: null, to: null })
    expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
    expect(emulator.control.checkLedger()).toMatchObject({ balanced: true, entries: 0 })
  })

  test('the token may be chosen, and then the well-known one opens nothing', async () => {
    const emulator = await start({ token: 'of-my-own' })

    expect((await apiOn(emulator).get('/api/user')).status).toBe(200)
    expect((await apiOn({ ...emulator, token: 'payctl-demo-token' }).get('/api/user')).status).toBe(401)
  })

  test('labels of pages are in English on request', async () => {
    const emulator = await start({ locale: 'en' })

    const { links } = (await apiOn(emulator).get('/api/accounts')).body.data

    expect(links[0].label).toBe('&laquo; Previous')
  })

  test('an endpoint answers with an error as often as requested', async () => {
    const emulator = await start()
    const api = apiOn(emulator)
    emulator.control.addFault({ endpoint: 'user.get', status: 401 })
    emulator.control.addFault({ endpoint: 'payments.serviceStatus', status: 500, times: null })

    const statuses = async (path: string) => [(await api.get(path)).status, (await api.get(path)).status]
    expect(await statuses('/api/user')).toEqual([401, 200])
    expect(await statuses('/api/payments/service-status')).toEqual([500, 500])
    emulator.control.clearFaults()
    expect(await statuses('/api/payments/service-status')).toEqual([200, 200])
    expect(() => emulator.control.addFault({ endpoint: 'user.get', status: 404 })).toThrow(
      'user.get does not answer 404; its errors are 401, 403, 429',
    )
  })

  test('without a rate limit, answers have no rate limit headers', async () => {
    const emulator = await start({ rateLimit: null })

    const api = apiOn(emulator)
    const answers = [await api.get('/api/user'), await api.get('/api/user', { token: null }), await api.get('/nowhere')]

    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
  })

  test('a port that is in use is reported as such', async () => {
    await expect(startEmulator({ port: await takenPort() })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test.each([
    [
      { host: '0.0.0.0', rngSeed: 7 },
      {
        message:
          'Bound to 0.0.0.0, the emulator can be reached from other machines, and anyone who knows rngSeed knows its secrets.',
        hint: 'Leave rngSeed out, or host and publicUrl.',
      },
    ],
    [
      { host: '0.0.0.0' },
      {
        hint: 'Give two different secrets (openssl rand -hex 20) with token and controlToken, or leave out host and publicUrl.',
      },
    ],
    [{ data: '.' }, { message: '. is not a file.', hint: 'Give data the path of a file.' }],
  ])('names options as a program does: %j', async (options, refusal) => {
    await expect(startEmulator(options)).rejects.toMatchObject({ name: 'EmulatorRefusal', ...refusal })
  })

  test.each([
    [
      { settle: 'later' },
      "The option settle takes milliseconds up to a century, 'instant', 'manual', a range { from, to } of milliseconds, or { pin, sinpe_movil } with one of these for each rail, but got 'later'.",
    ],
    [{ settle: -1 }, 'but got -1.'],
    [{ settle: Number.NaN }, 'but got NaN.'],
    [{ settle: null }, 'but got null.'],
    [{ settle: [1000, 2000] }, 'but got a list.'],
    [{ settle: { sinpe: 1000 } }, "but got another member, 'sinpe'."],
    [{ settle: { pin: '5s' } }, "but got '5s' as pin."],
    [{ settle: { pin: { from: 2, to: 1 } } }, 'but got a range whose from (2) is larger than its to (1) as pin.'],
    [{ settle: { from: 2, to: 1 } }, 'but got a range whose from (2) is larger than its to (1).'],
    [{ settle: { from: 2 } }, 'but got no to.'],
    [{ settle: { pin: { to: 2 } } }, 'but got no from in pin.'],
    [{ settle: { pin: { from: 1, to: 2, step: 1 } } }, "but got another member, 'step' in pin."],
    [{ settle: { from: 1, to: 2, step: 1 } }, "but got another member, 'step'."],
    [{ port: '4010' }, "The option port takes an integer from 0 to 65535, or false, but got '4010'."],
    [{ host: '' }, "The option host takes a string, but got ''."],
    [{ data: null }, 'The option data takes the path of a file, but got null.'],
    [{ worlds: '' }, "The option worlds takes the path of a folder, but got ''."],
    [{ publicUrl: 'emulator' }, "without user name, query or fragment, but got 'emulator'."],
    [{ publicUrl: 'ftp://pay.test' }, "but got 'ftp://pay.test'."],
    [{ publicUrl: 'https://me:hidden@pay.test' }, 'but got one with a user name or password.'],
    [{ rngSeed: 1.5 }, 'The option rngSeed takes an integer or a string, but got 1.5.'],
    [{ seed: 'world.json' }, "The option seed takes 'demo', 'empty' or an object, but got 'world.json'."],
    [{ token: 'a b' }, 'The option token takes a string of visible ASCII characters, but got another string.'],
    [{ token: '' }, "The option token takes a string of visible ASCII characters, but got ''."],
    [{ controlToken: 7 }, 'The option controlToken takes a string of visible ASCII characters, but got 7.'],
    [{ rateLimit: 0 }, "The option rateLimit takes requests per minute, at least 1, 'off' or null, but got 0."],
    [{ tokenTtl: '1h' }, "The option tokenTtl takes seconds from 1 up to a century, but got '1h'."],
    [{ keyTtl: '24h' }, "The option keyTtl takes milliseconds from 1 up to a century, but got '24h'."],
    [
      { maintenance: { pin: ['00:00-24:00'] } },
      "The option maintenance takes windows by rail, like { pin: ['02:00-04:00', 'sun 22:00-23:30'] }, that leave each rail time online, but got windows that cover the whole week as pin.",
    ],
    [{ maintenance: { pin: ['noon'] } }, "but got 'noon' as pin[0]."],
    [{ maintenance: { sinpe: [] } }, "but got another member, 'sinpe'."],
    [
      { oauthClients: {} },
      'with different ids, none of them payctl; a client without a secret is public, but got an object.',
    ],
    [{ oauthClients: [{ id: 'a b', redirectUris: ['https://a.test'] }] }, "but got 'a b' as [0].id."],
    [{ oauthClients: [shop, shop] }, "but got 'shop' as [1].id."],
    [{ oauthClients: [{ ...shop, id: 'payctl' }] }, "but got 'payctl' as [0].id."],
    [{ oauthClients: [{ ...shop, secret: 'a b' }] }, 'but got another string as [0].secret.'],
    [{ oauthClients: [{ ...shop, redirectUris: [] }] }, 'but got a list as [0].redirectUris.'],
    [
      { oauthClients: [{ ...shop, redirectUris: ['https://[::z]'] }] },
      "but got 'https://[::z]' as [0].redirectUris[0].",
    ],
    [{ oauthClients: [{ ...shop, scopes: ['all'] }] }, "but got 'all' as [0].scopes[0]."],
    [{ data: 'a.db', worlds: 'b' }, 'The options data and worlds exclude each other.'],
    [{ seed: 'demo', seedFile: 'a.yaml' }, 'The options seed and seedFile exclude each other.'],
    [{ fxSpread: 4 }, 'The option fxSpread takes a fraction from 0 to 0.5, but got 4.'],
    [
      { fxProvider: 'A/B' },
      'The option fxProvider takes a name of lower case letters, digits and underscores, but got',
    ],
    [{ locale: {} }, "The option locale takes 'es' or 'en', but got an object."],
    [{ onFault: true }, 'The option onFault takes a function, but got true.'],
    [null, 'startEmulator takes an options object, but got null.'],
  ])('refuses %j', async (options, message) => {
    await expect(startEmulator(options as EmulatorOptions)).rejects.toMatchObject({
      name: 'EmulatorRefusal',
      message: expect.stringContaining(message),
    })
  })

  test.each([
    ['fx-spread', 'Did you mean fxSpread?'],
    ['controltoken', 'Did you mean controlToken?'],
    ['seeds', 'Did you mean seed?'],
    ['x', 'The options are port, host, publicUrl, data, '],
    ['constructor', 'The options are port, host, publicUrl, data, '],
  ])('has no option %s', async (name, hint) => {
    await expect(startEmulator({ [name]: 1 })).rejects.toMatchObject({
      message: `startEmulator has no option '${name}'.`,
      hint: expect.stringContaining(hint),
    })
  })

  test('takes a spread of nothing: then the service’s rates are those upstream', async () => {
    const api = apiOn(await start({ fxSpread: 0 }))
    const { bid, ask } = (await api.get('/api/fx/rates')).body.data

    expect((await api.get('/api/fx/upstream-rates')).body.data).toMatchObject({ bid, ask })
  })

  test('takes the words of the command line, and what is not defined for not given', async () => {
    const emulator = await start({ settle: 'instant', rateLimit: 'off', locale: undefined as never })
    const api = apiOn(emulator)
    const source = emulator.accounts().find(({ currency }) => currency === 'CRC')?.id

    const { id } = await paid(api, {
      source_account_id: source,
      amount: 100,
      recipient_iban: ibanOf('Carlos Jiménez Mora'),
    })

    await expect.poll(async () => (await api.get(`/api/payments/${id}`)).body.data.status).toBe('completed')
    const { headers } = await api.get('/api/user')
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  test.each([Number.NaN, -1, 0.5, '60000', Number.MAX_SAFE_INTEGER])('the clock is not advanced by %j', async (ms) => {
    const { control } = await start()

    await expect(control.advanceClock(ms as number)).rejects.toThrow(RangeError)
    await control.advanceClock(1)
  })

  test('closing twice is closing once, and then nobody answers', async () => {
    const emulator = await startEmulator()

    await Promise.all([emulator.close(), emulator.close()])
    await expect(emulator.control.state()).rejects.toMatchObject({ status: 410, message: 'The emulator is closed' })

    await expect(apiOn(emulator).get('/api/user')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
})
