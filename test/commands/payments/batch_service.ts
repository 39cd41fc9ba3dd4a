import { builtPayctl } from './built_payctl.ts'
import { account, phone, startService } from './service.ts'

/** The content of a file of `count` payments: 1.10, 1.11 and so on. */
export const fileOf = (count: number): string =>
  ['to,amount,description,from', ...Array.from({ length: count }, (_, at) => `${phone},1.${10 + at},,${account}`)].join(
    '\n',
  )

/** A service that a test can make fail, the built payctl, and a file of `count` payments for it. */
export async function setUp(count: number) {
  const service = await startService()
  const cli = builtPayctl({ base_url: service.url, token: 'token-of-the-test' })
  const file = cli.file('a.csv', fileOf(count))
  const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson', '--retries', '0']
  return { service, cli, file, argv, batch: (...flags: readonly string[]) => cli.run(...argv, ...flags) }
}
