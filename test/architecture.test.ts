import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../emulator/index.ts'
import { configSettings } from '../src/config/profile.ts'
import { announce } from '../src/config/running_emulators.ts'
import { changeSettings } from '../src/config/settings.ts'
import * as rules from './architecture/rules.ts'
import { parseFile, readTree } from './architecture/source_tree.ts'
import { loadedBy } from './architecture/start_up.ts'
import { runPayctl, temporaryDirectory } from './support/run_payctl.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** For each rule, a small tree that follows the rule, and a tree with every breach that the rule finds. */
const examples: Readonly<Record<keyof typeof rules, { good: Record<string, string>; bad: Record<string, string> }>> = {
  noCycles: {
    good: {
      'src/a.ts': `import { b } from './b.ts'`,
      'src/b.ts': `export const b = () => import('./a.ts')`,
    },
    bad: { 'src/a.ts': `import { b } from './b.ts'`, 'src/b.ts': `import type { a } from './a.ts'` },
  },
  noLateCycles: {
    good: {
      'src/a.ts': `import { b } from './b.ts'; import('./c.ts')`,
      'src/b.ts': `export const b = 1`,
      'src/c.ts': `import type { A } from './a.ts'`,
    },
    bad: { 'src/a.ts': `import { b } from './b.ts'`, 'src/b.ts': `export const b = () => import('./a.ts')` },
  },
  importsGoDown: {
    good: {
      'src/commands/a.ts': `import '../errors/a.ts'; import './b.ts'; import type { A } from '../payments/a.ts'`,
      'src/errors/a.ts': `import '../version.ts'`,
    },
    bad: {
      'src/errors/a.ts': `import '../commands/a.ts'`,
      'src/config/a.ts': `import type { Journal } from '../journal/a.ts'`,
      'src/payments/a.ts': `import('../output/a.ts')`,
      'src/attic/a.ts': ``,
    },
  },
  contractStandsAlone: {
    good: { 'src/contract/a.ts': `import './b.ts'; import 'typebox'` },
    bad: { 'src/contract/a.ts': `import type { A } from '../client/a.ts'` },
  },
  clientKnowsNoCommandLine: {
    good: { 'src/client/a.ts': `import '../contract/index.ts'; import '../version.ts'` },
    bad: { 'src/client/a.ts': `import '../output/a.ts'` },
  },
  emulatorImportsTheContractOnly: {
    good: {
      'emulator/store/a.ts': `import '../../src/contract/index.ts'; import '../../src/real_time.ts'; import '../clock.ts'`,
    },
    bad: {
      'emulator/a.ts': `import '../src/contract/money.ts'`,
      'emulator/b.ts': `export type { A } from '../src/client/a.ts'`,
      'emulator/c.ts': `import { asCurl } from '../src/contract/sent_request.ts'`,
    },
  },
  emulatorIsLoadedOnDemand: {
    good: {
      'src/commands/emulate/a.ts': `import type { A } from '../../../emulator/index.ts'; import('../../../emulator/index.ts')`,
      'src/testing/a.ts': `import { a } from '../../emulator/control/calls.ts'`,
    },
    bad: {
      'src/commands/emulate/a.ts': `import { a } from '../../../emulator/index.ts'`,
      'src/commands/user.ts': `import('../../emulator/index.ts')`,
    },
  },
  pageStandsAlone: {
    good: {
      'emulator/page/a.tsx': `import { signal } from '@preact/signals'; import type { A } from '../../src/contract/index.ts'; import './b.ts'; fetch('x')`,
      'emulator/page/frame/routes.ts': `import { endpoints } from '../../../src/contract/index.ts'`,
      'emulator/page/b.ts': `import { asCurl } from '../../src/contract/sent_request.ts'`,
    },
    bad: {
      'emulator/page/a.ts': `import { endpoints } from '../../src/contract/index.ts'`,
      'emulator/page/b.ts': `import type { World } from '../worlds/world.ts'`,
      'emulator/server.ts': `import { text } from './page/frame/language.ts'`,
    },
  },
  socketsInTheirPlaces: {
    good: {
      'src/client/a.ts': `import { Pool } from 'undici'`,
      'src/webhooks/a.ts': `import { createServer } from 'node:http'; import { Pool } from 'undici'`,
      'emulator/webhooks/transport.ts': `import { Pool } from 'undici'`,
      'emulator/http/server.ts': `import { createServer } from 'node:http'`,
      'emulator/a.ts': `import type { AddressInfo } from 'node:net'; import { isIPv4 } from 'node:net'`,
    },
    bad: {
      'src/commands/a.ts': `import('undici')`,
      'src/commands/webhooks/a.ts': `import { createServer } from 'node:http'`,
      'emulator/a.ts': `import http from 'node:http'`,
      'emulator/b.ts': `import { connect, isIP } from 'net'`,
      'emulator/c.ts': `fetch('x')`,
    },
  },
  timersAreReal: {
    good: {
      'src/real_time.ts': `import timers from 'node:timers'; performance.now()`,
      'src/a.ts': `import { setTimeout } from './real_time.ts'; setTimeout(f, 1); new Date()`,
    },
    bad: {
      'src/a.ts': `import { setTimeout as sleep } from 'timers/promises'`,
      'src/b.ts': `globalThis.setTimeout(f, 1)`,
      'src/c.ts': `import { clearTimeout } from './real_time.ts'; setTimeout(f, 1)`,
      'src/d.ts': `performance.now()`,
      'emulator/a.ts': `import { performance } from 'node:perf_hooks'`,
      'emulator/b.ts': `process.hrtime()`,
    },
  },
  timeInItsPlaces: {
    good: {
      'emulator/clock.ts': `import { setTimeout } from '../src/real_time.ts'; Date.now(); new Date()`,
      'emulator/a.ts': `import { setImmediate } from '../src/real_time.ts'; new Date(0)`,
      'src/a.ts': `Date.now()`,
    },
    bad: {
      'emulator/a.ts': `Date.now()`,
      'emulator/b.ts': `new Date()`,
      'emulator/c.ts': `import { setTimeout } from '../src/real_time.ts'`,
      'emulator/d.ts': `AbortSignal.timeout(1)`,
    },
  },
  sqlInItsPlaces: {
    good: {
      'emulator/store/a.ts': `db.prepare('SELECT a FROM b')`,
      'src/journal/a.ts': `db.exec('CREATE TABLE a (b)')`,
      'src/lock/a.ts': `db.exec('BEGIN IMMEDIATE')`,
      'src/a.ts': `say('Select an account, or DELETE it from the list'); say('select one from the list')`,
    },
    bad: {
      'emulator/a.ts': `db.prepare('SELECT a FROM b')`,
      'src/a.ts': `db.prepare(\`UPDATE \${table} SET a = 1\`)`,
      'src/c.ts': `query(\`select id, \${columns} from \${table} where id like '%a%'\`)`,
      'src/b.ts': `db.exec('PRAGMA foreign_keys = ON')`,
      'src/config/a.ts': `db.exec('BEGIN IMMEDIATE')`,
    },
  },
  pathsOnceInTheContract: {
    good: { 'src/contract/a.ts': `const get = { path: '/api/user' }, put = { path: '/api/user' }; const x = '/apix'` },
    bad: {
      'src/contract/a.ts': `const get = { path: '/api/user' }`,
      'src/contract/b.ts': `const get = { path: '/api/user' }`,
      'src/client/a.ts': `const a = '/oauth/token'`,
      'emulator/b.ts': `const a = \`/_emulator/\${name}\``,
    },
  },
  commandLinesInOnePlace: {
    good: {
      'src/cli/next_step.ts': `say('payctl payments send')`,
      'src/commands/a.ts': `command.description('See payctl audit.').option('-a', 'of payctl login'); examples(command, ['payctl user'])`,
      'src/commands/b.ts': `const page = { summary: 'Like payctl user' }; say('payctl emulator 1.0'); say('payctl sends nothing')`,
      'src/contract/a.ts': `say('payctl emulate')`,
    },
    bad: {
      'src/commands/a.ts': `say('Next: payctl payments send')`,
      'src/commands/b.ts': `say(\`Stop it: payctl emulator stop \${url}\`)`,
      'src/values/a.ts': `say('payctl -p prod login')`,
    },
  },
  enginesNameNoCommands: {
    good: {
      'src/commands/a.ts': `import { toRun } from '../errors/next_step.ts'`,
      'src/payments/a.ts': `import type { NextStep } from '../errors/next_step.ts'`,
    },
    bad: { 'src/payments/a.ts': `import { type NextStep, toRun } from '../errors/next_step.ts'` },
  },
  exportsAreUsed: {
    good: {
      'src/a.ts': `export const a = 1; export type B = string; export default a`,
      'src/b.ts': `import { a, type B } from './a.ts'`,
      'src/index.ts': `export const c = 1`,
      'src/contract/c.ts': `export const C = Type.Object({})`,
    },
    bad: {
      'src/a.ts': `export const a = 1; a`,
      'emulator/a.ts': `export interface B {}`,
      'src/b.ts': `const c = 1; export { c }`,
    },
  },
  noVagueFolders: {
    good: { 'src/contract/a.ts': '', 'src/types.ts': '' },
    bad: { 'src/utils/a.ts': '', 'emulator/store/helpers/a.ts': '' },
  },
  smallFiles: {
    good: { 'src/a.ts': '//\n'.repeat(400) },
    bad: { 'src/a.ts': '//\n'.repeat(401) },
  },
  noGlobalsOfTheProcess: {
    good: { 'src/a.ts': `process.pid`, 'emulator/a.ts': `console.log(1)` },
    bad: { 'src/a.ts': `console.log(1)`, 'src/b.ts': `process.exit(1)`, 'src/c.ts': `f(process.env)` },
  },
}

