import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/testing/index.ts'
import { installPacked } from '../package/packed.ts'
import { freePort } from '../support/free_port.ts'
import { serve } from '../support/server.ts'
import { inGo, inJava, inPython, withoutAccounts } from './suite_programs.ts'

const runners = fileURLToPath(new URL('runners', import.meta.url))
const payctl = join(runners, 'node_modules/payctl/bin/payctl.js')
const projects = join(runners, 'suite_files')

/** True if this machine has a program of another language. */
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Jars of Debian's package `junit5`. */
const jars = [
  'junit-jupiter',
  'junit-jupiter-api',
  'junit-jupiter-engine',
  'junit-jupiter-params',
  'junit-platform-commons',
  'junit-platform-console',
  'junit-platform-engine',
  'junit-platform-launcher',
  'junit-platform-reporting',
  'opentest4j',
  'opentest4j-reporting-events',
  'apiguardian-api',
  'picocli',
].map((name) => `/usr/share/java/${name}.jar`)

/** Sends a payment and returns its id. */
const payInJs = `
async function pay({ baseUrl, token, accounts }, key, amount = 1000, more = {}) {
  const answer = await fetch(baseUrl + '/api/payments', {
    method: 'POST',
    headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json', 'X-Idempotency-Key': key },
    body: JSON.stringify({ source_account_id: accounts()[0].id, recipient_phone: '87000001', amount, ...more }),
  })
  return (await answer.json()).data.id
}
`

/** Tests with fixtures: \`expected\` is the assertion on a payment of 1000. */
const withFixtures = (file: string, expected: string) => `
import { expect, test } from './${file}'
${payInJs}
test('an order is paid', async ({ world, pass }) => {
  const payment = await pay(world, 'order-1')
  await pass({ seconds: 30, minutes: 1 })
  await world.until.payment(payment, 'completed')
  ${expected}
  expect(world.name).not.toBe('default')
})
test('wrong amount', async ({ world }) => {
  await pay(world, 'order-3', 2000)
  ${expected}
})
test('misspelt', async ({ world }) => {
  await pay(world, 'order-4', 1000, { recipient_emial: 'ana@shop.example' })
})
`

const withHooks = (imports: string, expected: string) => `
${imports}
${payInJs}
const world = worldForEach()
test('an order is paid', async () => {
  if (account(world()) !== world().accounts()[0].id) throw new Error('another account')
  const payment = await pay(world(), 'order-1')
  await pass(world(), { seconds: 30, minutes: 1 })
  await world().until.payment(payment, 'completed')
  ${expected}
})
test('wrong amount', async () => {
  await pay(world(), 'order-3', 2000)
  ${expected}
})
test('misspelt', async () => {
  await pay(world(), 'order-4', 1000, { recipient_emial: 'ana@shop.example' })
})
`

const typescript = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
  },
}

interface Suite {
  readonly runner: string
  /** False: a program that the suite needs is missing on this machine. */
  readonly runs: boolean
  readonly files: Readonly<Record<string, string>>
  readonly commands: readonly string[]
  /** True: the suite runs as a child process of the emulator. */
  readonly isUnderEmulate: boolean
  /** Pattern of the runner's report: the correct tests pass, the wrong ones fail. */
  readonly report: RegExp
}

