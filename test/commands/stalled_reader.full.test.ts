import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { surroundings } from '../support/payctl_process.ts'
import { payctlCommand } from '../support/program.ts'
import { startStub, success } from '../support/stub.ts'
import { pageOf, paymentOf } from './payments/service.ts'
import { rig } from './webhooks/rig.ts'

/** The built payctl with a pipe for stdout that is read only on request. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(...payctlCommand(args), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const says = async (text: string) => {
    let said = ''
    for await (const chunk of child.stderr) {
      said += chunk
      if (said.includes(text)) return
    }
  }
  return { child, ended, says }
}

/** Text that is longer than the buffer of any pipe. */
const description = 'x'.repeat(4 * 1024 * 1024)

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends what writes to somebody who does not read', async (signal) => {
  const payment = { ...paymentOf({ body: { amount: 1 }, key: 'k' }), description }
  const stub = await startStub([200, success(pageOf([payment, payment]))])
  const env = surroundings({ baseUrl: stub.url, token: 't' })
  for (const flags of [['--json'], ['--all', '-o', 'ndjson'], ['--follow', '-o', 'csv']]) {
    const { child, ended } = start(['payments', 'history', ...flags], env)
    await once(child.stdout, 'readable')
    child.kill(signal)
    expect(await ended, flags.join(' ')).toBe(130)
  }
})

it('a tail that nobody reads ends, and leaves nothing behind', async () => {
  const { env, pay, settle, subscriptions } = await rig()
  const { child, ended, says } = start(['webhooks', 'tail', '--print-body', '-o', 'csv'], env)
  await says('Ctrl-C stops.')
  for (let count = 0; count < 250; count += 1) await pay()
  await settle()
  child.kill('SIGTERM')
  expect({ code: await ended, left: await subscriptions() }).toEqual({ code: 0, left: [] })
})
