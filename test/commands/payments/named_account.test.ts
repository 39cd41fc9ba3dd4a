import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { announcementOf } from '../../config/ready.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { payctl } from './payctl.ts'
import { account, iban, pageOf, type Service, startService } from './service.ts'

const dollars = '0190a000-0000-7000-8000-00000000bbbb'
const closed = '0277b111-2222-7000-8000-00000000cccc'

const accountOf = (id: string, iban: string, currency: string, status = 'active') => ({
  ...{ id, iban, status, owner_name: 'Ana Mora', document_number: '0304930258', document_type: 0 },
  balance: { value: 1000, currency, formatted: `10.00 ${currency}` },
  ...{ created_at: '2026-11-05T12:00:00.000000Z', updated_at: '2026-11-05T12:00:00.000000Z' },
})

const accounts = [
  accountOf(account, 'CR61010200100000000001', 'CRC'),
  accountOf(dollars, 'CR12010400100000000001', 'USD'),
  accountOf(closed, 'CR73015100100000000001', 'USD', 'closed'),
]

/** A service with these accounts, and payctl for it. */
async function setUp(own: readonly (typeof accounts)[number][] = accounts) {
  const service = await startService()
  service.before = ({ path }) => {
    if (path === '/api/accounts') return [200, pageOf(own)]
    const id = /^\/api\/accounts\/([^/]+)$/.exec(path)?.[1]
    const found = own.find((each) => each.id === id)
    if (id !== undefined) return found ? [200, found] : [404, 'Account not found']
    const balanceOf = /^\/api\/accounts\/([^/]+)\/balance$/.exec(path)?.[1]
    const shown = own.find((each) => each.id === balanceOf)
    return shown ? [200, { iban: shown.iban, currency: shown.balance.currency, balance: 1000 }] : undefined
  }
  return { service, cli: payctl(service.url) }
}

const send = (from: string, ...more: readonly string[]) => [
  ...['payments', 'send', '--from', from, '--to', iban, '--yes', '--json'],
  ...(more.length > 0 ? more : ['--amount', '1']),
]

const sourcesOf = (service: Service) =>
  service.received.filter(({ method }) => method === 'POST').map(({ body }) => body.source_account_id)

describe('send --from', () => {
  test('takes the name of a saved payee that is an account of the user’s, and nobody else’s', async () => {
    const { service, cli } = await setUp()
    await cli.run('payees', 'add', 'nuestra', '--to', 'CR61010200100000000001', '--unverified')
    await cli.run('payees', 'add', 'luz', '--to', iban, '--unverified')
    await cli.run('payees', 'add', 'crc', '--to', iban, '--unverified')
    const { code, stderr } = await cli.run(...send('Nuestra'))
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`, CRC, ${account}\n`) })
    expect((await cli.run(...send('crc'))).code).toBe(0)
    expect(sourcesOf(service)).toEqual([account, account])
    const others = await cli.run(...send('luz'))
    expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining('is not one of your accounts') })
    expect(await cli.run(...send('nuestr'))).toMatchObject({ code: 2 })
    expect(sourcesOf(service)).toHaveLength(2)
  })

  test.each([
    ['its IBAN', 'CR61 0102 0010 0000 0000 01'],
    ['its currency', 'crc'],
    ['the beginning of its id', '3f25'],
    ['the end of its id', '...3301'],
  ])('takes an account by %s, and says which one it was', async (_, from) => {
    const { service, cli } = await setUp()
    const { code, stderr } = await cli.run(...send(from))
    expect(code).toBe(0)
    expect(sourcesOf(service)).toEqual([account])
    expect(service.count('/api/accounts')).toBe(1)
    expect(stderr).toContain(`From CR61 0102 0010 0000 0000 01, CRC, ${account}\n`)
  })

  test('takes a whole id without asking for the accounts', async () => {
    const { service, cli } = await setUp()
    expect((await cli.run(...send(account.toUpperCase()))).code).toBe(0)
    expect(service.received.map(({ path }) => path)).toEqual(['/api/payments'])
    expect(sourcesOf(service)).toEqual([account])
  })

  test.each([
    ['two accounts', '00000001', /matches 3 of your accounts.+They are: CRC \.\.\.0001 \(id \.\.\.c3301\), USD/s],
    ['none', '9876', /"9876" is not one of your accounts.+Your accounts: CRC \.\.\.0001/s],
    ['one that is closed', '0277b', /--from names an account that is closed: CR73/],
    ['an IBAN with a typing error', 'CR62010200100000000001', /typing error/],
    ['too little', 'c3', /too short: give at least 4/],
    ['a phone', '8888-1234', /looks like a phone, and is not one of your accounts/],
  ])('refuses %s, and sends nothing', async (_, from, why) => {
    const { service, cli } = await setUp()
    const { code, stderr } = await cli.run(...send(from).slice(0, -3), '--amount', '1')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
    expect(sourcesOf(service)).toEqual([])
  })

  test('needs the whole id where the token may not read accounts', async () => {
    const { service, cli } = await setUp()
    service.before = ({ path }) => (path === '/api/accounts' ? [403, 'Invalid scope(s) provided.'] : undefined)
    const { code, stderr } = await cli.run(...send('CRC'))
    expect(code).toBe(5)
    expect(stderr).toContain('Give the whole id')
    expect(sourcesOf(service)).toEqual([])
    expect((await cli.run(...send(account))).code).toBe(0)
  })

  test('is asked for by a script even where there is one account only', async () => {
    const { service, cli } = await setUp(accounts.slice(0, 1))
    const { code, stderr } = await cli.run('payments', 'send', '--to', iban, '--amount', '1', '--yes')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("'--from <account>'") })
    expect(sourcesOf(service)).toEqual([])
  })
})

