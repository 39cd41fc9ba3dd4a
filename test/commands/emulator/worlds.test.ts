import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { createClient } from '../../../src/client/index.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { freshMachine } from '../../auth/logged_in.ts'
import { allow, startLogin } from '../../auth/login_session.ts'
import { announceAll, announcementOf, startTwo } from '../../config/ready.ts'
import { crcAccount } from '../../e2e/machine.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { failure, startStub, success } from '../../support/stub.ts'
import { rig } from '../webhooks/rig.ts'

/** An emulator that this machine knows, and payctl with `env` and the machine's folders as its environment. */
async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', clock: 'running', ...options })
  onTestFinished(() => emulator.close())
  const state = await temporaryDirectory()
  announce(state, announcementOf(emulator))
  const machine = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config') }
  const payctl = (argv: readonly string[], env = {}) => runPayctl(argv, { env: { ...machine, ...env } })
  /** Runs a command that must succeed, and returns its JSON output. */
  const read = async (line: string, env = {}) => {
    const { code, stdout, stderr } = await payctl([...line.split(' '), '--json'], env)
    expect(code, `${line}: ${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }
  return { emulator, payctl, read, account: crcAccount(emulator) }
}

const balanceIn = (accounts: readonly { id: string; balance: { value: number } }[], id: string) =>
  accounts.find((account) => account.id === id)?.balance.value

describe('payctl emulator worlds', () => {
  it('makes a world, and says what its clients need and what to type next', async () => {
    const { emulator, payctl, read, account } = await start()
    const { code, stdout, stderr } = await payctl('emulator worlds create --name shop-7 --ttl 10m -o tsv'.split(' '))
    const url = `${emulator.baseUrl}/w/shop-7`
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Next: payctl accounts list --base-url ${url}\n` })
    const [heading = '', row = ''] = stdout.split('\n')
    const made = Object.fromEntries(heading.split('\t').map((name, at) => [name, row.split('\t')[at]]))
    expect(made).toMatchObject({ name: 'shop-7', base_url: url, token: emulator.token, ttl_seconds: '600' })
    expect(made.accounts?.split(' ')).toContain(account)

    const [, next = ''] = /^Next: payctl (.*)\n$/.exec(stderr) ?? []
    expect(await read(next)).toMatchObject([{ id: account }, {}])
    expect(await read('emulator worlds create')).toMatchObject({
      name: 'w1',
      control_url: `${emulator.baseUrl}/w/w1`,
      client_id: emulator.clientId,
      client_secret: emulator.clientSecret,
      accounts: emulator.accounts(),
    })
  })

  it('gives a new world the chaos and the strictness that are named, whatever the world is made from', async () => {
    const { payctl, read } = await start()
    const file = join(await temporaryDirectory(), 'world.sqlite')
    await payctl(['emulator', 'export', file])
    await read('emulator worlds create --name made --strict --chaos 7 --chaos-profile hostile')
    await read(`emulator import ${file} --name brought --strict --chaos 7 --chaos-profile hostile`)
    await read(`emulator import ${file} --name plain`)

    const chaosOf = (world: string) => read(`emulator chaos --world ${world}`)
    expect((await chaosOf('brought')).profile).not.toBe(null)
    expect(await chaosOf('brought')).toEqual(await chaosOf('made'))
    expect(await chaosOf('plain')).toMatchObject({ seed: null, profile: null })
    const strict = (await read('emulator worlds')).map((world: { name: string; strict: boolean }) => [
      world.name,
      world.strict,
    ])
    expect(Object.fromEntries(strict)).toEqual({ default: false, made: true, brought: true, plain: false })
  })

  it('says how to name a world when the name is typed as an argument', async () => {
    const { payctl } = await start()
    for (const argv of [
      ['worlds', 'create', 'w1'],
      ['import', 'bug.sqlite', 'w1'],
    ]) {
      const { code, stderr } = await payctl(['emulator', ...argv])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean --name w1?') })
    }
  })

  it('forks a world, or makes one of a snapshot or of a seed, and of one of them only', async () => {
    const { payctl, read } = await start()
    await read('emulator credit --to 88001234 --amount 5')
    const fork = await read('emulator worlds create --from-world default')
    await read('emulator snapshots take five')
    await read('emulator reset')
    const kept = await read('emulator worlds create --from-snapshot five --name kept')
    const empty = await read('emulator worlds create --seed empty')
    expect([fork, kept, empty].map(({ made_from }) => made_from)).toEqual([
      { world: 'default' },
      { snapshot: 'five' },
      { seed: 'empty' },
    ])
    expect(fork.accounts).toEqual(kept.accounts)
    expect(fork.accounts).not.toEqual((await read('emulator worlds show default')).accounts)
    expect(empty.accounts).toEqual([])
    const two = await payctl('emulator worlds create --from-world default --seed demo'.split(' '))
    expect(two).toMatchObject({ code: 2, stdout: '' })
    const none = await payctl('emulator worlds create --from-snapshot six'.split(' '))
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('Snapshot six does not exist') })
    const wrong = await payctl(['emulator', 'worlds', 'create', '--name', 'A b'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('lower case letters') })
  })

  it('gives a world a separate port, and prints the command that reaches it there', async () => {
    const { emulator, payctl } = await start()
    const { stdout, stderr } = await payctl('emulator worlds create --port 0 --json'.split(' '))
    const { base_url: url } = JSON.parse(stdout)
    expect(new URL(url)).toMatchObject({ pathname: '/', hostname: '127.0.0.1' })
    expect(url).not.toBe(emulator.baseUrl)
    const line = `PAYCTL_BASE_URL=${url} PAYCTL_TOKEN=$(payctl emulator token --base-url ${url}) payctl accounts list`
    expect(stderr).toBe(`Next: ${line}\n`)
    const token = (await payctl(['--base-url', url, 'emulator', 'token'])).stdout.trim()
    const { code } = await payctl(['accounts', 'list'], { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: token })
    expect(code).toBe(0)
  })

  it('lists worlds with those that have ended, and shows what came too late', async () => {
    const { emulator, payctl, read } = await start()
    const { base_url } = await read('emulator worlds create --name a')
    await read('emulator worlds create --name b')
    expect(await read('emulator worlds delete a')).toMatchObject({ name: 'a', status: 'ended', ended_by: 'deletion' })
    const late = await payctl(['--base-url', base_url, 'accounts', 'list', '--retries', '0'])
    expect(late).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/The world a ended at .*: it was deleted/),
    })

    const listed = await payctl(['emulator', 'worlds', '-o', 'csv'])
    expect(listed.stdout.split('\n')[0]).toBe(
      'name,status,made_from,requests,late_requests,size_bytes,id,rng_stream,created_at,ttl_seconds,idle_ms,open,ended_at',
    )
    expect(listed.stdout).toMatch(/^a,ended,,,1,/m)
    expect(listed.stdout).toMatch(/^b,live,seed demo,0,,\d+,/m)
    expect(listed.stderr).toBe('Requests came to worlds that have ended: payctl emulator worlds show a\n')
    expect((await payctl(['emulator', 'worlds', '-o', 'table'])).stdout).toContain('ended: deletion')

    expect(await read('emulator worlds show a')).toMatchObject({
      late_requests: 1,
      latest: [{ method: 'GET', path: '/api/accounts' }],
    })
    const shown = await payctl(['emulator', 'worlds', 'show', 'a', '-o', 'tsv'])
    expect(shown.stdout).toContain('GET /api/accounts 20')
    expect(await payctl(['emulator', 'worlds', 'show', 'c'])).toMatchObject({ code: 3, stdout: '' })
    expect((await read('emulator worlds show default')).base_url).toBe(`${emulator.baseUrl}/w/default`)
    const kept = await payctl(['emulator', 'worlds', 'delete', 'default'])
    expect(kept.stderr).toContain('The default world ends with the emulator')
  })
})

