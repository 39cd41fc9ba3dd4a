import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/client/index.ts'
import { readBytes } from '../sheets/sheet_files.ts'
import { surroundings } from '../support/payctl_process.ts'
import { payctlCommand } from '../support/program.ts'

const emulator = await startEmulator({ settle: 0 })
afterAll(() => emulator.close())

const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
await client.call('payments.create', {
  headers: { 'X-Idempotency-Key': 'first' },
  body: {
    source_account_id: emulator.accounts()[0]?.id ?? '',
    amount: 150_025,
    recipient_phone: '87000001',
    description: '=HYPERLINK("http://x")',
  },
})
await client.close()

const run = (...argv: readonly string[]) =>
  execa(...payctlCommand(argv), {
    env: { ...surroundings(emulator), TZ: 'America/Costa_Rica' },
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
  })

describe('-o xlsx', () => {
  it('has what an endpoint answers as rows', async () => {
    const { stdout } = await run('api', 'accounts.list', '-o', 'xlsx')
    const { header, rows } = await readBytes(stdout, {}, 100_000)
    const ids = rows.map(({ cells }) => cells[header?.cells.indexOf('id') ?? -1])
    expect(ids).toEqual(emulator.accounts().map(({ id }) => id))
  })

  it('has money as numbers, times as dates with their zone, and text as text', async () => {
    const { stdout } = await run('payments', 'history', '-o', 'xlsx')
    const { header, rows } = await readBytes(stdout, {}, 100_000)
    const columns = header?.cells ?? []
    const of = (name: string) => {
      const at = columns.indexOf(name)
      return { text: rows[0]?.cells[at], kind: rows[0]?.kinds?.[at] }
    }
    expect(of('amount')).toEqual({ text: expect.stringMatching(/^-?1500\.25$/), kind: 'number' })
    expect(columns.find((name) => name.startsWith('created'))).toMatch(/ \(UTC-6\)$/)
    expect(of(columns.find((name) => name.startsWith('created')) ?? '').kind).toBe('date')
    expect(of('description')).toEqual({ text: '=HYPERLINK("http://x")', kind: 'text' })
    expect(of('id').kind).toBe('text')
  })

  it('is a workbook of one row for one record, and of none for an empty list', async () => {
    const record = await readBytes((await run('user', '-o', 'xlsx')).stdout, {}, 100_000)
    expect(record.rows).toHaveLength(1)
    const none = await readBytes((await run('webhooks', 'list', '-o', 'xlsx')).stdout, {}, 100_000)
    expect(none.header?.cells).toContain('url')
    expect(none.rows).toEqual([])
  })
})

describe('-o csv --excel', () => {
  it('es-CR has a mark, semicolons and the decimal comma', async () => {
    const { stdout } = await run('payments', 'history', '-o', 'csv', '--excel', 'es-CR')
    const text = Buffer.from(stdout).toString()
    expect(text.startsWith('\ufeff')).toBe(true)
    expect(text).toMatch(/;-?1500,25;/)
    expect(text).toMatch(/;created_at \(UTC-6\);/)
    expect(text).toMatch(/;\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;/)
    expect(text).toContain(`;"'=HYPERLINK(""http://x"")"`)
    expect(text.endsWith('\r\n')).toBe(true)
  })

  it('en-US has commas and the decimal point', async () => {
    const { stdout } = await run('payments', 'history', '-o', 'csv', '--excel', 'en-US')
    expect(Buffer.from(stdout).toString()).toMatch(/^\ufeff[\w, ()-]+\r\n.*,-?1500\.25,/)
  })

  it('means CSV, and nothing else', async () => {
    const { exitCode, stderr } = await run('user', '--json', '--excel', 'es-CR')
    expect(exitCode).toBe(2)
    expect(Buffer.from(stderr).toString()).toContain('--excel')
  })
})
