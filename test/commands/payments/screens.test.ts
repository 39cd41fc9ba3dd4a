import { describe, expect, it } from 'vitest'
import { at, runPayctl } from '../../support/run_payctl.ts'
import { startStub, success } from '../../support/stub.ts'

interface Given {
  readonly status?: string
  readonly credit?: boolean
  readonly value?: number
  readonly name?: string
  readonly error?: string
}

function payment(last: number, created_at: string, given: Given = {}) {
  const { status = 'completed', credit = false, value = 150_025, name = 'Carlos Jiménez Mora', error = null } = given
  const formatted = `${(value / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} CRC`
  const owner = { iban: 'CR76099910000000000001', name: 'María Fernández Rojas', document_number: '0112340567' }
  const other = { name, phone_number: credit ? null : '87000001', document_number: '0304930258' }
  return {
    id: `01a1ffeb-f792-7000-8000-00b83c8${String(last).padStart(5, '0')}`,
    idempotency_key: `int_${last}`,
    channel_reference: '2026112100002000000000001',
    sinpe_reference: status === 'completed' ? '2026112199002000000000007' : undefined,
    transfer_type: credit ? 'credit' : 'debit',
    status,
    amount: { value, currency: 'CRC', formatted },
    fee: { value: 0, currency: 'CRC', formatted: '0.00 CRC' },
    payer: credit ? other : owner,
    payee: credit ? owner : other,
    description: 'SINPE Móvil transfer payment',
    error_message: error,
    created_at,
    submitted_at: created_at,
    completed_at: status === 'completed' ? created_at.replace(':50.', ':51.') : null,
    channel: 'sinpe_movil',
  }
}

const payments = [
  payment(88_006, '2020-11-21T20:28:50.000000Z'),
  payment(88_007, '2020-11-21T20:27:00.000000Z', {
    status: 'failed',
    name: 'Límite Excedido',
    error: 'Over the limit',
  }),
  payment(98_006, '2020-11-21T12:00:00.000000Z', {
    status: 'pending',
    value: 8_000,
    name: '日本語の名前 \u202eevil\u202c',
  }),
  payment(77_001, '2020-11-19T09:12:00.000000Z', { credit: true, value: 2_500_000, name: 'Laura Quesada Brenes' }),
]

const terminal = async (columns: number, argv: readonly string[], answer: unknown) => {
  const { url } = await startStub([200, success(answer)])
  const { env, ...rest } = at(url)
  const { stdout, stderr } = await runPayctl(argv, { ...rest, env: { ...env, LANG: 'C.UTF-8' }, terminal: columns })
  return { stdout: stdout.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), ''), stderr }
}

const page = { current_page: 1, last_page: 58, total: 230, per_page: 4, data: payments }