it('payctl emulator worlds prints a page or all, live ones, ended ones, and where the others are', async () => {
  const { emulator, payctl, read } = await start()
  for (let made = 0; made < 16; made += 1) await emulator.control.worlds.create({ from: { seed: 'empty' } })
  for (const name of ['w3', 'w16']) await emulator.control.worlds.delete({ name })
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => `w${from - at}`)
  const names = async (flags = '') => {
    const { stdout, stderr } = await payctl(['emulator', 'worlds', ...flags.split(' ').filter(Boolean), '-o', 'tsv'])
    return {
      names: stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split('\t')[0]),
      stderr,
    }
  }
  const more = '15 of 17 worlds. More: --page 2, --all\n'
  expect(await names()).toEqual({ names: down(16, 2), stderr: more })
  expect(await names('--page 2')).toEqual({ names: ['w1', 'default'], stderr: '' })
  const none = 'Page 4 does not exist: the last of 17 worlds are on page 3.\n'
  expect(await names('--page 4 --per-page 7')).toEqual({ names: [], stderr: none })
  expect(await names('--all --per-page 3')).toEqual({ names: [...down(16, 1), 'default'], stderr: '' })
  expect(await names('--status ended')).toEqual({ names: ['w16', 'w3'], stderr: '' })
  expect((await names('--all --status live')).names).toHaveLength(15)
  expect(await read('emulator worlds --per-page 2 --envelope')).toMatchObject({ total: 17, last_page: 9, per_page: 2 })
  expect(await read('emulator worlds --all')).toHaveLength(17)
  for (const wrong of ['--all --page 2', '--all --envelope', '--per-page 1001', '--page 0', '--status asleep']) {
    expect(await payctl(['emulator', 'worlds', ...wrong.split(' ')])).toMatchObject({ code: 2, stdout: '' })
  }
})

