import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { errorMessage } from '../../src/errors/cli_error.ts'
import { parseAmount } from '../../src/values/amount.ts'

const usage = `Runs the conformance suite against any server of the interface.

  PAYCTL_TOKEN=<token> npm run conformance -- --base-url <url> [--allow-payments <most in all>] [vitest options]

  --base-url <url>                 where the server is, for example http://127.0.0.1:4010
  --allow-payments <most in all>   in major units, 50.00: all payments of the run together ask for no more than this

The token, from PAYCTL_TOKEN, has every scope and is of a user with money in an account in CRC and one in USD. A second one
without read-accounts can be given in CONFORMANCE_LIMITED_TOKEN.

At an emulator on this machine everything is tried. At any other server the run only reads, unless payments are allowed: then
it opens accounts, makes and deletes webhook subscriptions, and sends payments to the user's own accounts and to holders of
the demo's addresses, after a look at their names. Cases that prove what the emulator decided where the interface is silent,
and cases that have to steer the server, are listed as skipped. To try it: npx payctl emulate`

interface Run {
  readonly baseUrl: string
  readonly token: string
  /** Minor units; empty for a run that only reads. */
  readonly allowed: string
  readonly rest: readonly string[]
}

const own = ['base-url', 'allow-payments', 'token']

/** The run and what is left for vitest, or what is wrong with the arguments. */
function read(args: readonly string[], env: NodeJS.ProcessEnv): Run | string {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(own.map((name) => [name, { type: 'string' }])),
    strict: false,
    tokens: true,
  })
  const { 'base-url': baseUrl, 'allow-payments': most } = values
  if ('token' in values) return 'A token among the arguments is seen by all users of this machine: set PAYCTL_TOKEN.'
  if (typeof baseUrl !== 'string' || baseUrl === '') return '--base-url is missing.'
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return `--base-url is no http or https URL: ${baseUrl}`
  const token = env.PAYCTL_TOKEN
  if (!token) return 'PAYCTL_TOKEN is not set.'
  let allowed = ''
  try {
    if (most !== undefined) allowed = String(parseAmount(String(most), { name: '--allow-payments' }).minor)
  } catch (error) {
    return errorMessage(error)
  }
  const taken = new Set<number>()
  for (const each of tokens) {
    if (each.kind !== 'option' || !own.includes(each.name)) continue
    taken.add(each.index)
    if (!each.inlineValue) taken.add(each.index + 1)
  }
  return { baseUrl, token, allowed, rest: args.filter((_, at) => !taken.has(at)) }
}

async function run({ baseUrl, token, allowed, rest }: Run): Promise<number> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const which = ['--config', 'test/vitest.config.ts', 'test/conformance/remote.test.ts']
  const child = spawn(process.execPath, [vitest, 'run', ...which, '--reporter', 'verbose', ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CONFORMANCE_BASE_URL: baseUrl, CONFORMANCE_TOKEN: token, CONFORMANCE_ALLOWED: allowed },
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

const given = read(process.argv.slice(2), process.env)
if (typeof given === 'string') {
  console.error(`${given}\n\n${usage}`)
  process.exitCode = 2
} else process.exitCode = await run(given)
