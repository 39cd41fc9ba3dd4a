import { expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

async function setUp() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const state = await temporaryDirectory()
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token, PAYCTL_STATE_DIR: state }
  const run = (argv: readonly string[], settings: { terminal?: number; token?: string } = {}) => {
    const { token = emulator.token, ...more } = settings
    return runPayctl(argv, { env: { ...env, PAYCTL_TOKEN: token }, ...more })
  }
  const send = (amount: string, ...flags: readonly string[]) =>
    run(['payments', 'send', '--from', 'CRC', '--to', '8700-0001', '--amount', amount, '--yes', ...flags])
  return { emulator, port: new URL(emulator.baseUrl).port, run, send }
}

test('shows balances, payments in progress and what limits leave on one screen', async () => {
  const { run, send, port } = await setUp()
  await run(['limits', 'set', '--per-day', '2000', 'CRC'])
  await send('80')

  const { code, stdout, stderr } = await run(['status', '--no-color'], { terminal: 100 })

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    `  At         emulator on port ${port}, no real money, as maria.fernandez@example.com (default)`,
    '  CRC        2,499,920.00 CRC   CR76 0999 1000 0000 0000 01',
    '  USD           10,000.00 USD   CR32 0999 2000 0000 0000 02',
    '  Under way  1 payment, 80.00 CRC',
    '  In doubt   none on this machine',
    '  Limit      1,920.00 of 2,000.00 CRC left today (default)',
    '',
  ])
})

test('counts a payment whose answer was lost as in doubt, until it is resumed', async () => {
  const { emulator, run, send } = await setUp()
  const inDoubt = async () => JSON.parse((await run(['status', '--json'])).stdout).in_doubt
  emulator.control.addFault({ endpoint: 'payments.create', fault: 'lose_answer' })
  emulator.control.addFault({ endpoint: 'payments.history', fault: 'reset', times: null })
  expect((await send('80', '--retries', '0')).code).toBe(10)
  emulator.control.clearFaults()

  expect(await inDoubt()).toEqual({ count: 1, amounts: [{ value: 8000, currency: 'CRC', formatted: '80.00 CRC' }] })
  const { stdout, stderr } = await run(['status', '--no-color'], { terminal: 100 })
  expect(stdout).toContain('  In doubt   1 payment, 80.00 CRC\n')
  expect(stderr).toBe('1 payment may have been made. To find out: payctl payments resume\n')

  await run(['payments', 'resume'])
  expect(await inDoubt()).toEqual({ count: 0, amounts: [] })
})

test('prints balances and counts into a pipe', async () => {
  const { run, send, port } = await setUp()
  await send('80')
  const { stdout } = await run(['status'])
  expect(stdout.split('\n')).toEqual([
    'profile\tbase_url\tuser\tbalances\tunder_way\tin_doubt\tnot_sent',
    `default\thttp://127.0.0.1:${port}\tmaria.fernandez@example.com\t2,499,920.00 CRC; 10,000.00 USD\t1\t0\t0`,
    '',
  ])
})

test('says what a token may not read', async () => {
  const { emulator, run } = await setUp()
  const { token } = await emulator.control.tokens.mint({ scopes: ['read-user'] })

  const { code, stdout } = await run(['status', '--no-color'], { terminal: 100, token })

  expect(code).toBe(0)
  expect(stdout).toContain('  Accounts   this token is not allowed to read accounts\n')
  expect(stdout).toContain('  Under way  this token is not allowed to read payments\n')
})
