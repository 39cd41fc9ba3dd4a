import { describe, expect, it } from 'vitest'
import { startStub, success } from '../support/stub.ts'
import { show } from './terminal.ts'

const names = [
  'María Fernández Rojas de la O y de los Ángeles',
  '日本語の名前はここにありますそして長いです 株式会社',
  '👩‍👩‍👧‍👦 Familia 🇨🇷 Mora Mora Mora Mora Mora Mora',
  'שלום עולם שלום עולם שלום עולם שלום',
  'مرحبا بالعالم مرحبا بالعالم مرحبا',
  'a\u0301\u0302\u0303e\u0301 Zalgo n\u0303 e\u0301 e\u0301 e\u0301 e\u0301 e\u0301 e\u0301 e\u0301',
  '\u202eevil\u202c \u2066x\u2069 \u001b[2Jcleared \u009b31m red \u0007',
]

const values = [100, 123_456_789, -500]

const rows = names.map((owner_name, n) => ({
  id: `0190${n}`,
  iban: `CR0501520200102628406${n}`,
  balance: { value: values[n % values.length], currency: 'CRC', formatted: '' },
  owner_name,
  status: 'active',
  created_at: '2026-01-05T18:00:00.000000Z',
  updated_at: null,
}))

const startBank = async () => {
  const stub = await startStub([200, success({ data: rows, current_page: 1, last_page: 1, total: rows.length })])
  return { PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test', LANG: 'C.UTF-8' }
}

const list = ['accounts', 'list']
const colour = `${String.fromCharCode(27)}[`

describe('a table on a terminal', () => {
  it.each([70, 80, 120, 200])('fits %i columns, amounts to the right, long names cut', async (columns) => {
    const { code, lines, width } = await show(list, { columns, env: await startBank() })
    expect(code).toBe(0)
    expect(lines).toHaveLength(rows.length + 1)
    expect(width).toBeLessThanOrEqual(columns)
    const ends = lines.slice(1).map((line) => line.indexOf(' CRC'))
    expect(new Set(ends).size).toBe(1)
    expect(lines.some((line) => line.includes('…'))).toBe(columns <= 120)
  })

  it('becomes cards on 20 columns', async () => {
    const { lines } = await show(list, { columns: 20, env: await startBank() })
    expect(lines.filter((line) => line.startsWith('  Balance'))).toHaveLength(rows.length)
  })

  it('obeys nothing that a name says', async () => {
    const { raw } = await show(list, { columns: 200, env: { ...(await startBank()), NO_COLOR: '1' } })
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    expect(raw).toContain('evil')
  })

  it('shows times of the place, and ISO to a program', async () => {
    const env = { ...(await startBank()), TZ: 'America/Costa_Rica' }
    const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    const stub = await startStub([200, success({ ...rows[0], id })])
    const get = ['accounts', 'get', id]
    const { lines } = await show(get, { columns: 80, env: { ...env, PAYCTL_BASE_URL: stub.url } })
    expect(lines.find((line) => line.startsWith('  Created at'))).toMatch(/ 2026-01-05 12:00:00 \(UTC-6\)$/)
    const tsv = await show([...get, '-o', 'tsv'], { columns: 80, env: { ...env, PAYCTL_BASE_URL: stub.url } })
    expect(tsv.raw).toContain('2026-01-05T18:00:00.000000Z')
  })
})

describe('colour on a terminal', () => {
  it.each([
    [{}, [], true],
    [{ NO_COLOR: '1' }, [], false],
    [{ NO_COLOR: '' }, [], true],
    [{ TERM: 'dumb' }, [], false],
    [{ CLICOLOR: '0' }, [], false],
    [{ FORCE_COLOR: '0' }, [], false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, [], true],
    [{}, ['--no-color'], false],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
  ] as const)('with %j and %j: %s', async (env, flags, coloured) => {
    const { raw } = await show([...list, ...flags], { columns: 100, env: { ...(await startBank()), ...env } })
    expect(raw.includes(colour)).toBe(coloured)
    const failed = await show(['accounts', 'get', 'x', ...flags], { columns: 100, env })
    expect(failed.raw.includes(colour)).toBe(coloured)
  })
})