describe('the account of the emulator’s profile', () => {
  test('is saved as the user named it, and pays where no account is named', async () => {
    const state = await temporaryDirectory()
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    announce(state, announcementOf(emulator))
    const env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config') }
    const run = (...argv: readonly string[]) => runPayctl(argv, { env })
    const set = await run('profiles', 'set', 'emulator', '--from', 'USD', '--json')
    expect(JSON.parse(set.stdout)).toMatchObject({ name: 'emulator', from: 'USD', base_url: null, built_in: true })
    const [dollars] = emulator.accounts().filter(({ currency }) => currency === 'USD')
    expect(JSON.parse((await run('accounts', 'get', '--emulator', '--json')).stdout)).toMatchObject({ id: dollars?.id })
    const sent = await run('payments', 'send', '--emulator', '--to', iban, '--amount', '1', '--dry-run', '--json')
    expect(sent.stderr).toContain(`${dollars?.id}, the account of the profile`)
    expect(JSON.parse((await run('profiles', 'set', 'emulator', '--unset', 'from', '--json')).stdout).from).toBeNull()
  })

  test.each([[['--base-url', 'http://127.0.0.1:1']], [['--live']], [['--unset', 'output']], [['--from', 'c1']]])(
    'is all that can be set: %j is refused',
    async (flags) => {
      expect((await runPayctl(['profiles', 'set', 'emulator', ...flags])).code).toBe(2)
    },
  )
})

describe('accounts get', () => {
  test.each(['get', 'balance'])('%s of an account that is none is not found', async (verb) => {
    const { cli } = await setUp()
    const { code, stderr } = await cli.run('accounts', verb, '9876')
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('is not one of your accounts') })
    expect((await cli.run('accounts', verb, '00000001')).code).toBe(2)
  })
})

describe('send --amount', () => {
  test.each([
    [['1.500,25'], 150_025],
    [['1 500'], 150_000],
    [['₡1.500,25'], 150_025],
    [['1500.25 CRC'], 150_025],
    [['1.500', '--decimal', 'comma'], 150_000],
    [['1.500', '--decimal', 'point'], 150],
  ])('%j is paid', async (amount, minor) => {
    const { service, cli } = await setUp()
    expect((await cli.run(...send('CRC', '--amount', ...amount))).code).toBe(0)
    expect(service.received.at(-1)?.body).toMatchObject({ amount: minor })
  })

  test.each([
    [account, ['$10'], '--amount is in USD, but the account is in CRC.'],
    ['CRC', ['10 USD'], '--amount is in USD, but the account is in CRC.'],
    ['CRC', ['1.500'], 'has two readings: 1500 or 1.50.'],
    ['CRC', ['1.500'], '--decimal comma, or --decimal point'],
    ['CRC', ['1500.25', '--decimal', 'comma'], 'is not an amount with a decimal comma'],
  ])('from %s %j is refused', async (from, amount, why) => {
    const { service, cli } = await setUp()
    const { code, stderr } = await cli.run(...send(from, '--amount', ...amount))
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
    expect(sourcesOf(service)).toEqual([])
  })

  test('in a currency is refused where the account can’t be read', async () => {
    const { service, cli } = await setUp()
    service.before = ({ path }) => (path.startsWith('/api/accounts') ? [403, 'Invalid scope(s) provided.'] : undefined)
    const { code, stderr } = await cli.run(...send(account, '--amount', '₡10'))
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the currency of the account can't be checked"),
    })
    expect(sourcesOf(service)).toEqual([])
  })
})

