import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { account, iban, isPayment, loseAnswers, type Service, startService } from '../commands/payments/service.ts'
import { payctlInShell } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const guide = readFileSync(new URL('../../docs/guide/exit-codes.md', import.meta.url), 'utf8')
const [, script = ''] = /```sh\n([\s\S]*?)```/.exec(guide) ?? []

/** A machine with payctl on its PATH, and the guide's script on it, unchanged. */
async function machine(service: Service) {
  const home = await temporaryDirectory()
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'payctl'), `#!/bin/sh\nexec ${payctlInShell} "$@"\n`)
  chmodSync(join(home, 'bin', 'payctl'), 0o755)
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    PAYCTL_BASE_URL: service.url,
    PAYCTL_TOKEN: 'token-of-the-test',
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    ...{ ORDER: '17', ACCOUNT: account, IBAN: iban, AMOUNT: '1500.25' },
  }
  const start = (command: string, args: readonly string[]) =>
    execa(command, args, { cwd: home, env, extendEnv: false, reject: false })
  return {
    payctl: (...args: readonly string[]) => start('payctl', args),
    async run(shell = 'bash') {
      const { exitCode, stderr } = await start(shell, ['-c', script])
      return { code: exitCode, stderr, written: readFileSync(join(home, 'payment.json'), 'utf8') }
    },
  }
}

const keysOf = (json: string): readonly string[] => Object.keys(JSON.parse(json))

test('the script of the guide pays once and has a payment of one shape, whatever became of the answer', async () => {
  const service = await startService()
  const plain = await (await machine(service)).run()
  const fresh = await machine(service)
  const sending = ['payments', 'send', '--from', account, '--to', iban, '--amount', '1', '--yes', '--retries', '0']
  loseAnswers(service)
  await fresh.payctl(...sending) // a second payment in doubt, which the script must ignore
  const other = service.received.at(-1)?.key
  let answers = 0
  service.afterCommit = (_, response) => {
    answers += 1
    if (answers > 4) return undefined // the script's first command gives up after four attempts
    response.destroy()
    return 'handled'
  }
  service.payments.clear()

  const lost = await fresh.run()
  const again = await fresh.run('sh')

  const [payment] = service.payments.values()
  expect([plain.code, lost.code, again.code]).toEqual([0, 0, 0])
  expect(service.payments.size).toBe(1)
  expect(service.received.filter((request) => isPayment(request) && request.key === other)).toHaveLength(1)
  for (const { written } of [lost, again]) {
    expect(JSON.parse(written)).toMatchObject({ id: payment?.id, idempotency_key: 'order-17' })
    expect(keysOf(written)).toEqual(keysOf(plain.written))
  }
})

test.each([
  ['a conflict that lasts', 409, 10],
  ['a refusal', 422, 7],
  ['a rate limit', 429, 75],
])('after %s it ends with the code that says so, and without a payment', async (_, status, expected) => {
  const service = await startService()
  service.before = (request, response) => {
    response.setHeader('Retry-After', '0')
    return isPayment(request) ? [status, 'Not now'] : undefined
  }

  const { code, stderr, written } = await (await machine(service)).run()

  expect({ code, written }).toEqual({ code: expected, written: '' })
  if (code !== 75) expect(stderr).toMatch(/"intent_id":"int_\w+"/)
})
