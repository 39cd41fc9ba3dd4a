import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { EmulatorOptions } from '../../../emulator/index.ts'
import { startWorld } from '../../emulator/control/world.ts'
import { surroundings } from '../../support/payctl_process.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { keys, openPayctl, openShell } from '../../support/terminal.ts'
import { account, pageOf, startService } from '../payments/service.ts'

async function setUp(options: EmulatorOptions = {}) {
  const world = await startWorld(options)
  const home = await temporaryDirectory()
  const env = { ...surroundings(world.emulator), PAYCTL_STATE_DIR: home, PAYCTL_CONFIG_DIR: join(home, 'config') }
  const open = (argv: readonly string[], columns = 100) => openPayctl(argv, { env, columns })
  const run = (...argv: readonly string[]) => runPayctl(argv, { env })
  const payments = async () => (await world.client.call('payments.history')).data
  return { ...world, open, run, payments }
}

const phone = '8700-0001'
const carlos = 'Carlos Jiménez Mora'

describe('payments send', () => {
  it('asks for everything, then for a yes, and sends that', async () => {
    const { open, payments, colones } = await setUp()
    const terminal = open(['payments', 'send', '--json'])
    await terminal.shows(/From:\n❯ CR76 [\d ]+ 2,500,000\.00 CRC\n {2}CR32 [\d ]+ {3}10,000\.00 USD\n/)
    await terminal.answer(`María Fernández Rojas, ${colones}`, keys.enter)
    await terminal.answer('To (IBAN or phone):', `+506 ${phone}${keys.enter}`)
    await terminal.answer('Amount in CRC (balance 2,500,000.00 CRC):', `1500.25${keys.enter}`)
    await terminal.answer('Description (optional', `Almuerzo del viernes${keys.enter}`)
    await terminal.shows(/ {2}To +Carlos Jiménez Mora +8700 0001, SINPE Móvil\n/)
    await terminal.shows(/At +emulator on port \d+\s+no real money, as maria\.fernandez@example\.com/)
    await terminal.answer(`Send 1,500.25 CRC to ${carlos}? (y/N)`, `y${keys.enter}`)
    expect(await terminal.ended).toBe(0)
    expect(await payments()).toMatchObject([
      { amount: { value: 150_025, currency: 'CRC' }, payee: { name: carlos }, description: 'Almuerzo del viernes' },
    ])
  })

  it('asks only for what is missing, and takes no description for the default one', async () => {
    const { open, payments, colones } = await setUp()
    const terminal = open(['payments', 'send', '--from', colones, '--to', 'CR73015100100000000001'])
    await terminal.answer('Amount in CRC (balance 2,500,000.00 CRC):', `1${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    await terminal.answer('(y/N)', `n${keys.enter}`)
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).not.toMatch(/From:|To \(/)
    expect(await payments()).toEqual([])
  })

  it('says what is wrong with an answer, which can be corrected', async () => {
    const { open, colones } = await setUp()
    const terminal = open(['payments', 'validate', '--from', colones], 200)
    await terminal.answer('To (IBAN or phone):', `CR74 0151 0010 0000 0000 01${keys.enter}`)
    await terminal.shows('has a typing error: its check digits are 74, but the other digits give 73.')
    terminal.type(keys.backspace.repeat(27) + phone + keys.enter)
    await terminal.answer('Amount in CRC', `1,000${keys.enter}`)
    await terminal.answer('has two readings: 1000 or 1.00.', `${keys.backspace.repeat(5)}1000${keys.enter}`)
    await terminal.answer('Description', `Lunch${keys.enter}`)
    await terminal.answer('has 5 characters; the service takes 15 to 255.', keys.backspace.repeat(4) + keys.enter)
    await terminal.answer('has 1 character; the service takes 15 to 255.', keys.backspace + keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/^ {2}Channel +sinpe_movil$/m)
    expect(terminal.screen).not.toContain('--')
  })

  it('offers saved payees and those that were paid before, by name', async () => {
    const { open, run, payments, colones } = await setUp()
    await run('payees', 'add', 'proveedor-luz', '--to', 'CR70015200100000000002')
    await run('payments', 'send', '--from', colones, '--to', phone, '--amount', '1', '--yes')
    const terminal = open(['payments', 'send', '--from', colones])
    await terminal.shows(
      /❯ proveedor-luz {2}\S.+ {2}CR70 0152 0010 0000 0000 02\n {2}Carlos Jiménez Mora {2}8700 0001\n/,
    )
    terminal.type('jimenez')
    await terminal.shows(/jimenez\s*\n❯ Carlos Jiménez Mora {2}8700 0001\n/)
    terminal.type(keys.enter)
    await terminal.answer('Amount in CRC', `2${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    await terminal.answer('(y/N)', `y${keys.enter}`)
    expect(await terminal.ended).toBe(0)
    expect(await payments()).toMatchObject([{ payee: { name: carlos }, amount: { value: 200 } }, {}])
  })

  it('takes an IBAN that is typed among them, and says what is wrong with one', async () => {
    const { open, run, colones } = await setUp()
    await run('payees', 'add', 'luz', '--to', phone)
    const terminal = open(['payments', 'validate', '--from', colones], 200)
    await terminal.answer('To (a name, an IBAN or a phone):', 'CR74 0151 0010 0000 0000 01')
    await terminal.answer('its check digits are 74', keys.enter) // nothing to choose
    terminal.type(`${keys.backspace.repeat(27)}CR73 0151 0010 0000 0000 01`)
    await terminal.shows(/❯ CR73 0151 0010 0000 0000 01\n/)
    terminal.type(keys.enter)
    await terminal.answer('Amount in CRC', `2${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/^ *channel +pin$/im)
  })

  const answers = [
    ['From:', keys.enter],
    ['To (IBAN or phone):', `CR70015200100000000002${keys.enter}`],
    ['Amount in CRC', `1${keys.enter}`],
    ['Description', keys.enter],
    ['(y/N)', `y${keys.enter}`],
  ] as const

  it.each(answers.map(([question], at) => [question, answers.slice(0, at)] as const))(
    'sends nothing after Ctrl-C or Ctrl-D at the question %s',
    async (question, before) => {
      const { open, payments } = await setUp()
      for (const [key, code] of [
        [keys.interrupt, 130],
        [keys.endOfInput, 2],
      ] as const) {
        const terminal = open(['payments', 'send'])
        for (const [asked, answer] of before) await terminal.answer(asked, answer)
        await terminal.answer(question, key)
        expect(await terminal.ended).toBe(code)
        expect(terminal.screen).toMatch(code === 2 ? /error: .+ nothing was (done|sent)\./ : /error: Interrupted\./)
      }
      expect(await payments()).toEqual([])
    },
  )

  it.each(['Amount in CRC', '(y/N)'])('ends and sends nothing when the terminal goes away at %s', async (question) => {
    const { open, payments, colones } = await setUp()
    const amount = question === '(y/N)' ? ['--amount', '5'] : []
    const terminal = open(['payments', 'send', '--from', colones, '--to', phone, ...amount])
    await terminal.shows(question)
    terminal.hangUp()
    await terminal.ended
    expect(await payments()).toEqual([])
  })

  it('ends and sends nothing when reading the terminal fails at the question', async () => {
    const { emulator, payments, colones } = await setUp()
    const stdin = new PassThrough()
    const fail = () => stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO', syscall: 'read' }))
    const { code } = await runPayctl(['payments', 'send', '--from', colones, '--to', phone, '--amount', '5'], {
      env: surroundings(emulator),
      terminal: 100,
      stdin,
      onStderr: (text) => text.includes('(y/N)') && fail(),
    })
    expect(code).toBe(2)
    expect(await payments()).toEqual([])
  })

  it('writes its result to a file while it asks at the terminal', async () => {
    const { emulator, colones } = await setUp()
    const env = { ...surroundings(emulator), PAYCTL_STATE_DIR: await temporaryDirectory() }
    const line = `payctl payments validate --from ${colones} --to ${phone} > "$PAYCTL_STATE_DIR/out"; cat "$PAYCTL_STATE_DIR/out"`
    const terminal = openShell(line, { env })
    await terminal.answer('Amount in CRC', `5${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    await terminal.shows(/^channel +fee +currency$/m)
    expect(await terminal.ended).toBe(0)
  })

  it('fits a narrow terminal, and one that becomes narrower', async () => {
    const { open, payments } = await setUp()
    const terminal = open(['payments', 'send'], 40)
    await terminal.shows('↑↓ navigate')
    terminal.resize(30, 20)
    terminal.type(keys.enter)
    await terminal.answer('To (IBAN or phone):', `${phone}${keys.enter}`)
    await terminal.answer(/Amount in CRC/, `5${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    await terminal.answer('(y/N)', `y${keys.enter}`)
    expect(await terminal.ended).toBe(0)
    expect(await payments()).toHaveLength(1)
  })

  it('asks for the id of the account when the token may not list them', async () => {
    const { steer, emulator } = await setUp()
    const { token } = await steer('control.tokens.mint', { body: { scopes: ['send-payments'] } })
    const env = { ...surroundings({ ...emulator, token }), PAYCTL_STATE_DIR: await temporaryDirectory() }
    const terminal = openPayctl(['payments', 'validate', '--to', phone], { env })
    await terminal.answer('From (account id):', `mine${keys.enter}`)
    await terminal.answer('Give a UUID like', keys.backspace.repeat(4) + emulator.accounts()[0]?.id + keys.enter)
    await terminal.answer('Amount, like 1500.25:', `5${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    expect(await terminal.ended).toBe(0)
  })

  it.each([
    ['without a balance', { currency: 'CRC' }, 'Amount in CRC:'],
    ['without a currency', { value: 1, formatted: '0.01 CRC' }, 'Amount, like 1500.25:'],
  ])('takes an account %s', async (_, balance, question) => {
    const service = await startService()
    const listed = { id: account, iban: 'CR61010200100000000001', owner_name: 'Ana Mora', status: 'active', balance }
    service.before = ({ path }) => (path === '/api/accounts' ? [200, pageOf([listed])] : undefined)
    const env = {
      ...surroundings({ baseUrl: service.url, token: 'x' }),
      PAYCTL_STATE_DIR: await temporaryDirectory(),
    }
    const terminal = openPayctl(['payments', 'validate', '--to', phone], { env })
    await terminal.answer(`Ana Mora, ${account}`, keys.enter)
    await terminal.answer(question, `5${keys.enter}`)
    await terminal.answer('Description', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).not.toMatch(/undefined|null/)
  })

  it('says how to open an account when there is none', async () => {
    const { open } = await setUp({ seed: 'empty' })
    const terminal = open(['payments', 'send'])
    expect(await terminal.ended).toBe(3)
    expect(terminal.screen).toContain('next:  payctl accounts create --currency CRC')
  })

  it.each([
    [['--no-input'], "required option '--from <account>' not specified"],
    [['--yes'], "required option '--from <account>' not specified"],
    [['--to', '123'], 'is not a phone or an IBAN'],
    [['--amount', '-1'], 'is negative'],
    [['--description', 'short'], 'has 5 characters'],
  ])('with %j asks nothing', async (flags, text) => {
    const { open } = await setUp()
    const terminal = open(['payments', 'send', ...flags])
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain(text)
    expect(terminal.screen).toMatch(/^error: /)
  })
})

describe('other commands', () => {
  it('accounts create asks for the currency', async () => {
    const { open, emulator } = await setUp()
    const terminal = open(['accounts', 'create'])
    await terminal.answer('Currency of the new account:', keys.down + keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(emulator.accounts()).toHaveLength(3)
    expect(emulator.accounts().at(-1)).toMatchObject({ currency: 'USD' })
  })

  it('accounts create opens none after Ctrl-C', async () => {
    const { open, emulator } = await setUp()
    const terminal = open(['accounts', 'create'])
    await terminal.answer('Currency of the new account:', keys.interrupt)
    expect(await terminal.ended).toBe(130)
    expect(emulator.accounts()).toHaveLength(2)
  })

  it.each([
    ['phone', 'Which number?', '8700', '-0001', 'is not a Costa Rican phone number'],
    ['iban', 'Which IBAN?', 'CR73 0151', ' 0010 0000 0000 01', 'is not a Costa Rican IBAN'],
  ])('%s asks for a value and shows its holder', async (command, question, start, rest, problem) => {
    const { open } = await setUp()
    const terminal = open([command])
    await terminal.answer(question, start + keys.enter)
    await terminal.answer(problem, rest + keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(new RegExp(`^ {2}Name +${carlos}$`, 'm'))
  })

  it('phone --no-input does not wait for a value', async () => {
    const { open } = await setUp()
    const terminal = open(['phone', '--no-input'])
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain("missing required argument 'number'")
  })
})