const parse = (tree: Record<string, string>) => Object.entries(tree).map(([path, text]) => parseFile(path, text))

describe('architecture', () => {
  const tree = readTree(root, ['src', 'emulator'])
  const users = readTree(root, ['test', '.build'])

  describe.each(Object.entries(rules))('%s', (name, rule) => {
    const { good, bad } = examples[name as keyof typeof rules]

    it('is kept', () => {
      expect(rule(tree, users)).toEqual([])
    })

    it('passes what is right', () => {
      expect(rule(parse(good))).toEqual([])
    })

    it('finds every breach', () => {
      const breaches = rule(parse(bad)).join('\n')
      const culprits = name.endsWith('Cycles') ? ['src/a.ts'] : Object.keys(bad)
      for (const path of culprits) expect(breaches).toContain(path)
    })
  })
})

const atMost = (limit: number) => expect.toSatisfy((value: number) => value <= limit, `at most ${limit}`)

/** Makes a payment at a new emulator. Returns the environment for further commands, and the id of the payment. */
async function paid() {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
  const from = emulator.accounts()[0]?.id ?? ''
  const send = ['payments', 'send', '--yes', '--json', '--from', from, '--to', '87000001', '--amount', '1']
  const { stdout } = await runPayctl(send, { env })
  return { env, id: (JSON.parse(stdout) as { id: string }).id }
}