const suites: readonly Suite[] = [
  {
    runner: 'pytest',
    runs: has('python3', '-m', 'pytest', '--version'),
    files: { 'conftest.py': 'pytest_plugins = ["payctl_world"]\n', 'test_orders.py': inPython },
    commands: ['python3 -m pytest -p no:cacheprovider'],
    isUnderEmulate: true,
    report:
      /^(?=[\s\S]*amount: 2000 instead of 1000)(?=[\s\S]*Failed: POST .*recipient_emial: not known)(?=[\s\S]*1 failed, 3 passed, 1 error)/,
  },
  {
    runner: 'go',
    runs: has('go', 'version'),
    files: { 'go.mod': 'module shop\n\ngo 1.19\n', 'orders_test.go': inGo },
    commands: ['test -z "$(gofmt -l .)" && go vet ./... && go test -v ./...'],
    isUnderEmulate: true,
    report:
      /^(?=[\s\S]*PASS: TestAnOrderIsPaid)(?=[\s\S]*PASS: TestALostAnswer)(?=[\s\S]*amount: 2000 instead of 1000)(?=[\s\S]*FAIL: TestWrongAmount)(?=[\s\S]*recipient_emial: not known)(?=[\s\S]*FAIL: TestMisspelt)/,
  },
  {
    runner: 'junit',
    runs: has('javac', '-version') && jars.every((jar) => existsSync(jar)),
    files: { 'OrdersTest.java': inJava },
    commands: [
      `javac -Xlint:all,-path -Werror -cp ${jars.join(':')} -d classes src/test/java/payctl/PayctlWorld.java OrdersTest.java && ` +
        `java -cp classes:${jars.join(':')} org.junit.platform.console.ConsoleLauncher --disable-banner -c OrdersTest`,
    ],
    isUnderEmulate: true,
    report: /^(?=[\s\S]*1 tests successful)(?=[\s\S]*2 tests failed)(?=[\s\S]*recipient_emial: not known)/,
  },
  {
    runner: 'node',
    runs: true,
    files: {
      'orders.test.mjs': withHooks(
        "import { test } from 'node:test'\nimport { account, pass, worldForEach } from './payctl_world.mjs'",
        "await world().assert.paid('87000001', 1000)",
      ),
    },
    commands: ['node --test'],
    isUnderEmulate: false,
    report: /^(?=[\s\S]*recipient_emial)(?=[\s\S]*pass 1\n.*fail 2)/,
  },
  {
    runner: 'jest',
    runs: true,
    files: {
      'orders.test.cjs': withHooks(
        "const { account, pass, worldForEach } = require('./payctl_world.cjs')",
        "await expect(world()).toHavePaid('87000001', 1000)",
      ),
      'jest.config.cjs': 'module.exports = {}\n',
    },
    commands: ['jest'],
    isUnderEmulate: false,
    report: /recipient_emial[\s\S]*2 failed, 1 passed/,
  },
  {
    runner: 'vitest',
    runs: true,
    files: {
      'orders.test.js': withFixtures('payctl_test.ts', "await expect(world).toHavePaid('87000001', 1000)"),
      'vitest.config.js': 'export default { test: { include: ["*.test.js"] } }\n',
    },
    commands: ['vitest run'],
    isUnderEmulate: false,
    report: /recipient_emial[\s\S]*2 failed \| 1 passed/,
  },
  {
    runner: 'playwright',
    runs: true,
    files: {
      'orders.spec.js': withFixtures('payctl_test.js', "await world.assert.paid('87000001', 1000)"),
      'tsconfig.json': JSON.stringify({ ...typescript, files: ['payctl_test.ts'] }),
      'playwright.config.js': 'export default { reporter: "line" }\n',
    },
    commands: ['tsc -p . && playwright test'],
    isUnderEmulate: false,
    report: /^(?![\s\S]*error TS)(?=[\s\S]*recipient_emial)(?=[\s\S]*2 failed)(?=[\s\S]*1 passed)/,
  },
]

const forGo = { GOFLAGS: '-mod=mod', GOPROXY: 'off' }

const run = (command: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, command, {
    ...{ cwd, preferLocal: true, localDir: runners, all: true, reject: false },
    env: {
      VITEST: undefined,
      PAYCTL_CONTROL_URL: undefined,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      ...forGo,
      ...env,
    },
  })

/** Writes the files of a suite and the file of the helper into an empty folder. */
async function projectOf({ runner, files }: Pick<Suite, 'runner' | 'files'>): Promise<string> {
  const project = join(projects, runner)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const written = await run([payctl, 'emulator', 'helper', runner], project)
  expect(written).toMatchObject({ exitCode: 0 })
  return project
}

beforeAll(() => void installPacked(runners, ['vitest']))

