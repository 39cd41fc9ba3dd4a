import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { type HostileService, payee, startHostile } from '../commands/hostile_service.ts'
import { full } from '../support/full.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { startStub, success } from '../support/stub.ts'
import { openMain } from '../support/terminal.ts'

const service = await startHostile()

/** A string that sets the window's title, clears the screen, adds lines, reverses text and begins a formula. */
const attack = '=cmd()\u001b]0;owned\u0007\u001b[2J\u009b31m\r\nerror: forged\trow\u2028\u202egnorw\u2066'
const long = 'x'.repeat(full ? 2 ** 20 : 2 ** 14)

const iban = 'CR81016100100000000006'

/**
 * Replaces every string except the numbers that are looked up, because an answer for another number is refused. Ids
 * stay different, and one string is long: a megabyte in the full tests.
 */
function attacked(data: unknown): unknown {
  let count = 0
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]))
    }
    if (typeof value !== 'string' || value === payee || value === iban) return value
    count += 1
    return count === 2 ? `${attack}${long}` : `${attack}${count}`
  }
  return change(data)
}

const lists: Readonly<Record<string, (service: HostileService) => readonly string[]>> = {
  'accounts list': () => ['accounts', 'list'],
  'accounts list --all': () => ['accounts', 'list', '--all'],
  'payments history': () => ['payments', 'history'],
  'webhooks list': () => ['webhooks', 'list'],
  'emulator registry': () => ['emulator', 'registry'],
  'emulator users': () => ['emulator', 'users'],
  api: () => ['api', 'accounts.list', '--paginate'],
}

const records: Readonly<Record<string, (service: HostileService) => readonly string[]>> = {
  user: () => ['user'],
  'accounts get': ({ account }) => ['accounts', 'get', account],
  'accounts balance': ({ account }) => ['accounts', 'balance', account],
  'accounts create': () => ['accounts', 'create', '--currency', 'CRC'],
  'payments get': ({ payment }) => ['payments', 'get', payment],
  'payments send': ({ account }) => [
    ...['payments', 'send', '--yes', '--from', account, '--to', payee, '--amount', '1'],
  ],
  phone: () => ['phone', payee],
  iban: () => ['iban', iban],
  'phone of another': () => ['phone', '88886666'],
  'fx rates': () => ['fx', 'rates'],
  'webhooks get': ({ subscription }) => ['webhooks', 'get', subscription],
}

const genuine = (response: ServerResponse, body: string) => response.end(body)

/**
 * Escape sequences with which payctl redraws a line: cursor off and on, start of a line. No text of the service
 * contains these sequences.
 */
const drawing = new RegExp(`${'\u001b'}\\[(\\?(25|2026)[lh]|1?G|[02]?K|1A)`, 'g')

/** A record keeps the requested id, because payctl would refuse any other id. */
const harmful = (response: ServerResponse, body: string) => {
  const envelope = JSON.parse(body)
  const id = envelope.data?.id
  const data = attacked(envelope.data)
  const isAsked = typeof id === 'string' && response.req.url?.endsWith(`/${id}`)
  response.end(
    JSON.stringify({ ...envelope, message: attack, data: isAsked ? Object.assign(data as object, { id }) : data }),
  )
}

async function start() {
  const { env, run } = await freshMachine()
  const more = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: service.token }
  return {
    run: (argv: readonly string[]) => run(argv, { env: more, maxBuffer: 2 ** 26 }),
    async seen(argv: readonly string[]) {
      const terminal = openMain(argv, { env: { ...env, ...more }, columns: 80 })
      return { code: await terminal.ended, text: terminal.written.replaceAll('\r\n', '\n') }
    },
  }
}

