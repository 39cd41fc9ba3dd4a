import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { completedPayment, startService } from './service.ts'

const completed = completedPayment('Factura 117 de noviembre')

async function setUp(changes: Record<string, unknown> = {}) {
  const service = await startService()
  const payment = { ...completed, ...changes }
  service.before = () => [200, payment]
  const cli = payctl(service.url)
  const receipt = (...flags: readonly string[]) => cli.run('payments', 'receipt', payment.id, ...flags)
  return { service, cli, receipt, payment }
}

const noProof = /Esto no es un comprobante de pago|This is not a proof of payment/

describe('a receipt', () => {
  test('of a completed payment says who paid whom what and when, in Spanish', async () => {
    const { receipt } = await setUp()

    const { code, stdout } = await receipt()

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Comprobante de pago\nPagado: el dinero llegó a quien lo recibe\.\n/)
    expect(stdout).toMatch(/Paga +Ana Mora\n +Cuenta de origen +CR61 \*\*\*\* 0001\n +Recibe +Luis Solano\n/)
    expect(stdout).toMatch(/Cuenta de destino +CR05 0152 0200 1026 2840 66\n/)
    expect(stdout).toMatch(/Monto +1,500\.25 CRC \(colones\)\n +Comisión para quien paga +0\.00 CRC\n/)
    expect(stdout).toMatch(/Solicitado +\d+ de enero de 2026 a las \d\d:\d\d:\d\d \(UTC.*\)\n/)
    expect(stdout).toMatch(/Referencia SINPE +2026010511110000000000007\n/)
    expect(stdout).not.toMatch(noProof)
    expect(stdout).not.toContain('CR61010200100000000001')
  })

  test('is in English where that is asked for', async () => {
    const { receipt } = await setUp()

    const { stdout } = await receipt('--lang', 'en')

    expect(stdout).toMatch(/^Proof of payment\nPaid: /)
    expect(stdout).toMatch(/Requested +\d+ January 2026 at /)
  })

  test.each([
    ['pending', 'En camino: el dinero todavía no ha llegado.'],
    ['processing', 'En camino'],
    ['failed', 'No pagado: el dinero no llegó (Account closed).'],
    ['timeout', 'No pagado'],
    ['system_error', 'No pagado'],
    ['reversed_somehow', 'Estado desconocido: reversed_somehow.'],
    [null, 'Estado desconocido.'],
  ])('of a payment that is %s does not look like a proof', async (status, words) => {
    const { receipt } = await setUp({ status, error_message: 'Account closed', completed_at: null })

    for (const flags of [[], ['--html', '-']]) {
      const { stdout } = await receipt(...flags)
      expect(stdout).toContain(words)
      expect(stdout).toMatch(noProof)
      expect(stdout).not.toContain('Comprobante de pago')
      expect(stdout).not.toMatch(/Pagado:/)
    }
    expect(JSON.parse((await receipt('--json')).stdout)).toMatchObject({ is_proof: false, is_emulator: false })
  })

  test('of an emulator says that no real money moved', async () => {
    const { service, receipt } = await setUp()
    service.headers['X-Emulator-World'] = 'some world'

    for (const flags of [[], ['--html', '-']]) {
      expect((await receipt(...flags)).stdout).not.toContain('Comprobante de pago')
      expect((await receipt(...flags)).stdout).toContain(
        'EMULADOR: sin dinero real. Esto no es un comprobante de pago.',
      )
    }
    expect((await receipt('--lang', 'en')).stdout).toContain('EMULATOR: no real money.')
    expect(JSON.parse((await receipt('--json')).stdout)).toMatchObject({ is_proof: false, is_emulator: true })
  })

  test.each([
    ['that is not a whole number', { value: 10.5, currency: 'CRC' }],
    ['without a currency', { value: 100 }],
  ])('of an amount %s is not a proof', async (_, amount) => {
    const { receipt } = await setUp({ amount })

    const { stdout } = await receipt()

    expect(stdout).toMatch(noProof)
    expect(stdout).toMatch(/Monto +\?\n/)
  })

  test('of money that came in shows the payer’s account, and only the ends of the own', async () => {
    const { receipt } = await setUp({ transfer_type: 'credit' })

    const { stdout } = await receipt()

    expect(stdout).toMatch(/^Comprobante de pago recibido\nRecibido: /)
    expect(stdout).toContain('CR61 0102 0010 0000 0000 01')
    expect(stdout).toContain('CR05 **** 4066')
    expect(stdout).not.toContain('Comisión')
  })

  test('for programs is the payment, and whether it is a proof', async () => {
    const { receipt, payment } = await setUp()

    expect(JSON.parse((await receipt('--json')).stdout)).toEqual({ is_proof: true, is_emulator: false, payment })
  })
})

describe('a receipt as a page', () => {
  test('goes to a file of its owner’s, which is replaced only with --force', async () => {
    const { cli, receipt } = await setUp()
    const file = join(cli.file('other.txt', ''), '..', 'receipt.html')

    const first = await receipt('--html', file)
    expect(first).toEqual({ code: 0, stdout: '', stderr: `Written: ${file}\n` })
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>\n<html lang="es">/)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const again = await receipt('--html', file, '--lang', 'en')
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists. It was left unchanged.') })
    expect(readFileSync(file, 'utf8')).toContain('<html lang="es">')

    await receipt('--html', file, '--lang', 'en', '--force')
    expect(readFileSync(file, 'utf8')).toContain('<html lang="en">')
  })

  test.skipIf(process.platform === 'win32').each([[[]], [['--force']]])(
    'goes through a pipe, which stays a pipe: %j',
    async (flags) => {
      const { cli, receipt } = await setUp()
      const pipe = join(cli.file('other.txt', ''), '..', 'pipe')
      execFileSync('mkfifo', [pipe])
      const reader = execa('cat', [pipe])

      expect(await receipt('--html', pipe, ...flags)).toMatchObject({ code: 0, stderr: `Written: ${pipe}\n` })
      expect((await reader).stdout).toMatch(/^<!doctype html>/)
      expect(statSync(pipe).isFIFO()).toBe(true)
    },
  )

  test('and a JSON document can’t share stdout', async () => {
    const { receipt, service } = await setUp()

    expect((await receipt('--html', '-', '--json')).code).toBe(2)
    expect(service.received).toEqual([])
  })

  test.each(['constructor', '__proto__'])('names an unknown channel as the service does: %s', async (channel) => {
    const { receipt } = await setUp({ channel })
    expect((await receipt('--html', '-')).stdout).toContain(`>${channel}<`)
  })

  test('holds what strangers wrote as text, and loads nothing', async () => {
    const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;'\u202egnp.exe\u0000`
    const { receipt } = await setUp({
      description: attack,
      error_message: attack,
      channel: attack,
      sinpe_reference: attack,
      payer: { ...completed.payer, name: attack, iban: attack },
      payee: { ...completed.payee, name: attack.repeat(100), iban: attack },
      amount: { value: 1, currency: attack },
      created_at: attack,
    })

    const { stdout } = await receipt('--html', '-')

    expect(stdout).not.toMatch(/<script|<img|<link|<iframe|javascript:|https?:|\p{Cf}|(?!\n)\p{Cc}/iu)
    expect(stdout).toContain('&quot;&gt;&lt;script&gt;')
    expect(stdout).toContain("default-src 'none'")
    expect(stdout.length).toBeLessThan(12_000)
  })
})
