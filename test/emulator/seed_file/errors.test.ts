import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { buildIban } from '../../../src/contract/index.ts'
import { faultsOf, fileWith, pair, startSeeded } from './seeded.ts'

const nil = '00000000-0000-0000-0000-000000000000'
const iban = { 151: buildIban('151', '5'), 999: buildIban('999', '10000000000777') }

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('')

describe('a file says where it is wrong', () => {
  it('in shape and in meaning, all at once, by line, column and path', async () => {
    const file = fileWith(`users:
  - alias: ana
    name: Ana
    phone: 88001234
accounts:
  - user: ana
    balance: 1500.25
  - user: anna
    currency: EUR
  - user: ana
    balans: 5
  - alias: fine
    user: leo
registry:
  - phone: "61119999"
rails: { pin: broken }
clock: { time: tomorrow }
tokens:
  - scopes: [read-user]
`)
    expect(await faultsOf({ seedFile: file })).toEqual([
      `${file}:4:12: users[0].phone: must be text: write it in quotes, '88001234'`,
      `${file}:7:14: accounts[0].balance: must be an integer number of minor units, e.g. 150025 for 1500.25`,
      `${file}:9:15: accounts[1].currency: must be one of CRC, USD`,
      expect.stringMatching(/:11:13: accounts\[2\]\.balans: is not a known field; known: alias, id, user/),
      `${file}:13:11: accounts[3].user: user leo does not exist`,
      `${file}:15:5: registry[0]: name is missing`,
      `${file}:15:5: registry[0]: document_number is missing`,
      `${file}:16:15: rails.pin: must be one of online, offline`,
      expect.stringMatching(/:17:16: clock\.time: The time field must be an ISO 8601 time/),
      `${file}:19:5: tokens[0]: token is missing`,
    ])
  })

  it.each([
    ['a key that is there twice', 'users: []\nusers: []\n', /:2:1: Map keys must be unique/],
    ['a list that does not end', 'users: [\n', /: Flow sequence/],
    ['a tag that nobody knows', 'users: !!js/function "x"\n', /: Unresolved tag/],
    ['a bomb', bomb(), /: Excessive alias count/],
    [
      'too many anchors',
      `users:\n${many(100_000, (at) => `  - &a${at} {}\n`)}`,
      /:1002:\d+: has more than 1000 anchors/,
    ],
    [
      'too many keys',
      many(200_000, (at) => `k${at}: 1\n`),
      /:20\d:\d+: has more than 200 entries in one list or object/,
    ],
    ['too many keys in JSON', `{${many(200_000, (at) => `"k${at}":1,`)}"k":1}`, /: has more than 200 entries/],
    [
      'too many values',
      `users:\n${many(100_000, () => '  - {}\n')}`,
      /: has more than 10000 entries in one list or object/,
    ],
    ['two documents', 'users: []\n---\nusers: []\n', /:2:1: begins another document; one is read/],
    ['a file that refers to itself', 'users: &a [*a]\n', /users\[0\]: must be an object/],
    ['text', 'hello\n', /: must be an object/],
    ['a key that would change all objects', '__proto__: { users: [] }\n', /__proto__: is not a known field/],
    ['JSON with a key twice', '{\n\t"users": [],\n\t"users": []\n}', /:3:2: Map keys must be unique/],
  ])('%s', async (_, text, fault) => {
    const faults = await faultsOf({ seedFile: fileWith(text) })
    expect(faults.join('\n')).toMatch(fault)
  })

  it('of 15 MB is read in turns of the event loop, so that a signal ends it', async () => {
    let turns = 0
    const count = setInterval(() => {
      turns += 1
    }, 0)
    const text = `${many(15_000, () => `# ${'x'.repeat(1000)}\n`)}users: 1\n`
    expect(await faultsOf({ seedFile: fileWith(text) })).toEqual([expect.stringContaining('users: must be a list')])
    clearInterval(count)
    expect(turns).toBeGreaterThan(20)
  })

  it.each([
    ['is not there', '/nowhere/world.yaml', /can’t be read: no such file or folder\.$/m],
    ['is a folder', '/', /is not a file/],
    ['is huge', fileOf(16 * 1024 * 1024 + 1), /has more than 16 MiB/],
    ['is not UTF-8', fileOf(1, '\xff'), /it is not UTF-8/],
  ])('one that %s is refused', async (_, file, message) => {
    const seedFile = typeof file === 'string' ? file : fileWith('')
    if (typeof file !== 'string') file(seedFile)
    await expect(startEmulator({ seedFile })).rejects.toThrow(message)
  })

  it('and makes no data file', async () => {
    const data = fileWith('', 'unused.db')
    await expect(startEmulator({ data, seedFile: fileWith('users: 1') })).rejects.toThrow(/a fault/)
    await using emulator = await startEmulator({ data, seed: 'empty' })
    expect((await emulator.control.state()).seed).toBe('empty')
  })
})

function bomb(): string {
  const names = 'abcdefgh'.split('')
  return names
    .map(
      (name, at) =>
        `${name}: &${name} [${
          at === 0
            ? 'x'
            : Array(10)
                .fill(`*${names[at - 1]}`)
                .join(',')
        }]\n`,
    )
    .join('')
}

function fileOf(size: number, character = ' ') {
  return (path: string) => writeFileSync(path, Buffer.alloc(size, character, 'latin1'))
}

