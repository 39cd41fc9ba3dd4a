import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { demo } from '../../emulator/worlds/seed.ts'
import { worldHeader } from '../../src/contract/index.ts'
import { demoRegistry } from '../emulator/demo_registry.ts'
import { exchangeAt } from './http_exchange.ts'
import { type Answer, type Request, startProxy } from './mutants/mutating_proxy.ts'
import type { Report } from './report.ts'

const script = fileURLToPath(new URL('run.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (token: string, ...args: string[]): Promise<Ended> => runWith({ PAYCTL_TOKEN: token }, ...args)

const runWith = (secrets: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', ...secrets }
    const child = execFile(process.execPath, [script, ...args], { env, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const noEmulator = ({ headers }: Answer): void => {
  delete headers[worldHeader.toLowerCase()]
}

/** The emulator, with a change to each of its answers. */
async function service(change: (path: string, answer: Answer) => void) {
  const emulator = await startEmulator({ settle: 0 })
  const writes: Request[] = []
  const proxy = await startProxy(new URL(emulator.baseUrl), {
    async answer(request, send) {
      if (request.method !== 'GET' && request.endpoint !== 'payments.validate') writes.push(request)
      const answer = await send(request)
      change(request.url, answer)
      return answer
    },
  })
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await emulator.close()
  })
  const [colones, dollars] = emulator.accounts()
  const subscriptions = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${emulator.token}` }
    const answer = await fetch(`${emulator.baseUrl}/api/webhooks/subscriptions`, { headers })
    const { data } = (await answer.json()) as { readonly data: { readonly total: number } }
    return data.total
  }
  return { baseUrl: proxy.url, token: emulator.token, writes, colones, dollars, subscriptions }
}

describe('npm run conformance', () => {
  test.each([
    ['nothing', '', [], '--base-url is missing'],
    ['no token', '', ['--base-url', 'http://127.0.0.1:4010'], 'Set PAYCTL_TOKEN'],
    ['a token that all can see', 'abc', ['--base-url', 'http://x', '--token', 'abc'], 'Use --token-file'],
    ['a file for the token that is not there', '', ['--base-url', 'http://x', '--token-file', '/none'], 'ENOENT'],
    ['a flag without its value', 'abc', ['--base-url'], '--base-url needs a value'],
    ['a flag that there is not', 'abc', ['--base-urls', 'http://x'], '--base-urls is not a flag'],
    ['a base URL that is none', 'abc', ['--base-url', 'localhost:4010'], '--base-url must begin with'],
    ['a base URL in the clear', 'abc', ['--base-url', 'http://x.example'], 'could read the token'],
    [
      'an amount that is none',
      'abc',
      ['--base-url', 'http://127.0.0.1:1', '--allow-payments', '--max-amount', '1e9'],
      '1e9',
    ],
    [
      'an amount and no payments',
      'abc',
      ['--base-url', 'http://127.0.0.1:1', '--max-amount', '5'],
      'Add --allow-payments',
    ],
    [
      'an amount in the wrong place',
      'abc',
      ['--base-url', 'http://127.0.0.1:1', '--allow-payments', '5'],
      '--max-amount',
    ],
    [
      'a report of no format',
      'abc',
      ['--base-url', 'http://127.0.0.1:1', '--report', 'x.txt'],
      'Use .json, .md or .xml',
    ],
  ])('with %s says what is wrong and what to do, and runs nothing', async (_, token, args, why) => {
    const { code, stdout, stderr } = await run(token, ...args)

    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(why)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('shows how it is used', async () => {
    const { code, stdout } = await run('', '--help')

    expect(code).toBe(0)
    expect(stdout).toContain('npm run conformance -- --base-url')
    expect(stdout).toContain('--allow-payments')
  })

  test('says that nobody answers, or that the token is not taken', async () => {
    const { baseUrl } = await service((_, answer) => noEmulator(answer))

    expect(await run('abc', '--base-url', 'http://127.0.0.1:1')).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('ECONNREFUSED'),
    })
    expect(await run('wrong', '--base-url', baseUrl)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('does not accept the token'),
    })
  })

  test('at an emulator tries everything, its own decisions too, in worlds that are gone afterwards', async () => {
    const emulator = await startEmulator({ controlToken: 'a-control-token-of-the-test' })
    const { baseUrl, token, close } = emulator
    onTestFinished(close)
    const before = emulator.accounts()
    const file = join(aFolder(), 'cases.json')
    const secrets = { PAYCTL_TOKEN: token, PAYCTL_CONTROL_TOKEN: 'a-control-token-of-the-test' }

    expect(await run(token, '--base-url', baseUrl)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Set PAYCTL_CONTROL_TOKEN'),
    })
    const { code, stdout } = await runWith(secrets, '--base-url', baseUrl, '--report', file)

    expect(code, stdout).toBe(0)
    expect(stdout).toContain('no real money. The cases run in worlds that they\nmake there and delete')
    expect(emulator.accounts()).toEqual(before)
    const [url, headers] = ['/_emulator/worlds?status=live', { Host: 'localhost' }]
    const authorization = { Authorization: `Bearer ${secrets.PAYCTL_CONTROL_TOKEN}` }
    const listed = await exchangeAt(baseUrl)({ method: 'GET', url, headers: { ...headers, ...authorization } })
    const worlds: readonly { readonly name: string }[] = JSON.parse(listed.text).data.data
    expect(worlds.map(({ name }) => name)).toEqual(['default'])
    const { mode, cases } = readReport(file)
    expect(mode).toBe('emulator')
    for (const passed of [
      'the user behind the token is shown',
      'the IBAN of an account in CRC is valid and belongs to no bank',
      'the events of a payment tell what it is',
      'GET /api/accounts is 403 to a token without the scope',
    ]) {
      expect(cases.find(({ name }) => name.endsWith(passed))?.result, passed).toBe('passed')
    }
    const left = cases.filter(({ result }) => result === 'not_applicable')
    expect(left.map(({ group, name }) => `${group} > ${name}`)).toEqual([
      'authentication > authentication > no endpoint accepts a token without scopes',
      'http > HTTP > a body over 1 MiB gets 413',
      'faults > faults of the emulator itself > get 500 with the endpoint’s message, reveal nothing, and are reported',
      'faults > faults of the emulator itself > leave nothing half done: the same key then makes the one payment',
    ])
    for (const { reason } of left) expect(reason).toContain('reach into its process')
    const names = cases.map(({ group, name }) => `${group} > ${name}`)
    expect(names.filter((name, at) => names.indexOf(name) !== at || name.includes('  '))).toEqual([])
  }, 240_000)

  test('at an emulator whose payments take another time leaves out what moves the clock', async () => {
    const { baseUrl, token, close } = await startEmulator({ settle: 0 })
    onTestFinished(close)
    const file = join(aFolder(), 'cases.json')
    const only = ['the life of a payment', 'the interface: paying once'].flatMap((name) => ['--only', name])

    const { code, stdout } = await run(token, '--base-url', baseUrl, ...only, '--report', file)

    expect(code, stdout).toBe(0)
    expect(stdout).toContain('Its payments do not take one second')
    const { cases } = readReport(file)
    const groups = Map.groupBy(cases, ({ name }) => name.split(' > ')[0])
    expect(new Set(groups.get('the life of a payment')?.map(({ result }) => result))).toEqual(
      new Set(['not_applicable']),
    )
    expect(new Set(groups.get('the interface: paying once')?.map(({ result }) => result))).toEqual(new Set(['passed']))
  }, 240_000)

  test('at any other service only reads, leaves out what the emulator decided, and says what payments would come to', async () => {
    const { baseUrl, token, writes } = await service((_, answer) => noEmulator(answer))
    const folder = aFolder()
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, `${token}\n`)
    const file = join(folder, 'cases.json')

    const { code, stdout } = await run('', '--base-url', baseUrl, '--token-file', tokenFile, '--report', file)

    expect(writes).toEqual([])
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/its money is real\.\nThis run only reads\..*\n.*up to \d+ payments, [\d,.]+ CRC in all/)
    expect(stdout).toContain('Nothing was written to the service.')
    const { mode, cases } = readReport(file)
    expect(mode).toBe('read-only')
    const resultOf = (title: string) => cases.find(({ name }) => name.endsWith(title))
    expect(resultOf('answers carry the rate limit')).toMatchObject({ result: 'passed' })
    expect(resultOf('the same key again gives the same payment, and makes no other')).toMatchObject({
      result: 'not_applicable',
      reason: expect.stringContaining('--allow-payments'),
    })
    for (const title of [
      'the IBAN of an account in CRC is valid and belongs to no bank',
      'fifty equal requests at once are one payment, with the same answer to all',
    ]) {
      expect(resultOf(title)).toMatchObject({ result: 'not_applicable', reason: expect.stringContaining('decision') })
    }
  }, 240_000)

  test('with payments asks for an account of the token’s in CRC, with enough in it', async () => {
    const { baseUrl, token, writes, colones, dollars } = await service((path, answer) => {
      noEmulator(answer)
      if (path.startsWith('/api/accounts?')) for (const { balance } of answer.body.data.data) balance.value = 5
    })
    const paying = ['--base-url', baseUrl, '--allow-payments']

    const without = await run(token, ...paying)
    expect(without).toMatchObject({ code: 2, stdout: '' })
    expect(without.stderr).toContain(`needs --account`)
    expect(without.stderr).toContain(colones?.iban)
    expect((await run(token, ...paying, '--account', 'CR05015202001026284066')).stderr).toContain(
      'not one of the token’s accounts',
    )
    expect((await run(token, ...paying, '--account', dollars?.id ?? '')).stderr).toContain('is in USD')
    const poor = await run(token, ...paying, '--account', colones?.iban ?? '', '--only', 'the same key again gives')
    expect(poor).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has 0.05 CRC.*\nGive an account with more money, or a smaller --max-amount/),
    })
    expect(writes).toEqual([])
  }, 240_000)

  test('with payments pays no more than it was allowed, and nobody who is not known; reports say where the service differs', async () => {
    const addresses = demoRegistry.map(({ address }) => address)
    const { baseUrl, token, writes, colones } = await service((path, answer) => {
      noEmulator(answer)
      const { data } = answer.body ?? {}
      if (data && addresses.some((address) => path.endsWith(`/information/${address}`))) data.name = 'Somebody Else'
      if (data && path.startsWith('/api/user')) delete data.email
    })
    const folder = aFolder()
    const [json, md, xml] = ['cases.json', 'gaps.md', 'junit.xml'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const reports = [json, md, xml].flatMap((file) => ['--report', file])
    const allowed = ['--allow-payments', '--account', colones?.iban ?? '', '--max-amount', '10.00']

    const { code, stdout } = await run(token, '--base-url', baseUrl, ...allowed, ...reports)

    const payments = writes.filter(({ endpoint }) => endpoint === 'payments.create').map(({ body }) => body)
    const asked = payments.reduce((sum, { amount }) => sum + (Number(amount) > 0 ? Math.ceil(Number(amount)) : 0), 0)
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(1000)
    const payees = payments.flatMap(({ recipient_iban, recipient_phone }) => [recipient_iban, recipient_phone])
    expect(payees.filter((payee) => addresses.includes(String(payee)))).toEqual([])
    expect(code).toBe(1)
    expect(stdout).toContain('Cases that would request more than 10.00 CRC in all are left out.')
    const [announcement = ''] = stdout.split('\n\n')
    const [, most] = /send up to \d+ payments, ([\d.]+) CRC in all/.exec(announcement) ?? []
    expect(Number(most)).toBeGreaterThan(0)
    expect(Number(most)).toBeLessThanOrEqual(10)
    expect(announcement.split('\n').filter((line) => line.length > 80)).toEqual([])
    const { mode, cases, written, totals } = readReport(json)
    expect(mode).toBe('payments')
    expect(written).toMatchObject({ payments: payments.length, asked: { CRC: asked }, unanswered: 0 })
    const differs = cases.filter(({ result }) => result === 'differs')
    expect(totals.differs).toBe(differs.length)
    expect(differs.map(({ name }) => name)).toContain(
      'the interface: reading > GET /api/user answers in the envelope with every field',
    )
    expect(differs.every(({ lastExchange }) => lastExchange === 'GET /api/user → 200')).toBe(true)
    expect(differs[0]?.expected).toContain("/data must have required property 'email'")
    const passed = cases.filter(({ result }) => result === 'passed').map(({ name }) => name)
    expect(passed).toContain('the interface: reading > GET /api/accounts answers in the envelope with every field')
    expect(passed).toContain(
      'the interface: paying once > the same key again gives the same payment, and makes no other',
    )
    expect(cases.some(({ reason }) => /would pay somebody|are left/.test(reason ?? ''))).toBe(true)
    expect(readFileSync(md, 'utf8')).toContain("expected: `/data must have required property 'email'`")
    expect(readFileSync(xml, 'utf8')).toContain(`failures="${differs.length}"`)
    for (const file of [json, md, xml]) {
      expect(readFileSync(file, 'utf8')).not.toContain(token)
      expect(statSync(file).mode & 0o077).toBe(0)
    }
  }, 240_000)

  test('with payments asks for what it said, deletes its subscriptions, and finds no difference at the emulator', async () => {
    const { baseUrl, token, writes, colones, subscriptions } = await service((_, answer) => noEmulator(answer))

    const { code, stdout } = await run(token, '--base-url', baseUrl, '--allow-payments', '--account', colones?.id ?? '')

    expect(code, stdout).toBe(0)
    const [, payments, sum] = /send up to (\d+) payments, ([\d,.]+ CRC) in all/.exec(stdout) ?? []
    expect(stdout).toContain(`${payments} payments requested, ${sum} in all;`)
    expect(writes.filter(({ endpoint }) => endpoint === 'payments.create').length).toBe(Number(payments))
    expect(await subscriptions()).toBe(0)
  }, 240_000)

  test('interrupted, sends nothing more, says what was sent, and keeps the results that it had', async () => {
    let child: ChildProcess | undefined
    let isInterrupted = false
    const { baseUrl, token, writes, colones } = await service((_, answer) => {
      noEmulator(answer)
      // More than 20 writes may be recorded at the first answer after the 20th: a case sends five at once.
      if (isInterrupted || writes.filter(({ url }) => url === '/api/payments').length < 20) return
      isInterrupted = true
      child?.kill('SIGINT')
    })
    const file = join(aFolder(), 'cases.json')
    const paying = ['--allow-payments', '--account', colones?.id ?? '', '--only', 'the interface: paying']
    const args = [script, '--base-url', baseUrl, ...paying, '--report', file]
    const env = { ...process.env, PAYCTL_TOKEN: token }

    const stdout = await new Promise<string>((resolve) => {
      child = execFile(process.execPath, args, { env }, (_, text) => resolve(text))
    })

    expect(child?.exitCode).toBe(130)
    const sent = writes.filter(({ endpoint }) => endpoint === 'payments.create').length
    const [, told] = /Interrupted: .*\n(\d+) payments requested, \d/.exec(stdout) ?? []
    expect([sent, sent + 1]).toContain(Number(told)) // one more if a write was recorded but not sent
    const { cases, totals, ...report } = readReport(file)
    expect(report.isInterrupted).toBe(true)
    expect(totals.passed).toBeGreaterThan(0)
    expect(cases[0]).toMatchObject({
      name: 'the interface: paying > a payment is answered as initiated, read by its id and listed',
      result: 'passed',
    })
    expect(stdout).toMatch(/^\d+ passed.*\nInterrupted/m)
  }, 240_000)

  test('what a server gets wrong is reported by the case that says what it should be', async () => {
    const { baseUrl, token } = await service((path, answer) => {
      const { body, headers } = answer
      for (const name of Object.keys(headers)) if (name.startsWith('x-ratelimit-')) delete headers[name]
      if (answer.status === 403) answer.status = 200
      if (path.endsWith('/oauth/token')) body.error = 'invalid_request'
      if (body?.data && path.includes('/phone/')) body.data.document_type = 0
    })
    const file = join(aFolder(), 'cases.json')

    const { code, stdout } = await run(token, '--base-url', baseUrl, '--only', 'the interface: ', '--report', file)

    expect(code).toBe(1)
    const differs = readReport(file).cases.filter(({ result }) => result === 'differs')
    const told = differs.map(({ name }) => name.split(' > ')[1] ?? '')
    expect(told.filter((name) => !name.includes(' is 403 to a token without the scope'))).toEqual([
      'of a phone has no document type',
      'a phone is found with 506 before it as without',
      'answers carry the rate limit',
      'each request leaves fewer',
      'an error of 404 carries the rate limit too',
      'an error of 422 carries the rate limit too',
      'authorization_code of a client nobody registered is invalid_client',
      'refresh_token of a client nobody registered is invalid_client',
      'authorization_code with a wrong secret is invalid_client',
      'refresh_token with a wrong secret is invalid_client',
      'a code nobody issued is invalid_grant',
    ])
    expect(told.length).toBe(20)
    for (const { name } of differs) expect(stdout).toContain(`differs: interface > ${name}`)
  }, 240_000)

  test('tries what OAuth answers without a login where it knows the server, and a client', async () => {
    const { baseUrl, token } = await service((_, answer) => noEmulator(answer))
    const only = ['--only', 'the interface: OAuth', '--auth-url', baseUrl]
    const secrets = { PAYCTL_TOKEN: token, CONFORMANCE_CLIENT_SECRET: demo.clientSecret }

    const withoutClient = await run(token, '--base-url', baseUrl, ...only)
    const withClient = await runWith(secrets, '--base-url', baseUrl, ...only, '--client-id', demo.clientId)

    expect(withoutClient.stdout).toContain('2 passed, 3 not applicable')
    expect(withClient.stdout).toContain('5 passed')
    expect([withoutClient.code, withClient.code]).toEqual([0, 0])
    expect(await run(token, '--base-url', baseUrl, '--client-id', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set CONFORMANCE_CLIENT_SECRET'),
    })
  }, 240_000)

  test('says that it waits where there were too many requests', async () => {
    let isLimited = true
    const { baseUrl, token } = await service((path, answer) => {
      noEmulator(answer)
      if (!path.startsWith('/api/iban/information/') || !isLimited) return
      isLimited = false
      answer.status = 429
      answer.headers['retry-after'] = '1'
    })

    const { code, stdout } = await run(token, '--base-url', baseUrl, '--only', 'is found under its IBAN')

    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/^ {2}waits 1 s: too many requests \(GET \/api\/iban\/information\/CR\d+\)$/m)
  }, 240_000)

  test('a service that answers {} to everything passes no case', async () => {
    const { baseUrl, token } = await service((path, answer) => {
      if (!/\/_emulator\/(worlds|clock)/.test(path)) Object.assign(answer, { status: 200, body: {} })
    })
    const file = join(aFolder(), 'cases.json')

    const { code } = await run(token, '--base-url', baseUrl, '--report', file)

    expect(code).toBe(1)
    const { cases, totals } = readReport(file)
    expect(cases.filter(({ result }) => result === 'passed').map(({ name }) => name)).toEqual([])
    expect(totals.differs).toBeGreaterThan(400)
  }, 240_000)

  test('a case without an answer is not decided, and not passed; no case of that name is a mistake', async () => {
    const { baseUrl, token } = await service((path, answer) => {
      noEmulator(answer)
      if (path === '/api/fx/rates') throw new Error('the connection is closed')
    })
    const [file, xml] = ['cases.json', 'junit.xml'].map((name) => join(aFolder(), name)) as [string, string]
    const rates = ['--only', 'reading > GET /api/fx/rates']

    const { code } = await run(token, '--base-url', baseUrl, ...rates, '--report', file, '--report', xml)

    expect(code).toBe(12)
    expect(readReport(file).cases).toMatchObject([
      { result: 'not_applicable', undecided: true, reason: expect.stringContaining('No answer to GET /api/fx/rates') },
    ])
    const junit = readFileSync(xml, 'utf8')
    expect(junit).toMatch(/<testsuites [^>]*tests="1" failures="0" errors="1" skipped="0"/)
    expect(junit).toMatch(/<testcase [^>]*><error message="No answer to GET \/api\/fx\/rates/)
    expect(await run(token, '--base-url', baseUrl, '--only', 'no such thing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No case has “no such thing” in its name.'),
    })
  }, 240_000)
})

const readReport = (file: string): Report => JSON.parse(readFileSync(file, 'utf8'))
