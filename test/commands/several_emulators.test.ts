import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { announceAll, startTwo } from '../config/ready.ts'
import { runPayctl, temporaryDirectory } from './run_payctl.ts'

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

/** What there is at each of the two that a write would add to. */
const census = async () => {
  const at = async ({ baseUrl }: Emulator) => {
    const { stdout } = await runPayctl(['emulator', 'status', '--base-url', baseUrl, '--json'], { env })
    const { payments, accounts, subscriptions, clock } = JSON.parse(stdout)
    return { payments, accounts, subscriptions, frozen: clock.frozen }
  }
  return await Promise.all([at(two.one), at(two.other)])
}

const accountOf = (emulator: Emulator): string =>
  emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''

/** Of the newest, as a script that read its accounts would have it. */
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
    ['payments resume <intent>', () => ['payments', 'resume', 'int_1']],
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
        'error: 2 emulators are running, and nothing says which of them this is for. Nothing was sent.',
      )
      expect(stderr).toContain(`Name one: --base-url ${two.other.baseUrl}, or --base-url ${two.one.baseUrl}\n`)
    }
    expect(await census()).toEqual(before)
  })

  it('payments batch sends no row', async () => {
    const before = await census()
    const { code, stderr } = await run('payments', 'batch', '-', '--yes', '--emulator')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one: --base-url') })
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
      `2 emulators are running; using the newest, ${two.other.baseUrl}. Others: --base-url ${two.one.baseUrl}\n`,
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
    const advice = [...stderr.matchAll(/--base-url (http:\/\/[\d.:]+)(?=,? or |\n|, or )/g)].map(([, url]) => url ?? '')
    const named = new Set(advice)
    expect(named).toEqual(new Set([two.one.baseUrl, two.other.baseUrl]))
    const before = await census()
    for (const baseUrl of named) {
      const from = accountOf(baseUrl === two.one.baseUrl ? two.one : two.other)
      const paid = await run(...send(from), ...flags, '--base-url', baseUrl, '--json')
      expect(paid.code, paid.stderr).toBe(0)
      const { id } = JSON.parse(paid.stdout)
      expect((await run('payments', 'get', id, ...flags, '--base-url', baseUrl)).code).toBe(0)
      const elsewhere = baseUrl === two.one.baseUrl ? two.other.baseUrl : two.one.baseUrl
      expect((await run('payments', 'get', id, ...flags, '--base-url', elsewhere)).code).toBe(3)
    }
    const total = (state: Awaited<ReturnType<typeof census>>[number]) =>
      Object.values<number>(state.payments).reduce((sum, count) => sum + count, 0)
    expect((await census()).map(total)).toEqual(before.map((state) => total(state) + 1))
  })
})

it('one that is named needs no login, whatever the profile is logged in at', async () => {
  await run('profiles', 'set', 'prod', '--base-url', 'https://api.example.com')
  await run('profiles', 'use', 'prod')
  for (const flags of [[], ['-p', 'prod']]) {
    const user = await run('user', '--json', '--base-url', two.one.baseUrl, ...flags)
    expect(user.code, user.stderr).toBe(0)
  }
})