it('what an ended world of a strange emulator holds can be anything', async () => {
  const world = { name: 'a', status: 'ended', latest: 5, ended_by: {} }
  const stub = await startStub((response, { url }) => {
    const isList = /\/worlds(\?|$)/.test(url ?? '')
    const body = isList ? success({ data: [world, { name: 'b', made_from: null }] }) : failure('Gone.')
    response.writeHead(isList ? 200 : 410, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const env = { PAYCTL_BASE_URL: stub.url }
  for (const verb of ['worlds', 'worlds show a']) {
    const run = await runPayctl(['emulator', ...verb.split(' '), '-o', 'csv'], { env })
    expect(run).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^a,ended,/m) })
  }
})

it.each([
  ['accounts', 'list'],
  ['payments', 'send', '--from', 'CRC', '--to', '87000001', '--amount', '5', '--yes'],
  ['emulator', 'status'],
])('after the answer that its world has ended, payctl %s %s leads to a new world', async (...argv) => {
  const { payctl, read } = await start()
  const { base_url, token } = await read('emulator worlds create --name shop')
  await read('emulator worlds delete shop')
  for (const env of [{}, { PAYCTL_BASE_URL: base_url }]) {
    const flags = 'PAYCTL_BASE_URL' in env ? [] : ['--base-url', base_url]
    const { code, stderr } = await runPayctl([...argv, ...flags], { env: { ...env, PAYCTL_TOKEN: token } })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^error: The world shop ended at .+: it was deleted\n {2}That world is gone for good\./m)
    const [, next = ''] = /^next: {2}payctl (.+)$/m.exec(stderr) ?? []
    expect(next).toMatch(/^emulator worlds create --base-url http:\/\/127\.0\.0\.1:\d+$/)
    expect((await payctl(next.split(' '))).code).toBe(0)
  }
})

it('payctl emulator worlds takes a name again, and --rng-stream says what seeds a world', async () => {
  const { payctl, read } = await start()
  const first = await read('emulator worlds create --name shop-7')
  expect(first.rng_stream).toBe('shop-7')
  expect(await payctl('emulator worlds create --name shop-7'.split(' '))).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('World shop-7 already exists'),
  })
  await read('emulator worlds delete shop-7')
  const again = await read('emulator worlds create --name shop-7 --rng-stream checkout')
  expect(again).toMatchObject({ name: 'shop-7', rng_stream: 'checkout', base_url: first.base_url })
  expect(again.id).not.toBe(first.id)
  await read('emulator worlds delete shop-7')
  expect(await read('emulator worlds show shop-7')).toMatchObject({ id: again.id, status: 'ended' })
})

it.skipIf(process.platform === 'win32')(
  'payctl emulator export and helper print only the file to /dev/stdout',
  async () => {
    const { payctl } = await start()
    const world = await payctl(['emulator', 'export', '/dev/stdout'])
    expect(world).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^SQLite format 3/) })
    expect(world.stdout).not.toContain('size_bytes')
    const helper = await payctl(['emulator', 'helper', 'pytest', '/dev/stdout'])
    expect(helper).toEqual(await payctl(['emulator', 'helper', 'pytest', '-']))
  },
)

