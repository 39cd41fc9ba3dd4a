import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { packed } from '../package/packed.ts'

const { folder } = packed('vitest')

/** Runs a suite of a project that has installed payctl and Vitest; if flags are passed, under `payctl emulate`. */
async function run(name: string, suite: string, emulate?: readonly string[]) {
  writeFileSync(join(folder, `${name}.test.js`), suite)
  const report = join(folder, `${name}.json`)
  const flags = ['--testTimeout=30000', '--hookTimeout=30000', '--reporter=json', `--outputFile=${report}`]
  const command = ['node_modules/vitest/vitest.mjs', 'run', name, ...flags]
  const under = emulate ? ['node_modules/payctl/bin/payctl.js', 'emulate', ...emulate, '--', process.execPath] : []
  const env = {
    ...(emulate ? {} : { PAYCTL_CONTROL_URL: '' }),
    VITEST: undefined,
    PAYCTL_STATE_DIR: join(folder, 'state'),
  }
  const { exitCode, all } = await execa(process.execPath, [...under, ...command], {
    cwd: folder,
    env,
    all: true,
    reject: false,
  })
  if (!existsSync(report)) throw new Error(all)
  const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const [file] = testResults
  const failures = file?.assertionResults.flatMap(
    ({ failureMessages }: { failureMessages: string[] }) => failureMessages,
  )
  const message = stripVTControlCharacters([file?.message, ...failures, all].join('\n'))
  return { exitCode, passed, failed, message }
}

const suite = `
  import { describe, expect } from 'vitest'
  import { createTest } from 'payctl/vitest'

  const test = createTest({ settle: 'manual' })
  const seen = []

  async function pay({ client, accounts }, key) {
    const body = { source_account_id: accounts()[0].id, recipient_phone: '87000001', amount: 1000 }
    return client.call('payments.create', { headers: { 'X-Idempotency-Key': key }, body })
  }

  for (const number of [1, 2]) test('has a world of its own ' + number, async ({ world }) => {
    seen.push(world)
    expect((await world.client.call('payments.history')).data).toEqual([])
    const { id } = await pay(world, 'k')
    await world.control.clock.advance({ ms: 60000 })
    await world.until.payment(id, 'completed')
  })

  test('ends the worlds of tests before it', async ({ emulator }) => {
    expect(new Set(seen.map(({ name }) => name)).size).toBe(2)
    const { data: worlds } = await emulator.control.worlds.list()
    for (const { name } of seen) expect(worlds.find((world) => world.name === name)).toMatchObject({ status: 'ended' })
  })

  describe('with options of a group', () => {
    test.override('worldOptions', { from: { seed: 'empty' } })

    test('it is made with them', ({ world }) => {
      expect(world.accounts()).toEqual([])
    })

    test('draws random values by the name of the test', async ({ world, emulator }) => {
      const { rng_stream } = await emulator.control.worlds.get({ name: world.name })
      expect(rng_stream).toBe('with options of a group > draws random values by the name of the test')
    })
  })

  describe('prepared once for the file', () => {
    test.beforeAll(async ({ worldPerFile }) => {
      await pay(worldPerFile, 'prepared')
    })
    test.override('worldOptions', ({ worldPerFile }) => ({ from: { world: worldPerFile.name } }))

    for (const number of [1, 2]) test('it is forked ' + number, async ({ world }) => {
      expect((await world.client.call('payments.history')).data).toHaveLength(1)
      await pay(world, 'own')
    })

    test('and stays as it was prepared', async ({ worldPerFile }) => {
      expect((await worldPerFile.client.call('payments.history')).data).toHaveLength(1)
    })
  })

  test('may end its world, and see that', async ({ world }) => {
    await world.close()
    expect((await fetch(world.baseUrl + '/api/user')).status).toBe(410)
  })`

describe('fixtures of payctl/vitest', { timeout: 60_000 }, () => {
  it('give each test a world of an emulator in its process', async () => {
    expect(await run('own', suite)).toMatchObject({ exitCode: 0, passed: 9, failed: 0 })
  })

  it('and of that of payctl emulate, with or without a control token', async () => {
    const flags = ['--settle', 'manual', '--control-token', 'control-token-of-the-test']
    expect(await run('under', suite, flags)).toMatchObject({ exitCode: 0, passed: 9, failed: 0 })
  })

  it('install matchers, and fail a test whose program breaks the contract in a strict world', async () => {
    const strict = `
      import { expect } from 'vitest'
      import { createTest } from 'payctl/vitest'
      const test = createTest({ settle: 'manual', strict: true })
      const post = ({ baseUrl, token, accounts }, more) => fetch(baseUrl + '/api/payments', {
        method: 'POST',
        headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json', 'X-Idempotency-Key': 'k' },
        body: JSON.stringify({ source_account_id: accounts()[0].id, recipient_phone: '87000001', amount: 1000, ...more }),
      })
      test('keeps to the contract', async ({ world }) => {
        await post(world, {})
        await expect(world).toHaveReceived('payments.create', { times: 1, key: 'k', body: { amount: 1000 } })
        await expect(world).toHavePaid('87000001', 1000)
        await expect(world).not.toHaveDelivered('payment.created')
        await expect(world).toBeBalanced()
      })
      test('sees what came', async ({ world }) => {
        await post(world, {})
        await expect(world).toHaveReceived('payments.create', { body: { amount: 2000 } })
      })
      test('misspells a member', async ({ world }) => {
        expect((await post(world, { descripcion: 'x' })).status).toBe(201)
      })
      test('sends on to an ended world', async ({ world }) => {
        await world.close()
        expect((await post(world, {})).status).toBe(410)
      })`
    const { exitCode, passed, failed, message } = await run('strict', strict)
    expect({ exitCode, passed, failed }).toEqual({ exitCode: 1, passed: 1, failed: 3 })
    expect(message).toContain('Expected at least one request to payments.create: one came, but does not match.')
    expect(message).toMatch(/-\s+"amount": 2000,\n\+\s+"amount": 1000,/)
    expect(message).toMatch(
      /1 breach of the contract:\n {2}r1 POST \/api\/payments to \S+, 201: descripcion: not known, and ignored/,
    )
    expect(message).toMatch(/1 breach of the contract:\n {2}POST \/api\/payments to \S+, 410: its world had ended/)
  })

  it('end worlds of tests that fail, and report later requests with their test', async () => {
    const late = `
      import { expect } from 'vitest'
      import { test } from 'payctl/vitest'
      const left = []
      test('leaves work behind', async ({ world }) => {
        left.push(world.baseUrl)
        expect(1).toBe(2)
      })
      test('is the next', async ({ world }) => {
        expect((await fetch(left[0] + '/api/user?secret=1')).status).toBe(410)
      })`
    const { exitCode, passed, failed, message } = await run('late', late)
    expect({ exitCode, passed, failed }).toEqual({ exitCode: 1, passed: 1, failed: 1 })
    expect(message).toContain(
      'Requests came after their test had ended. leaves work behind: 1, the last of them GET /api/user',
    )
    const calm = late.replace('toBe(2)', 'toBe(1)')
    expect(await run('calm', calm)).toMatchObject({ exitCode: 1, failed: 0 })
  })
})
