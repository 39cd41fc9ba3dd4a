import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { payctlCommand } from '../../support/program.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { adminKey, startCompany } from './company.ts'

/** The built payctl, with its files in a folder of the test. */
function workplace() {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-teams-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { PAYCTL_STATE_DIR: join(folder, 'state'), PAYCTL_CONFIG_DIR: join(folder, 'config') }
  const payctl = (args: readonly string[], more: Record<string, string> = {}) =>
    execa(...payctlCommand(args), { env: { ...env, ...more }, cwd: folder, reject: false })
  return { folder, payctl }
}

test('payctl emulator team key adds keys to a file and keeps its comments', async () => {
  const { folder, payctl } = workplace()
  const file = join(folder, 'teams.yaml')
  writeFileSync(file, '# Ask ana before you add a team\nteams:\n  payments:\n    quotas: { worlds: 3 } # enough\n')

  const made = await payctl(['emulator', 'team', 'key', 'payments', 'ci', '--teams', file, '--json'])
  expect(JSON.parse(made.stdout)).toEqual({
    team: 'payments',
    name: 'ci',
    key: expect.stringMatching(/^payments\.[\w-]{43}$/),
  })
  expect(made.stderr).toContain('it is not shown again')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^# Ask ana[\s\S]*# enough\n {4}keys:\n {6}ci: [0-9a-f]{64}\n$/)
  expect(text).not.toContain(JSON.parse(made.stdout).key)

  expect((await payctl(['emulator', 'team', 'key', 'payments', 'ci', '--teams', file])).stderr).toContain(
    'has a key ci',
  )
  expect((await payctl(['emulator', 'team', 'key', 'Payments', '--teams', file])).exitCode).toBe(2)
  await payctl(['emulator', 'team', 'key', 'risk', '--teams', join(folder, 'new.yaml')])
  expect(readFileSync(join(folder, 'new.yaml'), 'utf8')).toMatch(/^teams:\n {2}risk:\n {4}keys:\n {6}k1: /)
  expect(statSync(join(folder, 'new.yaml')).mode & 0o777).toBe(0o600)
})