describe('payctl emulator helper writes a file that works with', () => {
  it.for(suites)(
    '$runner',
    async ({ runner, runs, files, commands: [command = ''], isUnderEmulate, report }, { skip }) => {
      if (!runs) skip(`${runner} is not on this machine`)
      const project = await projectOf({ runner, files })
      expect(await run([payctl, 'emulator', 'helper', runner], project)).toMatchObject({ exitCode: 2 })
      const under = isUnderEmulate ? [payctl, 'emulate', '--settle', 'manual', '--', 'sh', '-c', command] : undefined
      const { exitCode, all } = under
        ? await run(under, project)
        : await execa('sh', ['-c', command], {
            ...{ cwd: project, preferLocal: true, localDir: runners, all: true, reject: false },
            env: { VITEST: undefined, PAYCTL_CONTROL_URL: undefined, NO_COLOR: '1', FORCE_COLOR: undefined },
          })
      expect({ exitCode, all }).toEqual({
        exitCode: expect.toSatisfy((code) => code !== 0),
        all: expect.stringMatching(report),
      })
    },
  )
})

describe('a file for another language', () => {
  const inOtherLanguages = suites.filter(({ isUnderEmulate }) => isUnderEmulate)

  it.for(inOtherLanguages)(
    'of $runner makes worlds without accounts, and uses no proxy for this machine',
    async ({ runner, runs, commands: [command = ''] }, { skip }) => {
      if (!runs) skip(`${runner} is not on this machine`)
      const project = await projectOf({ runner, files: withoutAccounts[runner] ?? {} })
      const proxy = `http://127.0.0.1:${await freePort()}`
      const emulate = [payctl, 'emulate', '--seed', 'empty', '--settle', 'manual', '--', 'sh', '-c', command]
      const { exitCode, all } = await run(emulate, project, { http_proxy: proxy, HTTP_PROXY: proxy, no_proxy: '' })
      expect({ exitCode, all }).toMatchObject({ exitCode: 0 })
    },
  )

  it.for(inOtherLanguages)(
    'of $runner ends a world whose breaches can’t be read',
    async ({ runner, runs, commands: [command = ''] }, { skip }) => {
      if (!runs) skip(`${runner} is not on this machine`)
      const project = await projectOf({ runner, files: withoutAccounts[runner] ?? {} })
      const emulator = await startEmulator({ seed: 'empty', settle: 'manual' })
      onTestFinished(() => emulator.close())
      const url = await serve(async (request, response) => {
        if (request.url?.endsWith('/breaches')) return void response.writeHead(503).end('{"message":"no breaches"}')
        const body = request.method === 'POST' ? await text(request) : null
        const headers = { 'Content-Type': 'application/json' }
        const answer = await fetch(`${emulator.baseUrl}${request.url}`, { method: request.method ?? '', headers, body })
        const shown = (await answer.text()).replaceAll(emulator.baseUrl, url)
        response.writeHead(answer.status, headers).end(shown)
      })
      const { exitCode, all } = await execa('sh', ['-c', command], {
        ...{ cwd: project, all: true, reject: false },
        env: { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: undefined, ...forGo },
      })
      expect({ exitCode, all }).toEqual({
        exitCode: expect.toSatisfy((code) => code !== 0),
        all: expect.stringContaining('no breaches'),
      })
      const { data } = await emulator.control.worlds.list()
      expect(data.map(({ name, status }) => ({ name, status }))).toEqual([
        { name: expect.stringMatching(/^w/), status: 'ended' },
        { name: 'default', status: 'live' },
      ])
    },
  )

  it.skipIf(!has('go', 'version'))('of go shows a command that runs the tests each time', async () => {
    const project = await projectOf({ runner: 'go', files: withoutAccounts.go ?? {} })
    const emulator = await startEmulator({ seed: 'empty', settle: 'manual' })
    onTestFinished(() => emulator.close())
    const lines = readFileSync(join(project, 'payctltest/payctltest.go'), 'utf8')
    const [, command = ''] = /^\/\/ Run the tests: payctl emulate .* -- (.*)$/m.exec(lines) ?? []
    for (const _ of ['first', 'again']) {
      const env = { ...forGo, PAYCTL_CONTROL_URL: emulator.controlUrl, PAYCTL_CONTROL_TOKEN: undefined }
      expect(await execa('sh', ['-c', command], { cwd: project, env, reject: false })).toMatchObject({ exitCode: 0 })
    }
    expect((await emulator.control.worlds.list({ status: 'ended' })).total).toBe(2)
  })
})
