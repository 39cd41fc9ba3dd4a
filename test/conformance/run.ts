import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const usage = `Runs the conformance suite against any server of the interface.

  npm run conformance -- --base-url <url> --token <token> [vitest options]

  --base-url <url>   where the server is, for example http://127.0.0.1:4010
  --token <token>    a bearer token with every scope, of a user with money in an account in CRC and one in USD

The suite opens accounts, sends payments of a few minor units between them, and makes and deletes webhook subscriptions.
Cases that have to steer the server are listed as skipped. To try it: npx payctl emulate`

interface Target {
  readonly baseUrl: string
  readonly token: string
  readonly rest: readonly string[]
}

/** The target and what is left for vitest, or what is wrong with the arguments. */
function read(args: readonly string[]): Target | string {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: { 'base-url': { type: 'string' }, token: { type: 'string' } },
    strict: false,
    tokens: true,
  })
  const { 'base-url': baseUrl, token } = values
  if (typeof baseUrl !== 'string' || baseUrl === '') return '--base-url is missing.'
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return `--base-url is no http or https URL: ${baseUrl}`
  if (typeof token !== 'string' || token === '') return '--token is missing.'
  const taken = new Set<number>()
  for (const each of tokens) {
    if (each.kind !== 'option' || !(each.name === 'token' || each.name === 'base-url')) continue
    taken.add(each.index)
    if (!each.inlineValue) taken.add(each.index + 1)
  }
  return { baseUrl, token, rest: args.filter((_, at) => !taken.has(at)) }
}

async function run({ baseUrl, token, rest }: Target): Promise<number> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const which = ['--config', 'test/vitest.config.ts', 'test/conformance/remote.test.ts']
  const child = spawn(process.execPath, [vitest, 'run', ...which, '--reporter', 'verbose', ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CONFORMANCE_BASE_URL: baseUrl, CONFORMANCE_TOKEN: token },
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

const target = read(process.argv.slice(2))
if (typeof target === 'string') {
  console.error(`${target}\n\n${usage}`)
  process.exitCode = 2
} else process.exitCode = await run(target)