describe('payctl emulator snapshots', () => {
  it('lists the others if a file can’t be used, and says why', async () => {
    const worlds = await temporaryDirectory()
    const { emulator, read } = await start({ worlds })
    for (const name of ['bad', 'good']) await read(`emulator snapshots take ${name}`)
    await emulator.close()
    writeFileSync(join(worlds, 'snapshots', 'bad.sqlite'), 'dear diary')
    const { payctl } = await start({ worlds })
    const { code, stdout, stderr } = await payctl(['emulator', 'snapshots', '-o', 'csv'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^name,world,taken_at,size_bytes\nbad,,,10\ngood,default,\S+,\d+\n$/),
    })
    expect(stderr).toMatch(/^Snapshot bad can’t be used. \S+bad.sqlite was not made by payctl emulate/)
  })

  it('are taken of a world, listed, restored and forgotten', async () => {
    const { payctl, read, account } = await start()
    const before = balanceIn(await read('--emulator accounts list'), account)
    expect(await read('emulator snapshots')).toEqual([])
    expect(await read('emulator snapshots take start')).toMatchObject({ name: 'start', world: 'default' })
    await read(`emulator credit --to ${account} --amount 5`)
    expect(balanceIn(await read('--emulator accounts list'), account)).toBe(Number(before) + 500)
    expect(await read('emulator snapshots restore start')).toMatchObject({ made_from: { snapshot: 'start' } })
    expect(balanceIn(await read('--emulator accounts list'), account)).toBe(before)
    expect((await payctl(['emulator', 'snapshots', '-o', 'csv'])).stdout).toMatch(
      /^name,world,taken_at,size_bytes\nstart,default,\S+,\d+\n$/,
    )
    await read('emulator snapshots delete start')
    expect(await payctl(['emulator', 'snapshots', 'restore', 'start'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Snapshot start does not exist'),
    })
  })

  it('are replaced with --replace only', async () => {
    const { payctl, read } = await start()
    await read('emulator worlds create --name shop-7')
    await read('emulator snapshots take start --world shop-7')
    expect(await payctl(['emulator', 'snapshots', 'take', 'start'])).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(
        /Snapshot start already exists, from the world shop-7\.[\s\S]*payctl emulator snapshots take start --replace/,
      ),
    })
    expect(await read('emulator snapshots')).toMatchObject([{ name: 'start', world: 'shop-7' }])
    expect(await read('emulator snapshots take start --replace')).toMatchObject({ name: 'start', world: 'default' })
  })
})

describe('--world', () => {
  it('steers that world alone, wherever the flag stands and whichever world the URL names', async () => {
    const { emulator, payctl, read } = await start()
    await read('emulator worlds create --name a')
    await read('emulator worlds create --name b')
    await read('emulator --world a clock freeze')
    await read('emulator rail pin offline --world a')
    await read('emulator snapshots take of-a --world a')
    await read('emulator reset --world b', { PAYCTL_BASE_URL: `${emulator.baseUrl}/w/a` })
    const frozen = async (...flags: string[]) => (await read(['emulator status', ...flags].join(' '))).clock.frozen
    expect(await frozen('--world', 'a')).toBe(true)
    expect(await frozen('--base-url', `${emulator.baseUrl}/w/a`)).toBe(true)
    expect(await frozen('--world', 'b')).toBe(false)
    expect(await frozen('--world', 'default')).toBe(false)
    expect(await frozen()).toBe(false)
    expect(await read('emulator snapshots')).toMatchObject([{ name: 'of-a', world: 'a' }])
    const none = await payctl(['emulator', 'status', '--world', 'c'])
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('World c does not exist') })
    const wrong = await payctl(['emulator', 'status', '--world', '../api'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('lower case letters') })
  })

  it('goes with the control token of the environment, which is that of all worlds', async () => {
    const { emulator, payctl } = await start({ controlToken: 'c0ntrol' })
    const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_CONTROL_TOKEN: 'c0ntrol' }
    expect((await payctl(['emulator', 'worlds', 'create', '--name', 'a'], env)).code).toBe(0)
    expect((await payctl(['emulator', 'status', '--world', 'a'], env)).code).toBe(0)
    expect((await payctl(['emulator', 'status', '--base-url', `${emulator.baseUrl}/w/a`], env)).code).toBe(0)
  })

  it('does not say which of two emulators is meant', async () => {
    const two = await startTwo()
    onTestFinished(() => two.close())
    const state = await temporaryDirectory()
    announceAll(state, [two.first, two.second])
    const run = await runPayctl(['emulator', 'reset', '--world', 'default'], { env: { PAYCTL_STATE_DIR: state } })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('2 emulators are running') })
  })
})