describe('the account of a profile', () => {
  const withoutSource = ['payments', 'send', '--to', iban, '--amount', '1', '--yes']

  test('pays where none is named, and only at the service it belongs to', async () => {
    const { service, cli } = await setUp()
    const set = await cli.run('profiles', 'set', '--base-url', service.url, '--from', 'CRC', '--json')
    expect(JSON.parse(set.stdout)).toMatchObject({ name: 'default', from: account })

    const { code, stderr } = await cli.run(...withoutSource)
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`From ${account}, the account of`),
    })
    await cli.run(...send(account))
    expect(sourcesOf(service)).toEqual([account, account])

    const { service: other } = await setUp()
    const elsewhere = await cli.as({ baseUrl: other.url }).run(...withoutSource)
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("'--from <account>'") })
    expect(sourcesOf(other)).toEqual([])
  })

  test('that is none any more is refused, and no other one taken', async () => {
    const own = [...accounts]
    const { service, cli } = await setUp(own)
    await cli.run('profiles', 'set', '--base-url', service.url, '--from', 'CRC')
    own.shift()
    const answer = service.before
    service.before = (request, response) =>
      request.path === '/api/payments' && !own.some(({ id }) => id === request.body.source_account_id)
        ? [422, 'Source account does not exist']
        : answer(request, response)

    const { code, stderr } = await cli.run(...withoutSource)

    expect({ code, stderr }).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('Source account does not exist'),
    })
    expect(stderr).toContain(`From ${account}, the account of the profile`)
    expect(sourcesOf(service)).toEqual([account])
  })

  test('pays the rows of a batch that name none', async () => {
    const { service, cli } = await setUp()
    await cli.run('profiles', 'set', '--base-url', service.url, '--from', 'CRC')
    const file = cli.file('a.csv', `to,amount,description\n${iban},1.500,\n`)
    expect((await cli.run('payments', 'batch', file, '--yes')).stderr).toContain('has two readings')
    const good = cli.file('b.csv', `to,amount,description\n${iban},"1.500,25",\n`)
    expect((await cli.run('payments', 'batch', good, '--yes')).code).toBe(0)
    expect(sourcesOf(service)).toContain(account)
  })

  test('is checked when it is set, if the service answers', async () => {
    const { service, cli } = await setUp()
    const set = (...flags: readonly string[]) => cli.run('profiles', 'set', '--base-url', service.url, ...flags)
    expect(await set('--from', '0000')).toMatchObject({ code: 2, stderr: expect.stringContaining('not one of your') })
    expect(await set('--from', dollars.replace('b', 'a'))).toMatchObject({ code: 2, stdout: '' })
    const added = await cli.run('profiles', 'set', 'new', '--base-url', service.url, '--from', 'CRC')
    expect(added).toMatchObject({ code: 2, stderr: expect.stringContaining('Log in to profile new first') })
    expect(added.stderr).toContain(`next:  payctl profiles set new --base-url ${service.url}`)
    service.stop()
    expect(await set('--from', 'CRC', '--retries', '0')).toMatchObject({ code: 12, stdout: '' })
    const unchecked = await set('--from', dollars, '--retries', '0', '--json')
    expect(unchecked).toMatchObject({ code: 0, stderr: expect.stringContaining('was not checked') })
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ from: dollars })
  })

  test('goes with its service, and can be forgotten', async () => {
    const { service, cli } = await setUp()
    const set = async (...flags: readonly string[]) =>
      JSON.parse((await cli.run('profiles', 'set', 'default', ...flags, '--json')).stdout)
    await set('--base-url', service.url, '--from', 'CRC')
    expect(await set('--client-id', 'me')).toMatchObject({ from: account })
    expect(await set('--base-url', 'https://api.example.com')).toMatchObject({ from: null })
    await set('--base-url', service.url, '--from', 'CRC')
    expect(await set('--unset', 'from')).toMatchObject({ from: null })
  })
})

describe('accounts get and balance', () => {
  test.each([
    ['CRC', account],
    ['bbbb', dollars],
    ['CR73015100100000000001', closed],
  ])('take %s', async (text, id) => {
    const { service, cli } = await setUp()
    const { stdout } = await cli.run('accounts', 'get', text, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ id })
    expect(service.received.map(({ path }) => path)).toEqual(['/api/accounts'])
    const balance = await cli.run('accounts', 'balance', text, '--json')
    expect(balance.code).toBe(0)
    expect(JSON.parse(balance.stdout).iban).toBe(accounts.find((one) => one.id === id)?.iban)
    expect(service.received.map(({ path }) => path)).toEqual(['/api/accounts', '/api/accounts'])
  })

  test('take the only account where none is named, and list them where there are more', async () => {
    const one = await setUp(accounts.slice(0, 1))
    expect((await one.cli.run('accounts', 'balance')).stdout).toContain('CR61010200100000000001')
    const many = await setUp()
    const { code, stderr } = await many.cli.run('accounts', 'balance')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('USD ...0001 (id ...0bbbb)') })
  })
})