describe('a seed is refused for', () => {
  const user = { name: 'Ana' }
  const client = { client_id: 'shop', client_secret: 's', redirect_uris: ['https://shop.example/'] }
  it.each([
    ['a phone of two users', { users: [pair.users[0], { ...user, phone: '50661110001' }] }, 'users[1].phone: 61110001'],
    ['an alias of two users', { users: [pair.users[0], { ...user, alias: 'ana' }] }, 'users[1].alias: ana'],
    ['an id of two users', { users: [1, 2].map(() => ({ ...user, id: nil })) }, `users[1].id: ${nil} is there twice`],
    ['a user of the demo again', { extends: 'demo', users: [{ ...user, phone: '88001234' }] }, 'users[0].phone'],
    [
      'an IBAN of another bank',
      { ...pair, accounts: [{ iban: iban[151] }] },
      'accounts[0].iban: must be an IBAN of entity 999',
    ],
    ['wrong check digits', { accounts: [{ iban: `CR00${iban[999].slice(4)}` }] }, 'accounts[0].iban: the check digits'],
    ['an IBAN of two accounts', { accounts: [{ iban: iban[999] }, { iban: iban[999] }] }, 'accounts[1].iban: CR'],
    ['a balance below zero', { accounts: [{ balance: -1 }] }, 'accounts[0].balance: must be at least 0'],
    [
      'a phone of user and registry',
      { ...pair, registry: [{ ...pair.registry[0], phone: '61110001' }] },
      'registry[0].phone',
    ],
    [
      'no address',
      { registry: [{ name: 'Eva', document_number: '0109990888' }] },
      'registry[0].iban: The iban field is',
    ],
    [
      'a reason without failure',
      { registry: [{ ...pair.registry[0], state_code: 'rejected' }] },
      'registry[0].state_code',
    ],
    [
      'the client payctl',
      { clients: [{ ...client, client_id: 'payctl' }] },
      'clients[0].client_id: payctl already exists',
    ],
    ['a client twice', { clients: [client, client] }, 'clients[1].client_id: shop is there twice'],
    [
      'a client without a secret',
      { clients: [{ ...client, client_secret: undefined }] },
      'clients[0]: client_secret is',
    ],
    [
      'a public client with one',
      { clients: [{ ...client, public: true }] },
      'clients[0]: a public client has no secret',
    ],
    [
      'a redirect that is none',
      { clients: [{ ...client, redirect_uris: ['http://[/'] }] },
      'clients[0].redirect_uris[0]',
    ],
    ['a token twice', { tokens: [{ token: 'a' }, { token: 'a' }] }, 'tokens[1].token: the same token occurs twice'],
    [
      'the emulator’s token',
      { tokens: [{ token: 'payctl-demo-token' }] },
      'tokens[0].token: this is the emulator’s own',
    ],
    ['no token', { tokens: [{}] }, 'tokens[0]: token is missing'],
    ['a subscription twice', { subscriptions: [hook(), hook()] }, 'subscriptions[1]: a subscription of this user'],
    [
      'credentials in a URL',
      { subscriptions: [hook('https://a:b@shop.example')] },
      'subscriptions[0].url: The url field',
    ],
    ['an ask below the bid', { fx: { bid: 500, ask: 400 } }, 'fx.ask: the ask (400) is below the bid (500)'],
    ['a time that there is not', { clock: { time: '2030-13-01T00:00:00Z' } }, 'clock.time: must be a time that exists'],
  ])('%s', async (_, seed, fault) => {
    const faults = await faultsOf({ seed: JSON.parse(JSON.stringify(seed)) })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
  })

  it('weak secrets, and digests, if other machines can reach the emulator', async () => {
    const start = startSeeded(
      { clients: [client], tokens: [{ token: 'leo' }, { token_sha256: 'a'.repeat(64) }] },
      { host: '0.0.0.0', token: 'A-token-of-our-own-0123456789', controlToken: 'A-control-token-0123456789' },
    )
    await expect(start).rejects.toThrow(
      /client_secret: has fewer than 20 characters[\s\S]*tokens\[0\].token: has fewer[\s\S]*tokens\[1\].token_sha256: .*digest/,
    )
  })

  it('standing beside another', async () => {
    const both = startEmulator({ seed: 'demo', seedFile: fileWith('') })
    await expect(both).rejects.toThrow(
      'The options seed and seedFile exclude each other. A seed file can extend the demo.',
    )
  })
})

describe('a world that is made of a seed over HTTP', () => {
  it('has that seed to itself', async () => {
    const { control } = await startSeeded({})
    const made = await control.worlds.create({ from: { seed: { ...pair } } })
    expect(made).toMatchObject({ made_from: { seed: 'custom' }, user: { name: 'Ana Vargas' } })
    expect(made.accounts.map(({ balance }) => balance)).toEqual([150_025, 5000])
  })

  it('is refused by field', async () => {
    const { control } = await startSeeded({})
    const refused = async (seed: unknown) =>
      control.worlds.create({ from: { seed } as never }).then(
        () => null,
        ({ status, errors }) => ({ status, fields: Object.keys(errors) }),
      )
    expect(await refused({ accounts: [{ balance: 0.5, x: 1 }, { user: 'leo' }] })).toEqual({
      status: 422,
      fields: ['from.seed.accounts.0.x', 'from.seed.accounts.0.balance'],
    })
    expect(await refused({ accounts: [{ user: 'leo' }] })).toEqual({
      status: 422,
      fields: ['from.seed.accounts.0.user'],
    })
    expect(await refused({ payments: [{ amount: 1, status: 'failed', state_code: '' }] })).toEqual({
      status: 422,
      fields: ['from.seed.payments.0.state_code'],
    })
    expect(await refused('dmo')).toEqual({ status: 422, fields: ['from.seed'] })
    expect((await control.worlds.list()).total).toBe(1)
  })
})

function hook(url = 'https://shop.example/hook') {
  return { url, events: ['payment.completed'] }
}