describe('a base URL of a world', () => {
  it('pays, resumes and reads there, by flag and by variable, with the token of the emulator', async () => {
    const { emulator, payctl, read, account } = await start()
    const { base_url: url } = await read('emulator worlds create --name a')
    const send = ['payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes']
    const sent = await payctl([...send, '--base-url', url, '--idempotency-key', 'k'])
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining(', world a, as maria') })
    expect(await read('payments history', { PAYCTL_BASE_URL: url })).toHaveLength(1)
    expect(await read('payments history', { PAYCTL_BASE_URL: `${url}/` })).toHaveLength(1)
    expect(await read('payments history --emulator')).toHaveLength(0)

    await read('emulator faults add payments.create 500 --always --world a')
    const lost = await payctl([...send, '--base-url', url, '--idempotency-key', 'l', '--retries', '0'])
    expect(lost.code).toBe(10)
    await read('emulator faults clear --world a')
    const elsewhere = await read('payments resume', { PAYCTL_BASE_URL: emulator.baseUrl })
    expect(elsewhere).toEqual([])
    expect(await read('payments resume --yes', { PAYCTL_BASE_URL: url })).toMatchObject([{ idempotency_key: 'l' }])
    expect(await read('payments history', { PAYCTL_BASE_URL: url })).toHaveLength(2)
  })

  it('within the environment of an emulator takes its token, and --emulator stays in that world', async () => {
    const { emulator, read } = await start()
    const { base_url: url } = await read('emulator worlds create --name a')
    await read('emulator credit --to 88001234 --amount 5 --world a')
    const exec = {
      PAYCTL_PROFILE: 'emulator',
      PAYCTL_BASE_URL: emulator.baseUrl,
      PAYCTL_AUTH_URL: emulator.authUrl,
      PAYCTL_TOKEN: emulator.token,
    }
    expect(await read(`payments history --base-url ${url}`, exec)).toHaveLength(1)
    expect(await read('payments history', exec)).toHaveLength(0)
    expect(await read('payments history', { ...exec, PAYCTL_BASE_URL: url })).toHaveLength(1)
    expect(await read('payments history --emulator', { ...exec, PAYCTL_BASE_URL: url })).toHaveLength(1)
  })

  it('keeps the token of another emulator, and of a service, to itself', async () => {
    const { payctl, emulator } = await start()
    for (const home of ['http://127.0.0.1:1/w/a', 'https://api.example.com']) {
      const env = { PAYCTL_BASE_URL: home, PAYCTL_TOKEN: 'of-another' }
      const run = await payctl(['user', '--base-url', `${emulator.baseUrl}/w/default`], env)
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`PAYCTL_TOKEN belongs to ${home}`) })
    }
  })

  it('is logged in to, on the consent page of that world', async () => {
    const { emulator, read } = await start({ rateLimit: null })
    const { base_url: url } = await read('emulator worlds create --name a')
    const machine = await freshMachine()
    const session = await startLogin({ baseUrl: url }, [], { machine })
    const address = await session.address()
    expect(address.pathname).toMatch(/^\/w\/a\/oauth\//)
    const page = await (await fetch(address)).text()
    expect(page).toContain('María Fernández Rojas')
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    const here = { env: { ...machine.env, PAYCTL_BASE_URL: url } }
    const status = await runPayctl(['auth', 'status', '--json'], here)
    expect(JSON.parse(status.stdout)).toMatchObject({ base_url: url, kind: 'oauth' })
    expect((await runPayctl(['auth', 'refresh'], here)).code).toBe(0)
    expect((await runPayctl(['user'], here)).code).toBe(0)
    const elsewhere = { env: { ...machine.env, PAYCTL_BASE_URL: emulator.baseUrl } }
    expect((await runPayctl(['user'], elsewhere)).code).toBe(4)
  })

  it('is tailed: the events of that world come, and no others', async () => {
    const { emulator, tail, steer, run } = await rig()
    await steer('control.worlds.create', { body: { name: 'a' } })
    const env = { PAYCTL_BASE_URL: `${emulator.baseUrl}/w/a` }
    const running = await tail(['--limit', '1', '--json', '--events', 'transaction.received'], { env }).listening()
    await run(['emulator', 'credit', '--to', '88001234', '--amount', '3'])
    await run(['emulator', 'credit', '--to', '88001234', '--amount', '7'], { env })
    const [event] = await running.events(1)
    expect(event?.data).toMatchObject({ amount: { value: 700 } })
    expect(await running.finished).toMatchObject({ code: 0 })
  })
})

