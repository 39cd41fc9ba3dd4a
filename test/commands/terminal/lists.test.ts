import { describe, expect, it } from 'vitest'
import { startWorld } from '../../emulator/control/world.ts'
import { surroundings } from '../../support/payctl_process.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { keys, openPayctl, openShell } from '../../support/terminal.ts'
import { holdAnswers } from './held_service.ts'

const carlos = { recipient_phone: '87000001' }

describe('lookups at a terminal', () => {
  it('show rows and, below them, how many there were so far', async () => {
    const { emulator } = await startWorld()
    const line = 'stty -echo; (echo 88001234; echo 61234567; echo abc; read -r answer </dev/tty) | payctl phone'
    const terminal = openShell(line, { env: surroundings(emulator), columns: 80 })
    await terminal.shows('3 numbers: 1 found, 1 not found, 1 invalid')
    await terminal.answer(/^88001234 +María F/m, keys.enter)
    await terminal.shows('error: 1 of 3 invalid. 1 not found.')
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).not.toContain('3 numbers')
    expect(terminal.screen).toMatch(/^PHONE NUMBER +NAME/)
    expect(terminal.screen).toMatch(/^61234567 +not_found\n +6123 4567 is not registered in SINPE Móvil/m)
  })

  it.each([80, 140])('put rows under their heading that come later than others, on %i columns', async (columns) => {
    const { emulator } = await startWorld()
    const service = await holdAnswers(emulator.baseUrl)
    const env = { ...surroundings(emulator), PAYCTL_BASE_URL: service.url }
    const terminal = openPayctl(['phone', '12', '88001234', '87000001', '61234567'], { env, columns })
    for (const number of ['12', '88001234', '87000001', '61234567']) {
      service.release(number)
      await terminal.shows(new RegExp(`^${number} `, 'm'))
    }
    expect(await terminal.ended).toBe(2)
    const lines = terminal.screen.split('\n').filter((line) => /^(PHONE|\d)/.test(line))
    const place = lines[0]?.indexOf('STATUS') ?? 0
    const statuses = ['STATUS', 'invalid', 'registered', 'registered', 'not_found']
    expect(lines.map((line) => line.slice(place - 2))).toEqual(statuses.map((status) => `  ${status}`))
    expect(lines[2]).toMatch(/^88001234 {6}María Fernández Rojas /)
  })

  it('keep what they have shown when they are interrupted', async () => {
    const { emulator } = await startWorld()
    const terminal = openPayctl(['phone', '-'], { env: surroundings(emulator) })
    terminal.type(`88001234${keys.enter}`)
    await terminal.answer('María Fernández Rojas', keys.interrupt)
    expect(await terminal.ended).toBe(130)
    await terminal.shows('Stopped after 1 number: 1 found, 0 not found.')
  })

  it('show no progress with --quiet, and none of it goes into a file', async () => {
    const { emulator } = await startWorld()
    const env = surroundings(emulator)
    const quiet = openShell('printf "88001234\\n88005678\\n" | payctl phone --quiet', { env, columns: 120 })
    expect(await quiet.ended).toBe(0)
    expect(quiet.written).not.toContain('numbers')
    const piped = openShell('printf "88001234\\n88005678\\n" | payctl phone | wc -l', { env })
    expect(await piped.ended).toBe(0)
    expect(piped.screen).toMatch(/^\s*3$/m)
  })
})

describe('an empty list at a narrow terminal', () => {
  it('has the command that comes next on one line, to be copied', async () => {
    const env = { PAYCTL_CONFIG_DIR: await temporaryDirectory(), PAYCTL_BASE_URL: 'http://127.0.0.1:1' }
    const terminal = openPayctl(['payees', 'list'], { env, columns: 50 })
    expect(await terminal.ended).toBe(0)
    expect(terminal.written).toBe('No payees. Save one:\r\n  payctl payees add <name> --to <iban>\r\n')
  })
})

describe('history --follow at a terminal', () => {
  it.each([[80], [120]])('of %i columns prints a line for each payment as it comes', async (columns) => {
    const { emulator, pay } = await startWorld()
    const before = await pay(carlos, 150_025)
    const argv = ['payments', 'history', '--follow', '--interval', '100ms']
    const terminal = openPayctl(argv, { env: surroundings(emulator), columns })
    await terminal.shows(/^ {3}TODAY \(UTC\) +AMOUNT +(?:FEE {2})?PAYEE OR PAYER +RAIL +ID$/m)
    await terminal.shows(
      new RegExp(`^\\. {2}\\d\\d:\\d\\d +-1,500\\.25 CRC {2,}Carlos .+ ${before.id.slice(-8)}$`, 'm'),
    )
    const after = await pay(carlos)
    await terminal.answer(after.id.slice(-8), keys.interrupt)
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen).not.toContain('error')
    expect(Math.max(...terminal.screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
  })
})
