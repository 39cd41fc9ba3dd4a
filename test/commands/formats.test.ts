import { parse as parseCsv } from 'csv-parse/sync'
import { afterAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { startEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/client/index.ts'
import { freshMachine } from '../support/installed_payctl.ts'

const emulator = await startEmulator({ settle: 0 })
afterAll(() => emulator.close())
const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
const account = emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''
const payee = '87000006'

const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, strict: true })
const { id: payment } = await client.call('payments.create', {
  headers: { 'X-Idempotency-Key': 'first' },
  body: { source_account_id: account, amount: 100, recipient_phone: payee },
})
const { id: withoutFee } = await client.call('payments.create', {
  headers: { 'X-Idempotency-Key': 'without-a-fee' },
  body: { source_account_id: account, amount: 100, recipient_phone: '87000019' },
})
await client.close()

const order = ['--from', account, '--to', payee, '--amount', '5']

/** Every command that prints data. All sends share one key, so they print the same payment. */
const commands: readonly (readonly string[])[] = [
  ['user'],
  ['accounts', 'list'],
  ['accounts', 'list', '--all'],
  ['accounts', 'list', '--page', '9'],
  ['accounts', 'get', account],
  ['accounts', 'balance', account],
  ['accounts', 'create', '--currency', 'CRC'],
  ['payments', 'get', payment],
  ['payments', 'get', withoutFee],
  ['payments', 'history'],
  ['payments', 'history', '--all'],
  ['payments', 'history', '--limit', '1'],
  ['payments', 'validate', ...order],
  ['payments', 'send', ...order, '--to', '87000001', '--yes', '--idempotency-key', 'formats'],
  ['payments', 'send', ...order, '--dry-run'],
  ['payments', 'service-status'],
  ['payments', 'intents'],
  ['payments', 'resume'],
  ['phone', payee],
  ['phone', payee, payee],
  ['iban', 'CR81016100100000000006'],
  ['api'],
  ['api', 'accounts.list'],
  ['api', 'accounts.list', '--paginate'],
  ['fx', 'rates'],
  ['webhooks', 'list'],
  ['profiles', 'list'],
  ['help', 'exit-codes'],
  ['emulator', 'status'],
  ['emulator', 'scenarios'],
  ['emulator', 'registry'],
  ['emulator', 'users'],
  ['emulator', 'deliveries'],
  ['emulator', 'worlds'],
  ['emulator', 'worlds', 'show', 'default'],
  ['emulator', 'worlds', 'create'],
]

const formats = ['json', 'ndjson', 'yaml', 'csv', 'tsv', 'table'] as const

type Format = (typeof formats)[number]

const lines = (text: string): readonly string[] => text.split('\n').slice(0, -1)

/** Names and types without values: two runs of one command may print different values. */
const shape = (value: unknown) =>
  JSON.stringify(value, (_, member) => (typeof member === 'object' ? member : typeof member))

/** The rows of CSV or TSV by their headings. Throws if a row has more or fewer cells than the heading. */
const cells = (text: string, delimiter: string) =>
  parseCsv(text, { columns: true, delimiter, quote: delimiter === ',' ? '"' : null }) as Record<string, string>[]

describe.each(commands.map((command) => [command.join(' '), command] as const))('payctl %s', (_, command) => {
  it('prints in every format what can be read back', async () => {
    const { run } = await freshMachine()
    const printed = {} as Record<Format, string>
    await Promise.all(
      formats.map(async (format) => {
        const { code, stdout, stderr } = await run([...command, '-o', format, '--quiet'], { env, process: false })
        expect({ format, code, stderr }).toEqual({ format, code: 0, stderr: '' })
        printed[format] = stdout
      }),
    )
    const json = JSON.parse(printed.json)
    const page = Array.isArray(json?.data) ? json.data : json
    const rows = Array.isArray(page) ? page : [json]
    expect(shape(parseYaml(printed.yaml))).toBe(shape(json))
    expect(lines(printed.ndjson).map((line) => shape(JSON.parse(line)))).toHaveLength(
      command[0] === 'api' && command.length === 2 ? 1 : rows.length,
    )
    const csv = cells(printed.csv, ',')
    const tsv = cells(printed.tsv, '\t')
    const inner = command.join(' ') === 'api accounts.list' ? json.data.data : rows
    expect([csv.length, tsv.length]).toEqual([inner.length, inner.length])
    expect(tsv.map((row) => Object.keys(row))).toEqual(csv.map((row) => Object.keys(row)))
    expect(printed.table.includes('\u001b')).toBe(false)
    expect(lines(printed.table).length).toBeGreaterThanOrEqual(inner.length)
  })
})

describe('a failure', () => {
  const failures: readonly (readonly [readonly string[], number])[] = [
    [['accounts', 'get', '00000000-0000-7000-8000-000000000000'], 3],
    [['accounts', 'get', 'x'], 2],
    [['accounts', 'lst'], 2],
    [['payments', 'validate', '--from', account, '--to', payee, '--amount', '99999999'], 7],
    [['api', 'nope'], 3],
    [['openapi', 'surplus'], 2],
  ]

  it.each(failures)('of %j is reported in every format', async (command, code) => {
    const { run } = await freshMachine()
    for (const flags of [['-o', 'json'], ['--json'], ['-ojson'], ['--output=ndjson'], ['--jq', '.']]) {
      const finished = await run([...command, ...flags], { env })
      expect(finished.code).toBe(code)
      expect(lines(finished.stderr)).toHaveLength(1)
      expect(Object.keys(JSON.parse(finished.stderr).error)).toEqual([
        'code',
        'message',
        'status',
        'errors',
        'hint',
        'next_command',
        'request_id',
        'retryable',
        'intent_id',
        'payment_id',
      ])
    }
    for (const format of ['table', 'csv', 'tsv', 'yaml']) {
      const finished = await run([...command, '-o', format], { env })
      expect(finished.code).toBe(code)
      expect(finished.stderr).toMatch(/^error: .+\n( {2}.+\n)*(next: {2}payctl .+\n)?$/)
    }
    const preferred = await run(command, { env: { ...env, PAYCTL_OUTPUT: 'json' } })
    expect(JSON.parse(preferred.stderr)).toHaveProperty('error')
  })
})
