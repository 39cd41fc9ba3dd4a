import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { parseArgs } from 'node:util'
import { checkedUrl } from '../../src/config/base_url.ts'
import { UsageError } from '../../src/errors/cli_error.ts'
import { parseAmount } from '../../src/values/amount.ts'
import { reportExtensions } from './report_files.ts'

export const usage = `Holds a server against the interface, case by case.

Usage: npm run conformance -- --base-url <url> [flags]

  --base-url <url>       where the server is; on another machine https
  --token-file <file>    file with the bearer token, - for standard input;
                         else the token is in PAYCTL_TOKEN
  --allow-payments       lets the run write: send payments, open accounts, make
                         and delete webhook subscriptions
  --account <id|IBAN>    the only account that may be debited, in CRC; required
                         with --allow-payments
  --max-amount <amount>  most that all payments together may ask for, 50.00;
                         cases that need more are left out
  --auth-url <url>       where the OAuth server is, for what can be tried there
                         without a login
  --client-id <id>       an OAuth client that is registered there; its secret is in
                         CONFORMANCE_CLIENT_SECRET
  --only <text>          cases with this in their name; may be repeated
  --report <file>        .json: every case; .md: the gaps; .xml: JUnit; may be
                         repeated
  --help

A run only reads, unless payments are allowed. Before it starts it says how many
payments it would send, and how much they ask for. They go to accounts of the same
user, and to payees of the demo if the service gives them the same names. At an
emulator on this machine there is no real money: the cases run in worlds that they
make there, and its other worlds stay as they are. If it has a control token, that
is in PAYCTL_CONTROL_TOKEN.

The token has every scope. A second one that has read-user alone can be given in
CONFORMANCE_LIMITED_TOKEN.

Each case ends as passed, as differs (what was expected, what was got) or as not
applicable, and why. Exit codes: 0 nothing differs, 1 something does, 2 wrong flags,
4 the token is not taken, 12 no answer, or none to some cases, 130 interrupted.

Examples:
  npx payctl emulate &
  PAYCTL_TOKEN=payctl-demo-token \\
    npm run conformance -- --base-url http://127.0.0.1:4010

  npm run conformance -- --base-url https://sandbox.example \\
    --token-file token --report gaps.md

  npm run conformance -- --base-url https://sandbox.example \\
    --token-file token --only 'the interface: paying' --allow-payments \\
    --account CR05015202001026284066 --max-amount 20.00 --report results.json`

export interface Arguments {
  readonly baseUrl: string
  readonly token: string
  /** Control token of the emulator, if it has one. */
  readonly controlToken: string | undefined
  readonly authUrl: string | undefined
  readonly clientId: string | undefined
  readonly allowsPayments: boolean
  /** Id or IBAN. */
  readonly account: string | undefined
  /** Minor units. */
  readonly maxAmount: number | undefined
  readonly only: readonly string[]
  readonly reports: readonly string[]
}

const options = {
  'base-url': { type: 'string' },
  'token-file': { type: 'string' },
  token: { type: 'string' },
  'allow-payments': { type: 'boolean', default: false },
  account: { type: 'string' },
  'max-amount': { type: 'string' },
  'auth-url': { type: 'string' },
  'client-id': { type: 'string' },
  only: { type: 'string', multiple: true },
  report: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Throws UsageError. */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Arguments | 'help' {
  const values = parsed(args)
  if (values.help) return 'help'
  if (values.token !== undefined) {
    throw new UsageError(
      'A token among the arguments is seen by all users of this machine.',
      'Use --token-file or PAYCTL_TOKEN',
    )
  }
  const { 'base-url': baseUrl, 'allow-payments': allowsPayments, 'max-amount': most, account } = values
  const { 'auth-url': authUrl, 'client-id': clientId } = values
  if (!baseUrl)
    throw new UsageError('--base-url is missing: where is the server?', 'For an emulator: http://127.0.0.1:4010')
  const token = tokenFrom(values['token-file'], env)
  if (most !== undefined && !allowsPayments) {
    throw new UsageError('--max-amount limits payments, and none are allowed.', 'Add --allow-payments, or leave it out')
  }
  if (clientId !== undefined && (authUrl === undefined || !env.CONFORMANCE_CLIENT_SECRET)) {
    throw new UsageError(
      '--client-id is of use only with --auth-url and the client’s secret.',
      'Add --auth-url, and set CONFORMANCE_CLIENT_SECRET',
    )
  }
  const given = most === undefined ? undefined : parseAmount(most, { name: '--max-amount' })
  if (given?.currency === 'USD')
    throw new UsageError('--max-amount is in USD, and all cases pay in CRC.', 'Give it in CRC')
  return {
    baseUrl: checkedUrl(baseUrl, '--base-url', token),
    token,
    controlToken: env.PAYCTL_CONTROL_TOKEN || undefined,
    authUrl: authUrl === undefined ? undefined : checkedUrl(authUrl, '--auth-url', env.CONFORMANCE_CLIENT_SECRET ?? ''),
    clientId,
    allowsPayments,
    account,
    maxAmount: given?.minor,
    only: values.only ?? [],
    reports: (values.report ?? []).map(checkedReport),
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(...complaintOf(error as NodeJS.ErrnoException))
  }
}

/** Describes a problem of the arguments and its remedy in the words of this command. */
function complaintOf({ code, message }: NodeJS.ErrnoException): [string, string] {
  const [, name = ''] = /'(.*?)(?: <value>)?'/.exec(message) ?? []
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return [`${name} is no flag of this command.`, 'See --help']
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    return [`"${name}" belongs to no flag.`, 'The most that payments may ask for is given as --max-amount; see --help']
  }
  const takesOne = message.includes('argument missing') || message.includes('ambiguous')
  return takesOne ? [`${name} needs a value.`, 'See --help'] : [`${name} takes no value.`, 'See --help']
}

function tokenFrom(file: string | undefined, env: NodeJS.ProcessEnv): string {
  const [where, text] = file === undefined ? ['PAYCTL_TOKEN', env.PAYCTL_TOKEN ?? ''] : [file, contents(file)]
  const token = text.trim()
  if (token === '' && file === undefined)
    throw new UsageError('No token is set.', 'Set PAYCTL_TOKEN, or give --token-file <file>')
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`${where} does not hold a token and nothing else.`, 'Write one line')
  return token
}

function contents(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`--token-file ${file} can’t be read (${code}).`, 'Give a file that holds the token')
  }
}

function checkedReport(file: string): string {
  if (!reportExtensions.includes(extname(file))) {
    throw new UsageError(`--report ${file}: its ending says no format.`, 'Use .json, .md or .xml')
  }
  if (!existsSync(dirname(file)))
    throw new UsageError(`--report ${file}: the folder does not exist.`, `mkdir -p ${dirname(file)}`)
  return file
}
