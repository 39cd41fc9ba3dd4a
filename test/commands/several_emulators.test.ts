import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { announceAll, announcementOf, startTwo } from '../config/ready.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

let two: Awaited<ReturnType<typeof startTwo>>
beforeAll(async () => {
  two = await startTwo()
})
afterAll(() => two.close())

let env: Readonly<Record<string, string>>
let state: string
beforeEach(async () => {
  state = await temporaryDirectory()
  env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config') }
  announceAll(state, [two.first, two.second])
})

const run = (...argv: readonly string[]) => runPayctl(argv, { env })

/** Numbers of records in each emulator, and whether its clock is frozen: a write would change one of these values. */
const census = async () => {
  const at = async ({ baseUrl }: Emulator) => {
    const { stdout } = await runPayctl(['emulator', 'status', '--base-url', baseUrl, '--json'], { env })
    const { payments, accounts, subscriptions, clock } = JSON.parse(stdout)
    return { payments, accounts, subscriptions, frozen: clock.frozen }
  }
  return await Promise.all([at(two.one), at(two.other)])
}

const portOf = ({ baseUrl }: Emulator): string => new URL(baseUrl).port

const accountOf = (emulator: Emulator): string =>
  emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''

/** Arguments of a command that pays from an account of the newest emulator. */
const order = () => ['--from', accountOf(two.other), '--to', '87000001', '--amount', '10']

const key = ['-H', 'X-Idempotency-Key: several']
const body = () => [
  '-F',
  `source_account_id=${accountOf(two.other)}`,
  '-F',
  'amount=1000',
  '-F',
  'recipient_phone=87000001',
]

