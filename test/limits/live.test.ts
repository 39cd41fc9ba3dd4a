import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { announce } from '../../src/config/running_emulators.ts'
import { payees } from '../commands/payments/batch_file.ts'
import { announcementOf } from '../config/ready.ts'
import { runPayctl } from '../support/run_payctl.ts'
import { keys, openPayctl } from '../support/terminal.ts'
import { limitedPayctl, rowsOf, sending, sendingRaw } from './limited_payctl.ts'

/** An active live profile: the user must type the amount of a payment above 50.00 CRC. */
async function setUp() {
  const at = await limitedPayctl()
  const env = { ...at.env, PAYCTL_BASE_URL: '', PAYCTL_PROFILE: 'prod' }
  const run = (...argv: readonly string[]) => at.start(argv, { env })
  await run('profiles', 'set', 'prod', '--base-url', at.service.url, '--live')
  const { exitCode, stderr } = await run('limits', 'set', '--confirm-above', '50', 'CRC')
  if (exitCode !== 0) throw new Error(stderr)
  const open = (...argv: readonly string[]) => openPayctl(argv, { env, columns: 120 })
  return { ...at, env, run, open }
}

const [bold, red] = ['\u001b[1m', '\u001b[31m']

const typing = 'Type the amount to send it'

describe('in a live profile a large amount', () => {
  test('is any amount that may be in a currency without a threshold', async () => {
    const at = await setUp()
    at.service.before = ({ path }) => (path.startsWith('/api/accounts') ? [403, 'Not for this token'] : undefined)

    const { exitCode, stderr } = await at.run(...sending('0.01'), '--yes')

    expect(stderr).toContain('0.01 is an amount that a person must type')
    expect(exitCode).toBe(5)
    expect(at.service.payments.size).toBe(0)
  })

  test('is sent once it is typed', async () => {
    const at = await setUp()
    const terminal = at.open(...sending('50.01'))

    await terminal.answer(typing, `50.01${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/LIVE, as ana@example\.com \(prod\)/)
    expect(at.service.payments.size).toBe(1)
    expect(at.audited().map(({ event, decided_by }) => [event, decided_by])).toEqual([
      ['asked', 'typed'],
      ['outcome', null],
    ])
  })

  test('is LIVE in bold red, on a narrow terminal too', async () => {
    const at = await setUp()
    for (const terminal of [40, 80]) {
      const env = { ...at.env, NO_COLOR: '' }
      const ended = new AbortController()
      const onStderr = (text: string) => text.includes('LIVE') && ended.abort()
      const { stderr } = await runPayctl(sending('50.01'), { env, terminal, onStderr, signal: ended.signal })
      expect(stderr).toContain(`${bold}${red}LIVE\u001b[39m\u001b[22m, as`)
      const dry = await runPayctl([...sending('50.01'), '--dry-run'], { env, terminal })
      expect(dry.stderr).toContain(`${bold}${red}LIVE\u001b[39m\u001b[22m, as`)
    }
  })

  test.each(['y', '50', '5001', '50.1', ''])('is not sent when %j is typed', async (answer) => {
    const at = await setUp()
    const terminal = at.open(...sending('50.01'))

    await terminal.answer(typing, `${answer}${keys.enter}`)

    expect(await terminal.ended).not.toBe(0)
    expect(terminal.screen).toContain('nothing was sent')
    expect(at.requested()).toBe(0)
  })

  test('is not sent at the end of the input, nor after Ctrl-C', async () => {
    const at = await setUp()
    for (const key of [keys.endOfInput, keys.interrupt]) {
      const terminal = at.open(...sending('50.01'))
      await terminal.answer(typing, key)
      expect(await terminal.ended).not.toBe(0)
    }
    expect(at.requested()).toBe(0)
  })

  test('is refused with --yes, also as the total of a batch, and by api', async () => {
    const at = await setUp()
    const runs = [
      await at.run(...sending('50.01'), '--yes'),
      await at.run('payments', 'batch', at.file('a.csv', rowsOf('30', '20.01')), '--yes'),
      await at.run(...sendingRaw('mine', 5001)),
    ]

    for (const { exitCode, stderr } of runs) {
      expect(stderr.replace(/\s+/g, ' ')).toMatch(/is live, and .* is an amount that a person must type/)
      expect(stderr).toContain('Nothing was sent')
      expect(stderr).not.toContain('Sending')
      expect(exitCode).toBe(5)
    }
    expect(at.requested()).toBe(0)
  })
})

test('--dry-run says that an amount would be typed', async () => {
  const at = await setUp()
  const typed = /To confirm, a person must type 50\.01 CRC/

  expect((await at.run(...sending('50.01'), '--dry-run')).stderr).toMatch(typed)
  expect((await at.run(...sending('50'), '--dry-run')).stderr).not.toContain('types')
  const file = at.file('a.csv', rowsOf('30', '20.01'))
  expect((await at.run('payments', 'batch', file, '--dry-run')).stderr).toMatch(typed)
})

test('in a live profile an amount up to it takes a yes, and --yes sends it', async () => {
  const at = await setUp()
  const terminal = at.open(...sending('50'))

  await terminal.answer('Send 50.00 CRC', 'y')
  terminal.type(keys.enter)

  expect(await terminal.ended).toBe(0)
  expect((await at.run(...sending('50'), '--yes')).exitCode).toBe(0)
  expect(at.service.payments.size).toBe(2)
  expect(at.audited().map(({ decided_by }) => decided_by)).toEqual(['terminal', null, 'flag', null])
})

describe('an emulator', () => {
  const setUpEmulator = async () => {
    const emulator = await startEmulator({ settle: 'instant' })
    onTestFinished(() => emulator.close())
    return emulator
  }

  test('that answers in a live profile is paid nothing', async () => {
    const at = await setUp()
    at.service.headers['X-Emulator-World'] = 'w1'

    const { exitCode, stderr } = await at.run(...sending('1'), '--yes')

    expect(stderr.replace(/\s+/g, ' ')).toContain('marked as live, and an emulator answers')
    expect(exitCode).toBe(2)
    expect((await at.run(...sendingRaw('mine'))).exitCode).toBe(2)
    expect(at.requested()).toBe(0)
  })

  test('can be made neither a live profile nor the new service of one, and is paid as before', async () => {
    const at = await setUp()
    const emulator = await setUpEmulator()
    announce(join(at.folder, 'state'), announcementOf(emulator))
    const elsewhere = ['profiles', 'set', 'prod', '--base-url', emulator.baseUrl]

    const refused = [
      await at.run('profiles', 'set', 'new', '--live', ...elsewhere.slice(3)),
      await at.run(...elsewhere),
    ]
    const [from] = emulator.accounts()
    const paying = ['--from', from?.id ?? '', '--to', payees[0] ?? '', '--amount', '1', '--yes']
    const paid = await at.start(['payments', 'send', '--emulator', ...paying], { env: at.env })

    for (const { exitCode, stderr } of refused) {
      expect(stderr.replace(/\s+/g, ' ')).toContain("so the profile can't be live. Nothing was saved.")
      expect(exitCode).toBe(2)
    }
    expect(paid).toMatchObject({ exitCode: 0 })
  })

  test('has its question say that no money is real', async () => {
    const at = await limitedPayctl()
    const emulator = await setUpEmulator()
    const [from] = emulator.accounts()
    const env = { ...at.env, PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
    const terminal = openPayctl(['send', '--from', from?.id ?? '', '--to', payees[0] ?? '', '--amount', '1'], {
      env,
      columns: 120,
    })

    await terminal.answer('Send 1.00 CRC', keys.enter)

    expect(await terminal.ended).not.toBe(0)
    expect(terminal.screen).toMatch(/At +emulator on port \d+\s+no real money/)
  })
})
