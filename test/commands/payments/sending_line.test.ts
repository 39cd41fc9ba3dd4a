import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { startRun } from '../../support/started.ts'
import { keys, openPayctl } from '../../support/terminal.ts'
import { account, initiated, loseAnswers, phone, type Service, startService } from './service.ts'

const setUp = async () => {
  const service = await startService()
  const folder = await temporaryDirectory()
  const env = {
    PAYCTL_BASE_URL: service.url,
    PAYCTL_TOKEN: 'token-of-the-test',
    PAYCTL_STATE_DIR: join(folder, 'state'),
    PAYCTL_CONFIG_DIR: join(folder, 'config'),
    NO_COLOR: '1',
  }
  const send = ['payments', 'send', '--from', account, '--to', phone, '--amount', '10']
  return {
    service,
    open: (...more: readonly string[]) => openPayctl([...send, ...more], { env }),
    run: (...argv: readonly string[]) => startRun(argv, { env, input: '' }),
    send: (...more: readonly string[]) => startRun([...send, ...more, '--yes'], { env, input: '' }),
  }
}

const idIn = ({ payments }: Service): string => [...payments.values()].at(-1)?.id ?? ''

/** Delays the answer to the payment. Resolves when the payment has been made, with a function that sends the answer. */
const heldAnswer = (service: Service): Promise<() => void> =>
  new Promise((resolve) => {
    service.afterCommit = (_, response) => {
      const data = initiated([...service.payments.values()].at(-1) as never)
      const body = JSON.stringify({ success: true, message: 'Done', data })
      resolve(() => response.writeHead(201, { 'Content-Type': 'application/json' }).end(body))
      return 'handled'
    }
  })

describe('on a terminal one line', () => {
  test('says that a payment is being sent, then that it has been', async () => {
    const { service, open } = await setUp()
    const held = heldAnswer(service)
    const terminal = open()

    await terminal.answer('Send 10.00 CRC to Luis Solano?', `y${keys.enter}`)
    await terminal.shows('Sending 10.00 CRC to Luis Solano')
    const answer = await held
    answer()

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toContain(`. 10.00 CRC to Luis Solano, sent, pending   ${idIn(service).slice(-5)}`)
    expect(terminal.screen).not.toContain('Sending')
    expect(terminal.screen.match(/pending/g)).toHaveLength(1)
  })

  test('changes until the payment has ended, and says how long that took', async () => {
    const { service, open } = await setUp()
    service.statuses = ['pending', 'processing', 'completed']
    const terminal = open('--yes', '--wait')

    await terminal.shows('sent, processing')

    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/^\+ 10\.00 CRC to .+, completed in \d+\.\d s {3}[0-9a-f]{5}$/m)
    expect(terminal.screen).not.toContain('processing')
  })

  test('claims nothing of a payment whose answer was lost', async () => {
    const { service, open } = await setUp()
    loseAnswers(service)
    const terminal = open('--yes', '--retries', '0')

    expect(await terminal.ended).toBe(10)
    expect(terminal.screen).not.toMatch(/, sent|completed|^Sending 10\.00 to Luis/m)
  })
})

test('the currency of the account is known once a payment has shown it, without another request', async () => {
  const { service, send, run } = await setUp()

  const first = await send()
  const asked = service.received.length
  const second = await send()

  expect(first.stderr).toMatch(/^Sending 10\.00 to/)
  expect(second.stderr).toMatch(/^Sending 10\.00 CRC to/)
  expect(service.received.length - asked).toBe(1)
  const intents = JSON.parse((await run('payments', 'intents', '--json')).stdout)
  expect(intents.map(({ currency }: { currency: string }) => currency)).toEqual(['CRC', 'CRC'])
  const audit = JSON.parse((await run('audit', '--json')).stdout)
  expect(audit.map(({ currency }: { currency: string }) => currency)).toEqual([null, 'CRC', 'CRC', 'CRC'])
  expect((await run('payments', 'intents', '-o', 'table')).stdout).toContain('10.00 CRC')
})

test('an account that --from names by its currency has it from the start', async () => {
  const { send } = await setUp()

  expect((await send('--from', 'CRC')).stderr).toMatch(/^Sending 10\.00 CRC to/m)
})