describe('where two emulators run and none is named', () => {
  it.each<[string, () => readonly string[]]>([
    ['payments send', () => ['payments', 'send', ...order(), '--yes']],
    ['payments resume', () => ['payments', 'resume']],
    ['payments resume <intent>', () => ['payments', 'resume', 'int_4k7qz2m9x1ab']],
    ['api POST', () => ['api', 'POST', '/api/payments', ...key, ...body()]],
    ['accounts create', () => ['accounts', 'create', '--currency', 'CRC']],
    ['webhooks create', () => ['webhooks', 'create', '--url', 'http://127.0.0.1:1', '--events', 'payment.created']],
    ['webhooks tail', () => ['webhooks', 'tail', '--timeout', '5s']],
    ['emulator reset', () => ['emulator', 'reset']],
    ['emulator clock freeze', () => ['emulator', 'clock', 'freeze']],
  ])('%s changes nothing, and says how to name one', async (_, command) => {
    const before = await census()
    for (const choice of [{ args: ['--emulator'] }, { args: [], profile: 'emulator' }]) {
      const { profile, args } = choice
      if (command()[0] === 'emulator' && args.length === 0) continue
      const { code, stdout, stderr } = await runPayctl([...command(), ...args], {
        env: { ...env, ...(profile && { PAYCTL_PROFILE: profile }) },
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(
        'error: 2 emulators are running, and nothing says which one to change. Nothing was sent.',
      )
      expect(stderr).toContain(`Name one: --emulator=${portOf(two.other)}, or --emulator=${portOf(two.one)}\n`)
    }
    expect(await census()).toEqual(before)
  })

  it('payments batch sends no row', async () => {
    const before = await census()
    const { code, stderr } = await run('payments', 'batch', '-', '--yes', '--emulator')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one: --emulator=') })
    expect(await census()).toEqual(before)
  })

  it('leaves no intent behind', async () => {
    await run('payments', 'send', ...order(), '--yes', '--emulator')
    expect((await run('payments', 'intents', '--json', '--emulator')).stdout).toBe('[]\n')
  })

  it.each<[string, () => readonly string[]]>([
    ['accounts list', () => ['accounts', 'list']],
    ['payments validate', () => ['payments', 'validate', ...order()]],
    ['payments send --dry-run', () => ['payments', 'send', ...order(), '--dry-run']],
    ['api GET', () => ['api', '/api/user']],
    ['emulator status', () => ['emulator', 'status']],
  ])('%s reads from the newest, and says so', async (_, command) => {
    const { code, stderr } = await run(...command(), '--emulator')
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(
      `2 emulators are running; reads go to the newest, ${portOf(two.other)} (${two.other.baseUrl}). Others: --emulator=${portOf(two.one)}\n`,
    )
  })
})

describe('the advice works as it is typed', () => {
  it.each([
    ['with --emulator', ['--emulator']],
    ['without', []],
  ])('%s', async (_, flags) => {
    const send = (from: string) => ['payments', 'send', '--from', from, '--to', '87000001', '--amount', '10', '--yes']
    const { stderr } = await run(...send(accountOf(two.other)), '--emulator')
    const named = new Set(
      [...stderr.matchAll(/Name one:.+|, or .+/g)].flatMap(([line]) => line.match(/--emulator=\d+/g)),
    )
    const [one, other] = [`--emulator=${portOf(two.one)}`, `--emulator=${portOf(two.other)}`]
    expect(named).toEqual(new Set([one, other]))
    const before = await census()
    for (const flag of [one, other]) {
      const from = accountOf(flag === one ? two.one : two.other)
      const paid = await run(...send(from), ...flags, flag, '--json')
      expect(paid.code, paid.stderr).toBe(0)
      const { id } = JSON.parse(paid.stdout)
      expect((await run('payments', 'get', id, ...flags, flag)).code).toBe(0)
      const elsewhere = flag === one ? other : one
      expect((await run('payments', 'get', id, ...flags, elsewhere)).code).toBe(3)
    }
    const total = (state: Awaited<ReturnType<typeof census>>[number]) =>
      Object.values<number>(state.payments).reduce((sum, count) => sum + count, 0)
    expect((await census()).map(total)).toEqual(before.map((state) => total(state) + 1))
  })
})

describe('--emulator=', () => {
  const userOf = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await run('accounts', 'list', '--json', ...flags)
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)[0]?.id ?? JSON.parse(stdout).data?.[0]?.id
  }

  it('takes a port, a name, and a world', async () => {
    announceAll(state, [{ ...two.first, name: 'shop' }, two.second])
    const account = accountOf(two.one)
    expect(await userOf(`--emulator=${portOf(two.one)}`)).toBe(account)
    expect(await userOf('--emulator=shop')).toBe(account)
    const world = `blue-${portOf(two.one)}`
    await run('emulator', 'worlds', 'create', '--name', world, '--emulator=shop')
    const listed = await run('emulator', 'list', '--json')
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ name: 'shop', world_names: expect.arrayContaining([world]) }),
    )
    for (const flag of [`--emulator=shop/${world}`, `--emulator=${world}`]) {
      const { stderr } = await run('user', flag, '--verbose')
      expect(stderr).toContain(`${two.one.baseUrl}/w/${world}/api/user`)
    }
    expect((await run('user', '--emulator=shop/none')).code).toBe(3)
  })

  it('takes no word that follows it', async () => {
    for (const argv of [
      ['--emulator', 'accounts', 'list'],
      ['accounts', '--emulator', 'list'],
      ['--emulator', '--json', 'accounts', 'list'],
    ]) {
      expect((await run(...argv)).stdout).toContain(accountOf(two.other))
    }
    expect((await run(`--emulator=${portOf(two.one)}`, 'accounts', 'list')).stdout).toContain(accountOf(two.one))
  })

  it('says which ones run when it names none of them, and is never empty', async () => {
    announceAll(state, [{ ...two.first, name: 'shop' }, two.second])
    const { code, stderr } = await run('user', '--emulator=shp')
    expect(code).toBe(12)
    expect(stderr).toContain('Did you mean shop?')
    expect(stderr).toContain(two.other.baseUrl)
    for (const flag of ['--emulator=', '--emulator=a/b/c']) expect((await run('user', flag)).code).toBe(2)
    expect((await run('user', '--emulator=shop', '--base-url', two.one.baseUrl)).code).toBe(2)
  })

  it('is in the next step that is suggested', async () => {
    const flag = `--emulator=${portOf(two.one)}`
    const { stderr } = await run('payments', 'send', ...order(), '--to', 'nobody', '--yes', flag)
    expect(stderr).toContain(`payctl payees list ${flag}`)
  })
})

