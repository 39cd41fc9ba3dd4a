import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../emulator/control/world.ts'
import { surroundings } from '../../support/payctl_process.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { keys, openPayctl } from '../../support/terminal.ts'

async function setUp() {
  const world = await startWorld()
  const home = await temporaryDirectory()
  const env = { ...surroundings(world.emulator), PAYCTL_STATE_DIR: home, PAYCTL_CONFIG_DIR: join(home, 'config') }
  const run = (...argv: readonly string[]) => runPayctl(argv, { env })
  const open = (...argv: readonly string[]) =>
    openPayctl(['payments', 'send', '--from', world.colones, ...argv], { env })
  const payments = async () => (await world.client.call('payments.history')).data
  return { ...world, run, open, payments }
}

const description = 'Almuerzo del viernes'
const yes = `y${keys.enter}`

describe('payments send asks again, with what was typed, when a value is refused', () => {
  test('by the service, before the question', async () => {
    const { open, payments } = await setUp()
    const terminal = open('--to', '87000001')
    await terminal.answer('Amount in CRC', `3000000${keys.enter}`)
    await terminal.answer('Description', description + keys.enter)

    await terminal.shows('Refused: Insufficient balance')
    await terminal.shows('Nothing was taken.')
    await terminal.answer(/Amount in CRC.* 3000000\.00$/, keys.backspace.repeat(8) + keys.enter)
    await terminal.answer('Send 30.00 CRC to Carlos', yes)

    expect(await terminal.ended).toBe(0)
    expect(await payments()).toMatchObject([{ amount: { value: 3000 }, description }])
  })

  test('by the service, when the payment is sent', async () => {
    const { open, payments, pay } = await setUp()
    const terminal = open('--to', '87000001')
    await terminal.answer('Amount in CRC', `2400000${keys.enter}`)
    await terminal.answer('Description', description + keys.enter)
    await terminal.shows('Send 2,400,000.00 CRC')
    await pay({ recipient_phone: '87000001' }, 249_900_000)
    terminal.type(yes)

    await terminal.shows(/Refused: Insufficient balance: the account had 1,000\.00 CRC/)
    await terminal.answer(/Amount in CRC.* 2400000\.00$/, `${keys.backspace.repeat(10)}15${keys.enter}`)
    await terminal.answer('Send 15.00 CRC to Carlos', yes)

    expect(await terminal.ended).toBe(0)
    const [sent] = await payments()
    expect(sent).toMatchObject({ amount: { value: 1500 }, description })
  })

  test('by a limit of the profile', async () => {
    const { open, run, payments } = await setUp()
    expect(await run('limits', 'set', '--per-payment', '1000', 'CRC')).toMatchObject({ code: 0 })
    const terminal = open('--to', '87000001')
    await terminal.answer('Amount in CRC', `1500${keys.enter}`)
    await terminal.answer('Description', keys.enter)

    await terminal.shows('Refused: The limits of profile')
    await terminal.answer(/Amount in CRC.* 1500\.00$/, `${keys.backspace.repeat(7)}500${keys.enter}`)
    await terminal.answer('Send 500.00 CRC to Carlos', yes)

    expect(await terminal.ended).toBe(0)
    expect(await payments()).toMatchObject([{ amount: { value: 50_000 } }])
  })

  test('for a recipient that the service does not know', async () => {
    const { open, payments } = await setUp()
    const terminal = open('--amount', '5')
    await terminal.answer('To (IBAN or phone):', `6123 4567${keys.enter}`)
    await terminal.answer('Description', keys.enter)

    await terminal.shows('Refused: ')
    await terminal.answer(/To \(a name, an IBAN or a phone\): 6123 4567$/, keys.backspace.repeat(9))
    terminal.type(`8700 0001${keys.enter}`)
    await terminal.answer('Send 5.00 CRC to Carlos', yes)

    expect(await terminal.ended).toBe(0)
    expect(await payments()).toMatchObject([{ payee: { phone_number: '87000001' } }])
  })
})

describe('payments send ends with the refusal', () => {
  test('when nobody answers again', async () => {
    const { open, payments } = await setUp()
    const terminal = open('--to', '87000001')
    await terminal.answer('Amount in CRC', `3000000${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    await terminal.answer(/Amount in CRC.* 3000000\.00$/, keys.endOfInput)

    expect(await terminal.ended).toBe(7)
    expect(terminal.screen).toContain('error: Insufficient balance')
    expect(await payments()).toEqual([])
  })

  test('when every value was a flag', async () => {
    const { open } = await setUp()
    const terminal = open('--to', '87000001', '--amount', '3000000')

    expect(await terminal.ended).toBe(7)
    expect(terminal.screen).not.toContain('Amount in CRC')
  })

  test('when the key was given: it names that payment', async () => {
    const { open } = await setUp()
    const terminal = open('--to', '87000001', '--idempotency-key', 'order-17')
    await terminal.answer('Amount in CRC', `3000000${keys.enter}`)
    await terminal.answer('Description', keys.enter)

    expect(await terminal.ended).toBe(7)
  })
})