describe('start-up', () => {
  const heavy = /node_modules\/(better-sqlite3|@inquirer|undici|typebox|execa|yaml|ajv|open)\//

  /**
   * The bundle's chunk for the emulator contains ajv, so that a running emulator needs no further file after an upgrade
   * has removed the files of its version. The emulator's first request sets ajv up.
   */
  const ajv = ['ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse']

  /** Node's own modules that take a millisecond or more to load. */
  const slow = ['assert', 'child_process', 'crypto', 'fs/promises', 'http', 'http2', 'https', 'os', 'readline', 'tls']

  /**
   * Limits for what a command loads at its start: slow modules, packages, and the number and bytes of the bundle's
   * parts. `npm run bench` measures the time.
   */
  const budgets = {
    '--version': { slow: [], packages: [], parts: 0, bytes: 0 },
    '--help': { slow: ['os'], packages: ['commander'], parts: 7, bytes: 132_000 },
    'payments --help': { slow: ['os'], packages: ['commander'], parts: 8, bytes: 133_500 },
    'payments get': { slow: ['http', 'os'], packages: ['commander'], parts: 32, bytes: 207_000 },
    'emulate --port 0 --json': {
      slow: ['child_process', 'crypto', 'http', 'os'],
      packages: ['better-sqlite3', 'commander', ...ajv, 'typebox', 'uuid'].sort(),
      parts: 60,
      bytes: 946_000,
    },
  }

  it.each(Object.entries(budgets))('of payctl %s loads no more than it needs', async (command, budget) => {
    const { env, id } = await paid()
    const args = [...command.split(' '), ...(command === 'payments get' ? [id] : [])]
    const { output, builtins, ...loaded } = await loadedBy(args, { env, untilReady: command.startsWith('emulate') })
    expect(output).not.toMatch(/^error/m)
    const { packages, parts, bytes } = budget
    expect(loaded).toMatchObject({ packages, parts: atMost(parts), bytes: atMost(bytes) })
    expect(slow.filter((name) => builtins.includes(name))).toEqual(budget.slow)
  })

  it('of help loads its Spanish words only where help is Spanish', async () => {
    const isSpanish = async (env: Readonly<Record<string, string>>) => {
      const { files } = await loadedBy(['payments', '--help'], { env })
      return files.some((file) => file.endsWith('/src/words/spanish_help.ts'))
    }
    expect(await isSpanish({ LANG: 'en_US.UTF-8' })).toBe(false)
    expect(await isSpanish({ LC_ALL: 'es_CR.UTF-8', CI: 'false' })).toBe(true)
  })

  it('of the emulator loads no client', async () => {
    const { files } = await loadedBy(['emulate', '--', process.execPath, '-e', '0'])
    expect(files.some((file) => file.endsWith('/emulator/server.ts'))).toBe(true)
    expect(files.filter((file) => file.includes('/node_modules/undici/'))).toEqual([])
  })

  it('of a request with a profile reads it without what writes it', async () => {
    const folder = await temporaryDirectory()
    await changeSettings(configSettings, folder, () => ({ profiles: { here: { base_url: 'http://127.0.0.1:1' } } }))
    const request = ['payments', 'get', '019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c', '-p', 'here', '--retries', '0']
    const { files, output } = await loadedBy([...request, '--token', 'x'], { env: { PAYCTL_CONFIG_DIR: folder } })
    expect(output).toContain('127.0.0.1:1')
    expect(files.filter((file) => /(node_modules\/(ajv|better-sqlite3|conf)|src\/lock)\//.test(file))).toEqual([])
  })

  it('of a command that is given its token loads nothing of logins', async () => {
    const { files } = await loadedBy(['user', '--base-url', 'http://127.0.0.1:1', '--token', 'x', '--retries', '0'])
    expect(files.filter((file) => file.includes('/src/auth/'))).toEqual([])
  })

  it('of a command that is logged in loads no more than it takes to read the login', async () => {
    const { files } = await loadedBy(['user', '--base-url', 'http://127.0.0.1:1'])
    expect(files.some((file) => file.endsWith('/src/auth/credentials_file.ts'))).toBe(true)
    expect(files.filter((file) => heavy.test(file))).toEqual([])
  })

  it('of a command that asks an emulator for its proof loads no schemas', async () => {
    const folder = await temporaryDirectory()
    const url = 'http://127.0.0.1:1'
    const urls = { base_url: url, auth_url: url, control_url: url, local_url: url, host: '127.0.0.1' }
    const secrets = { token: 'x', client_id: 'x', client_secret: 'x', identity_secret: 'x' }
    const world = { world: 'w', user_id: 'u', accounts: [] }
    announce(folder, { event: 'ready', ...urls, ...secrets, ...world, pid: process.pid, version: '1' })
    const { files } = await loadedBy(['user', '--emulator'], { env: { PAYCTL_STATE_DIR: folder } })
    expect(files.some((file) => file.endsWith('/src/config/proven_emulators.ts'))).toBe(true)
    expect(files.filter((file) => file.includes('/node_modules/typebox/'))).toEqual([])
  })

  it.each(['accounts create', 'emulator rail', 'limits set', 'payments history'])(
    'of payctl %s --help, which offers names of the contract, loads no schemas',
    async (command) => {
      const { files } = await loadedBy([...command.split(' '), '--help'])
      expect(files.some((file) => file.endsWith('/src/contract/payment_names.ts'))).toBe(true)
      expect(files.filter((file) => file.includes('/node_modules/typebox/'))).toEqual([])
    },
  )

  it('of a request loads neither proxy nor jq, and jq where it is wanted', async () => {
    const late = ['src/client/proxy.ts', 'src/config/proxy.ts', 'src/output/filtered_output.ts', 'src/output/jq.ts']
    const of = async (...more: readonly string[]) => {
      const there = ['user', '--base-url', 'http://127.0.0.1:1', '--token', 'x', '--retries', '0']
      const { files } = await loadedBy([...there, ...more])
      return late.filter((path) => files.some((file) => file.endsWith(`/${path}`)))
    }
    expect(await of()).toEqual([])
    expect(await of('--jq', '.')).toEqual(late.slice(2))
  })

  it('of a list loads cli-table3 for a table only, and none of its colours and widths', async () => {
    const { env, id } = await paid()
    const packagesOf = async (...args: readonly string[]) => {
      const { output, packages } = await loadedBy(args, { env })
      expect(output).toContain(id.slice(-5))
      return packages.filter((name) => /table|colors|width|ansi/.test(name))
    }
    const history = ['payments', 'history']
    expect(await packagesOf(...history, '-o', 'table')).toEqual(['cli-table3'])
    for (const format of ['json', 'ndjson', 'tsv', 'csv', 'yaml']) {
      expect(await packagesOf(...history, '-o', format)).toEqual([])
    }
    expect(await packagesOf('payments', 'get', id, '-o', 'table')).toEqual([])
  })

  it('of a command that needs the client is seen to load it', async () => {
    const { files } = await loadedBy(['user', '--base-url', 'http://127.0.0.1:1', '--token', 'x', '--retries', '0'])
    expect(files.some((file) => file.endsWith('/src/client/create_client.ts'))).toBe(true)
  })
})