describe('payctl emulator moments', () => {
  it('lists what changed the world, and makes a world of the state after any of it', async () => {
    const { emulator, payctl, read, account } = await start()
    expect(await payctl(['emulator', 'moments', '--json'])).toMatchObject({
      stdout: '[]\n',
      stderr: 'No moments. To save moments from now on: payctl emulator moments keep\n',
    })
    expect(await read('emulator moments keep --limit 8')).toMatchObject({ limit_mib: 8, count: 1 })
    await read('emulator credit --to 88001234 --amount 5')
    await read('emulator credit --to 88001234 --amount 70')
    const { stdout } = await payctl('emulator moments -o csv --columns id,cause,before'.split(' '))
    expect(stdout).toBe(
      'id,cause,before\n' +
        'm3,POST /_emulator/credits,m2\n' +
        'm2,POST /_emulator/credits,m1\n' +
        'm1,moments are saved from here on,\n',
    )
    const [latest] = await read('emulator moments --payment last')
    expect(latest).toMatchObject({ id: 'm3', cause: { payment_id: expect.any(String) } })
    const made = await read('emulator worlds create --name then --from-moment 2')
    expect(made).toMatchObject({ made_from: { world: 'default', moment: 'm2' }, forked_from: { moment: 'm2' } })
    const balance = (accounts: readonly { id: string; balance: number }[]) =>
      accounts.find(({ id }) => id === account)?.balance
    expect(balance(made.accounts)).toBe(250_000_500)
    expect(balance(emulator.accounts())).toBe(250_007_500)
    const listed = await payctl(['emulator', 'worlds', '-o', 'csv', '--columns', 'name,made_from'])
    expect(listed.stdout).toContain('then,world default at m2\n')
    const again = await read('emulator worlds create --from-world then')
    expect(again.forked_from).toMatchObject({ world: 'then', moment: null })
    const other = await payctl('emulator worlds create --from-world then --from-moment m1'.split(' '))
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining('The world then saves no moments.') })
    const wrong = await payctl('emulator worlds create --from-moment x'.split(' '))
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Give the id of a moment, like m12.') })
    expect(await read('emulator moments drop')).toEqual({ limit_mib: null, count: 0, size_bytes: 0 })
  })

  it('fits in a terminal: causes in full, and ids of payments by their end', async () => {
    const { emulator, read } = await start({ moments: 8, clock: '2026-01-05T12:00:00Z' })
    const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
    onTestFinished(() => client.close())
    await client.call('webhooks.create', {
      body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'] },
    })
    const { id } = await client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'k' },
      body: { source_account_id: crcAccount(emulator), recipient_phone: '87000001', amount: 5 },
    })
    await read('emulator clock advance 5s')
    const env = { PAYCTL_BASE_URL: emulator.baseUrl, NO_COLOR: '1' }
    const { stdout } = await runPayctl(['emulator', 'moments'], { env, terminal: 80 })
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd())
    const end = `...${id?.slice(-5)}`
    expect(lines).toEqual([
      'ID  AT (UTC)  CAUSE  PAYMENT ID',
      'm7  2026-01-05 12:00:05  clock',
      `m6  2026-01-05 12:00:01  attempt 1 of payment.completed  ${end}`,
      `m5  2026-01-05 12:00:01  completed  ${end}`,
      `m4  2026-01-05 12:00:00  processing  ${end}`,
      `m3  2026-01-05 12:00:00  POST /api/payments (r2)  ${end}`,
      'm2  2026-01-05 12:00:00  POST /api/webhooks/subscriptions (r1)',
      'm1  2026-01-05 12:00:00  moments are saved from here on',
      '',
    ])
    expect(await read(`emulator moments --payment ${end}`)).toHaveLength(4)
  })
})