describe.each(Object.entries({ ...lists, ...records }))('texts of a hostile service in %s', (name, argvOf) => {
  it('steer no terminal, and stay in their row', async () => {
    const argv = argvOf(service)
    const { run, seen } = await start()
    service.damage = genuine
    const rows = name in lists ? (await run([...argv, '-o', 'ndjson'])).stdout.trimEnd().split('\n').length : 1
    service.damage = harmful
    const [terminal, tsv, csv, json] = await Promise.all([
      seen(argv),
      run(argv),
      run([...argv, '-o', 'csv']),
      run([...argv, '--json']),
    ])
    // The attack also replaces the payment's key, so the answer does not name the key of the request.
    const code = name === 'payments send' ? 10 : name === 'phone of another' ? 12 : 0
    expect([terminal.code, tsv.code, csv.code, json.code]).toEqual([code, code, code, code])
    const raw = /(?![\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
    expect(raw.exec(terminal.text.replace(drawing, ''))?.[0]).toBeUndefined()
    expect(terminal.text).not.toMatch(/^error: forged/m)
    for (const { stderr } of [tsv, csv, json]) expect(raw.exec(stderr)?.[0]).toBeUndefined()
    if (name === 'api' || code !== 0) return
    expect(tsv.stdout.split('\n')).toHaveLength(rows + 2)
    const cells = parse(csv.stdout, { columns: true, max_record_size: 2 ** 24 }) as Record<string, string>[]
    expect(cells).toHaveLength(rows)
    expect(cells.flatMap(Object.values).filter((cell) => /^[=+@]/.test(cell))).toEqual([])
  })
})

describe.each([301, 302, 307, 308])('a redirect (%i) to another host', (status) => {
  it('is followed by no method, with or without a token', async () => {
    const other = await startStub([200, success({ id: 'x' })])
    service.damage = (response) => response.writeHead(status, { Location: `${other.url}/` }).end()
    const { run } = await start()
    const runs = [
      ['user'],
      ['payments', 'validate', '--from', service.account, '--to', payee, '--amount', '1'],
      ['payments', 'send', '--yes', '--from', service.account, '--to', payee, '--amount', '1'],
      ['accounts', 'create', '--currency', 'CRC'],
      ['webhooks', 'create', '--url', 'http://127.0.0.1:9/', '--events', 'all'],
      ['webhooks', 'delete', service.subscription, '--yes'],
      ['webhooks', 'suspend', service.subscription],
      ['webhooks', 'tail', '--limit', '1'],
      ['phone', payee, '88886666'],
      ['emulator', 'reset'],
      ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ['api', method, 'api/user']),
    ]
    const ends = await Promise.all(runs.map((argv) => run([...argv, '--retries', '0'])))
    expect(other.received).toEqual([])
    for (const [number, { code, stderr }] of ends.entries()) {
      expect({ argv: runs[number], code, stderr }).toMatchObject({ code: expect.toBeOneOf([10, 12]) })
      expect(stderr).not.toContain(service.token)
    }
    service.damage = (response, body) =>
      response.req.url === '/api/user'
        ? genuine(response, body)
        : response.writeHead(status, { Location: `${other.url}/` }).end()
    expect((await run([...(runs[2] ?? []), '--retries', '0'])).code).toBe(10)
    expect(other.received).toEqual([])
  })
})

describe('an answer without end', () => {
  const large = `{"success":true,"message":"","data":"${'x'.repeat(33 * 2 ** 20)}"}`
  const packed = gzipSync(large, { level: 1 })
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'that drips': (response) => {
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    },
    'of which only the headers come': (response) => void response.writeHead(200, { 'Content-Length': 99 }).write(' '),
    'of 33 MiB': (response) => void response.end(large),
    'of 33 MiB, packed': (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed),
  }

  it.each(Object.entries(answers))('%s is not an answer: the outcome of a payment is unknown', async (name, answer) => {
    const user = success({ id: 'user-1', email: 'ana@example.com' })
    const { url } = await startStub((response) =>
      response.req.url === '/api/user' ? void response.end(JSON.stringify(user)) : answer(response),
    )
    const { run } = await freshMachine()
    const env = { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: 'token-of-the-test' }
    // An answer of 33 MiB must fail because of its size, not because of a timeout on a busy machine.
    const flags = ['--retries', '0', '--timeout', name.startsWith('of 33 MiB') ? '60s' : '2s']
    const pay = ['payments', 'send', '--yes', '--from', service.account, '--to', payee, '--amount', '1']
    const [read, sent] = await Promise.all([
      run(['accounts', 'list', ...flags], { env }),
      run([...pay, ...flags], { env }),
    ])
    expect({ ...read, stdout: '' }).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(/^error: .+\n(( {2}|next: {2}).+\n)+$/),
    })
    expect(sent).toMatchObject({ code: 10, stdout: '', stderr: expect.stringContaining('payctl payments resume int_') })
  })
})
