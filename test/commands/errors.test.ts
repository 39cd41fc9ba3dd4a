import { describe, expect, it } from 'vitest'
import { CliError } from '../../src/errors/cli_error.ts'
import { toRun } from '../../src/errors/next_step.ts'
import { report } from '../../src/run/report.ts'
import { startWorld } from '../emulator/control/world.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { Captured } from '../support/run_payctl.ts'

async function atEmulator() {
  const world = await startWorld()
  const { emulator } = world
  const { run } = await freshMachine()
  const env = { PAYCTL_TOKEN: emulator.token }
  return {
    world,
    emulator,
    run: (...argv: readonly string[]) => run([...argv, '--base-url', emulator.baseUrl], { env }),
  }
}

describe('an error', () => {
  it('of a payment beyond the balance says the balance, and names the intent', async () => {
    const { world, emulator, run } = await atEmulator()
    await world.steer('control.accounts.set', { params: { id: world.colones }, body: { balance: 150_025 } })
    const send = ['payments', 'send', '--from', world.colones, '--to', '87000001', '--amount', '2000', '--yes']
    const { code, stdout, stderr } = await run(...send)
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toMatch(
      /^error: Insufficient balance: the account had 1,500.25 CRC at \S.* \(UTC.*\). Nothing was taken\.$/m,
    )
    expect(stderr).toContain(`next:  payctl accounts list --base-url ${emulator.baseUrl}`)

    for (const checked of [
      [...send, '--dry-run'],
      ['payments', 'validate', ...send.slice(2, -1)],
    ]) {
      expect(await run(...checked)).toMatchObject({
        code: 7,
        stderr: expect.stringMatching(/^error: Insufficient balance: the account had 1,500.25 CRC at/m),
      })
    }

    const { error } = JSON.parse((await run(...send, '--json')).stderr.trimEnd().split('\n').at(-1) ?? '')
    expect(error).toMatchObject({
      status: 422,
      errors: { amount: ['Insufficient balance'] },
      next_command: ['payctl', 'accounts', 'list', '--base-url', emulator.baseUrl],
      intent_id: expect.stringMatching(/^int_/),
      payment_id: null,
    })
  })

  it('has as its next command one that can be run as it is', async () => {
    const { run } = await atEmulator()
    const { code, stderr } = await run('payments', 'resume', 'int_000000000000', '--json')
    expect(code).toBe(3)
    const [, ...next] = JSON.parse(stderr).error.next_command
    expect((await run(...next.slice(0, -2))).code).toBe(0)
  })
})

describe('on a terminal', () => {
  it('words are wrapped at words, and the command stays in one line', async () => {
    const stderr = Object.assign(new Captured(), { isTTY: true, columns: 30 })
    const words = 'Look at it before you send it once more'
    const error = new CliError('usage', 'The payment cannot be sent because of its amount.', toRun(['payments'], words))
    await report(error, {
      stderr,
      json: false,
      colour: false,
      debug: false,
      interrupted: false,
      adviceOf: async () => ({ words, command: ['payctl', 'payments', 'get', 'a b', '--profile', 'production'] }),
    })
    expect(stderr.text).toBe(
      [
        'error: The payment cannot be',
        '  sent because of its amount.',
        '  Look at it before you send',
        '  it once more:',
        "next:  payctl payments get 'a b' --profile production",
        '',
      ].join('\n'),
    )
  })
})