test.each([
  ['- a\n', 'The file must be a mapping.'],
  ['teams: [a]\n', 'teams must be a mapping.'],
  ['teams:\n  payments: 3\n', 'teams.payments must be a mapping.'],
  ['teams:\n  payments:\n    keys: [a]\n', 'teams.payments.keys must be a mapping.'],
  ['teams: {\n', 'Flow map'],
])(
  'payctl emulator team key refuses a file that is not a file of teams, and leaves it as it is: %j',
  async (text, why) => {
    const { folder } = workplace()
    const file = join(folder, 'teams.yaml')
    writeFileSync(file, text)

    const { code, stdout, stderr } = await runPayctl(['emulator', 'team', 'key', 'payments', '--teams', file])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${file} can’t be read: ${why}`)])
    expect(stderr.split('\n')).toHaveLength(3)
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

test.each(['', '# Ask ana\n', '# Ask ana\nteams:\n', 'teams: # ours\n  payments:\n', 'teams: {payments: {}}\n'])(
  'payctl emulator team key adds a key to a file without any: %j',
  async (text) => {
    const { folder } = workplace()
    const file = join(folder, 'teams.yaml')
    writeFileSync(file, text)

    expect((await runPayctl(['emulator', 'team', 'key', 'payments', '--teams', file])).code).toBe(0)
    const written = readFileSync(file, 'utf8')
    expect(parse(written)).toEqual({ teams: { payments: { keys: { k1: expect.any(String) } } } })
    for (const [comment] of text.matchAll(/#.*/g)) expect(written).toContain(comment)
  },
)

test('payctl emulator says what to do where a key does not reach', async () => {
  const { payments, baseUrl } = await startCompany()
  const payctl = (args: readonly string[], key: string) =>
    runPayctl(['emulator', ...args, '--base-url', baseUrl], { env: { PAYCTL_CONTROL_TOKEN: key } })

  const wrong = await payctl(['worlds'], 'payments.wrong')
  expect([wrong.code, wrong.stderr]).toEqual([
    4,
    'error: The control token is wrong.\n' +
      '  Set PAYCTL_CONTROL_TOKEN to the --control-token that the emulator was started with, or to a key of your team.\n',
  ])
  const missing = await runPayctl(['emulator', 'worlds', '--base-url', baseUrl])
  expect([missing.code, missing.stderr]).toEqual([
    4,
    'error: This emulator needs a control token.\n' +
      '  Set PAYCTL_CONTROL_TOKEN to the --control-token that the emulator was started with, or to a key of your team.\n',
  ])
  const foreign = await payctl(['status'], payments.key)
  expect([foreign.code, foreign.stderr]).toEqual([
    5,
    'error: The default world is the administrator’s. Name one of your worlds in the URL: /w/payments.<name>\n' +
      '  This key controls only the worlds of its team. List them:\n' +
      `next:  payctl emulator worlds --base-url ${baseUrl}\n`,
  ])
})

test('payctl emulator worlds create shows how to use a world that has its own token', async () => {
  const { payments, baseUrl } = await startCompany()
  const env = { PAYCTL_CONTROL_TOKEN: payments.key }

  const { stderr } = await runPayctl(['emulator', 'worlds', 'create', '--name', 'a', '--base-url', baseUrl], { env })
  const url = `${baseUrl}/w/payments.a`
  expect(stderr).toBe(
    `Next: PAYCTL_BASE_URL=${url} PAYCTL_TOKEN=$(payctl emulator token --base-url ${url}) payctl accounts list\n`,
  )
})

test('payctl emulate --teams serves two teams, whose commands see their own worlds', async () => {
  const { folder, payctl } = workplace()
  const keyOf = async (team: string) =>
    JSON.parse((await payctl(['emulator', 'team', 'key', team, '--teams', 'teams.yaml', '--json'])).stdout)
      .key as string
  const [payments, risk] = [await keyOf('payments'), await keyOf('risk')]
  const flags = ['--worlds', 'worlds', '--teams', 'teams.yaml', '--audit-log', 'audit.jsonl', '--max-worlds', '2']
  const emulator = payctl(['emulate', ...flags, '--port', '0', '--json'], { PAYCTL_EMULATOR_CONTROL_TOKEN: adminKey })
  onTestFinished(() => void emulator.kill('SIGKILL'))
  const [line] = await once(emulator.stdout, 'data')
  const ready = JSON.parse(String(line))
  expect(ready.token).not.toBe('payctl-demo-token')
  const at = (key: string, ...args: readonly string[]) =>
    payctl([...args, '--json'], { PAYCTL_BASE_URL: ready.base_url, PAYCTL_CONTROL_TOKEN: key })

  const made = JSON.parse((await at(payments, 'emulator', 'worlds', 'create', '--name', 'shop-7')).stdout)
  expect(made.name).toBe('payments.shop-7')
  expect((await at(risk, 'emulator', 'worlds')).stdout).not.toContain('shop-7')
  const foreign = await at(risk, 'emulator', 'status', '--world', 'payments.shop-7')
  expect(foreign.exitCode).not.toBe(0)
  expect(foreign.stderr).toContain('World payments.shop-7 does not exist')
  expect((await at(payments, 'emulator', 'status', '--world', 'payments.shop-7')).exitCode).toBe(0)
  const accounts = await payctl(['--base-url', made.base_url, 'accounts', 'list', '--json'], {
    PAYCTL_TOKEN: made.token,
  })
  expect(JSON.parse(accounts.stdout)).toHaveLength(2)
  expect((await at(adminKey, 'emulator', 'worlds')).stdout).toContain('payments.shop-7')

  emulator.kill('SIGTERM')
  await emulator
  expect(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).toContain('"team":"payments","key":"k1"')
})

test('the log has the world that a refused request names', async () => {
  const logged: (readonly [string, number | null, string | undefined])[] = []
  const { baseUrl } = await startCompany({
    onRequest: ({ world, status, team }) => logged.push([world, status, team]),
  })
  await (await fetch(`${baseUrl}/w/payments.shop/api/user`)).text()
  expect(logged).toEqual([['payments.shop', 401, '']])
})
