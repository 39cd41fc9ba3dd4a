import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditLine } from '../../src/audit/audit.ts'
import { account, isPayment, phone, startService } from '../commands/payments/service.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { type RunOptions, startMain, startProcess } from '../support/running.ts'

export const token = 'token-of-the-test'

/** A service, and a machine with payctl that pays there. */
export async function limitedPayctl() {
  const service = await startService()
  const folder = await temporaryDirectory()
  const env: Readonly<Record<string, string>> = {
    PAYCTL_BASE_URL: service.url,
    PAYCTL_TOKEN: token,
    PAYCTL_STATE_DIR: join(folder, 'state'),
    PAYCTL_CONFIG_DIR: join(folder, 'config'),
    NO_COLOR: '1',
  }
  const whole = (options: Partial<RunOptions>) => ({ input: '', ...options, env: { ...env, ...options.env } })
  /** Runs payctl in this process, even in the full tests: these matrices test limits, not processes. */
  const start = (argv: readonly string[], options: Partial<RunOptions> = {}) => startMain(argv, whole(options))
  const run = (...argv: readonly string[]) => start(argv)
  return {
    service,
    folder,
    env,
    start,
    /** Runs the built payctl as a process. */
    startProcess: (argv: readonly string[], options: Partial<RunOptions> = {}) => startProcess(argv, whole(options)),
    run,
    /** Sets limits. Fails if payctl refuses the limits. */
    async limit(...flags: readonly string[]) {
      const { exitCode, stderr } = await run('limits', 'set', ...flags)
      if (exitCode !== 0) throw new Error(stderr)
    },
    send: (amount: string, ...more: readonly string[]) => run(...sending(amount), '--yes', ...more),
    /** Writes a file and returns its path. */
    file(name: string, content: string): string {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    /** The lines of the audit file. */
    audited: (): readonly AuditLine[] =>
      readFileSync(join(folder, 'state', 'audit.ndjson'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    /** Number of requests that would make a payment. */
    requested: () => service.received.filter(isPayment).length,
  }
}

export type LimitedPayctl = Awaited<ReturnType<typeof limitedPayctl>>

export const sending = (amount: string): readonly string[] => [
  ...['payments', 'send', '--from', account, '--to', phone, '--amount', amount],
]

/** Arguments of a payment by `payctl api`; `amount` in minor units. */
export const sendingRaw = (key: string, amount = 100): readonly string[] => [
  ...['api', 'POST', '/api/payments', '--header', `X-Idempotency-Key: ${key}`, '--retries', '0'],
  ...['-f', `source_account_id=${account}`, '-F', `amount=${amount}`, '-f', `recipient_phone=${phone}`],
]

/** The content of a file with a row for each amount. */
export const rowsOf = (...amounts: readonly string[]): string =>
  [
    'to,amount,description,from',
    ...amounts.map((amount, at) => `${phone},${amount},Payment ${at} of this test,${account}`),
  ].join('\n')