describe('a list of payments on a terminal', () => {
  it('has a line for each under its day, why one failed, and how many are left', async () => {
    const { stdout, stderr } = await terminal(80, ['payments', 'history'], page)
    expect(stdout).toBe(
      [
        '   21 NOV 2020 (UTC) AMOUNT  PAYEE OR PAYER        RAIL   ID',
        '✓  20:28      -1,500.25 CRC  Carlos Jiménez Mora   sinpe  88006',
        '✗  20:27       1,500.25 CRC  Límite Excedido       sinpe  88007',
        '                               Over the limit',
        '…  12:00         -80.00 CRC  日本語の名前 evil     sinpe  98006',
        '   19 NOV 2020',
        '↓  09:12     +25,000.00 CRC  Laura Quesada Brenes  sinpe  77001\n',
      ].join('\n'),
    )
    expect(stderr).toMatch(/^4 of 230 payments\. More: --page 2, --all\nout 1,580\.25 /)
  })

  it('has fees and descriptions at 120 columns, references at 140 too', async () => {
    const heading = async (columns: number) =>
      (await terminal(columns, ['payments', 'history'], page)).stdout.split('\n')[0]?.split(/ {2,}/).slice(1)
    expect(await heading(80)).toEqual(['21 NOV 2020 (UTC) AMOUNT', 'PAYEE OR PAYER', 'RAIL', 'ID'].map((name) => name))
    const [, ...wide] = (await heading(120)) ?? []
    expect(wide).toEqual(['FEE', 'PAYEE OR PAYER', 'RAIL', 'DESCRIPTION', 'ID'])
    const [, ...wider] = (await heading(140)) ?? []
    expect(wider).toEqual(['FEE', 'PAYEE OR PAYER', 'RAIL', 'DESCRIPTION', 'REFERENCE', 'ID'])
  })

  it('says which columns it has no room for', async () => {
    const { stderr } = await terminal(50, ['payments', 'history'], { ...page, last_page: 1 })
    expect(stderr).toMatch(/^Left out: rail\. Wider terminal, or -o wide\n/)
    const { stdout, stderr: chosen } = await terminal(
      80,
      ['payments', 'history', '--columns', 'id,status,amount,payee_name,payer_name'],
      page,
    )
    expect(stdout).toMatch(/^ID +STATUS +AMOUNT +PAYEE NAME\n01a1ffeb.+ completed +-1,500\.25 CRC {2}Carlos Jim/)
    expect(chosen).toMatch(/^Left out: payer name\. Wider terminal, or -o wide\n/)
  })

  it('dims an amount that failed', async () => {
    const { url } = await startStub([200, success(page)])
    const { env } = at(url)
    const { stdout } = await runPayctl(['payments', 'history'], { env: { ...env, LANG: 'C.UTF-8' }, terminal: 80 })
    expect(stdout).toContain('\u001b[2m1,500.25 CRC\u001b[22m')
  })

  it('cuts the name last: before it the rail goes', async () => {
    const { stdout } = await terminal(50, ['payments', 'history'], { ...page, last_page: 1 })
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      '   21 NOV 2020 (UTC) AMOUNT  PAYEE OR PAYER  ID',
      '✓  20:28      -1,500.25 CRC  Carlos Jiméne…  88006',
    ])
  })

  it('shows whole ids, fees, descriptions and references with -o wide', async () => {
    const { stdout } = await terminal(80, ['payments', 'history', '-o', 'wide'], page)
    expect(stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
      '2020-11-21 20:28:50',
      'completed',
      '-1,500.25 CRC',
      '0.00 CRC',
      'Carlos Jiménez Mora',
      'sinpe',
      'SINPE Móvil transfer payment',
      '2026112199002000000000007',
      payments[0]?.id,
    ])
  })
})

describe('one payment on a terminal', () => {
  it('is a card', async () => {
    const { stdout } = await terminal(80, ['payments', 'get', payments[0]?.id ?? ''], payments[0])
    expect(stdout).toBe(
      [
        '  ✓ completed   -1,500.25 CRC   fee 0.00',
        '  To           Carlos Jiménez Mora, 8700 0001 (SINPE Móvil)',
        '  From         María Fernández Rojas, CR76 0999 1000 0000 0000 01',
        '  Description  SINPE Móvil transfer payment',
        '  Sent         2020-11-21 20:28:50 (UTC), completed 20:28:51',
        '  Reference    2026112199002000000000007',
        '  Channel ref  2026112100002000000000001',
        `  Id           ${payments[0]?.id}`,
        '  Key          int_88006\n',
      ].join('\n'),
    )
  })

  it('has what does not fit beside its status below it', async () => {
    const { stdout } = await terminal(38, ['payments', 'get', payments[0]?.id ?? ''], payments[0])
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      '  ✓ completed',
      '  -1,500.25 CRC',
      '  fee 0.00',
      '  To           Carlos Jiménez Mora,',
      '               8700 0001 (SINPE Móvil)',
    ])
  })

  it('keeps its sign where colours are not wanted; an amount that failed has no minus', async () => {
    const { stdout } = await terminal(80, ['payments', 'get', payments[1]?.id ?? '', '--no-color'], payments[1])
    expect(stdout).toMatch(/^ {2}✗ failed {3}1,500\.25 CRC {3}fee 0\.00\n/)
    expect(stdout).toContain('\n  Reason       Over the limit\n')
  })
})