it('an intent says which emulator it was sent to, and whether its world is gone', async () => {
  const third = await startEmulator()
  onTestFinished(() => third.close())
  announceAll(state, [two.first, announcementOf(third, { pid: process.ppid })])
  const flag = `--emulator=${portOf(third)}`
  const sending = ['--from', accountOf(third), '--to', '87000001', '--amount', '10']
  expect((await run('payments', 'send', ...sending, '--yes', flag)).code).toBe(0)
  const listed = async () => JSON.parse((await run('payments', 'intents', '--json')).stdout)
  const [{ id, ...sent }] = await listed()
  expect(sent).toMatchObject({ base_url: third.baseUrl, world_status: 'live' })
  const shownStatus = async (language: string) => {
    const argv = ['payments', 'outbox', '--columns', 'world_status', '--no-color', '--lang', language]
    return (await runPayctl(argv, { env, terminal: 80 })).stdout
  }
  expect([await shownStatus('en'), await shownStatus('es')]).toEqual([
    'WORLD STATUS\nrunning\n',
    'ESTADO DEL MUNDO\nactivo\n',
  ])
  expect((await run('emulator', 'reset', flag)).code).toBe(0)
  expect(await listed()).toMatchObject([{ world_status: 'gone' }])
  const shown = await runPayctl(['payments', 'outbox'], { env, terminal: 200 })
  const all = await runPayctl(['payments', 'outbox', '--all'], { env, terminal: 200 })
  expect(shown.stdout).toBe('')
  expect(shown.stderr).toContain('Left out: 1 intent of a world that is gone. To see it: --all')
  expect(all.stdout).toContain('10.00 CRC')
  expect(await run('payments', 'resume', id, flag)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('an emulator world that is gone'),
  })
  rmSync(join(state, 'emulators'), { recursive: true })
  expect(await listed()).toMatchObject([{ world_status: 'not_running' }])
})

it('one that is named needs no login, whatever the profile is logged in to', async () => {
  await run('profiles', 'set', 'prod', '--base-url', 'https://api.example.com')
  await run('profiles', 'use', 'prod')
  for (const flags of [[], ['-p', 'prod']]) {
    const user = await run('user', '--json', '--base-url', two.one.baseUrl, ...flags)
    expect(user.code, user.stderr).toBe(0)
  }
})

it('payees that are saved at one are those of the other, and of nothing that gives no proof', async () => {
  const stranger = await startEmulator()
  onTestFinished(() => stranger.close())
  const to = ['payees', 'add', 'ana', '--to', '87000001']
  const names = async (...at: readonly string[]) => {
    const { stdout } = await runPayctl(['payees', 'list', '--json', ...at], {
      env: {
        ...env,
        ...(at[0] === '--base-url' && { PAYCTL_BASE_URL: stranger.baseUrl, PAYCTL_TOKEN: stranger.token }),
      },
    })
    return JSON.parse(stdout).map(({ name = '' }) => name)
  }

  expect((await run(...to, `--emulator=${portOf(two.one)}`)).code).toBe(0)

  expect(await names(`--emulator=${portOf(two.other)}`)).toEqual(['ana'])
  expect(await names('--base-url', stranger.baseUrl)).toEqual([])
})

it('a named emulator that does not answer is not called unknown', async () => {
  announceAll(state, [two.first, { ...two.second, name: 'ci', base_url: 'http://127.0.0.1:1' }])
  const { code, stderr } = await run('--emulator=ci', 'accounts', 'list')
  expect(code).toBe(12)
  expect(stderr).toContain(
    'Emulator ci at http://127.0.0.1:1 does not answer, or another program has that address now.',
  )
  expect(stderr).toMatch(/Running: \d+ \(http/)
  const { stderr: waited } = await run('emulator', 'wait', 'ready', '--emulator=ci', '--wait-timeout', '300ms')
  expect(waited).toContain('Last attempt: Emulator ci at http://127.0.0.1:1 does not answer')
})

describe('a folder of payctl that is a file', () => {
  it.each([[['--emulator', 'accounts', 'list']], [['emulator', 'list']], [['emulate', '--detach']]])(
    'is named as the state folder: %j',
    async (argv) => {
      const file = join(state, 'file')
      writeFileSync(file, '')
      const { code, stderr } = await runPayctl(argv, { env: { ...env, PAYCTL_STATE_DIR: file } })
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('a part of its path is a file'),
      })
      expect(stderr).toContain('set PAYCTL_STATE_DIR to another directory')
    },
  )

  it('is named as the configuration folder', async () => {
    const file = join(state, 'file')
    writeFileSync(file, '', { mode: 0o600 })
    const argv = [`--emulator=${new URL(two.one.baseUrl).port}`, 'accounts', 'list']
    const { code, stderr } = await runPayctl(argv, { env: { ...env, PAYCTL_CONFIG_DIR: file } })
    expect(code).toBe(2)
    expect(stderr).toContain(`credentials.json can't be read: a part of its path is a file.`)
    expect(stderr).toContain('set PAYCTL_CONFIG_DIR to another directory')
  })
})
