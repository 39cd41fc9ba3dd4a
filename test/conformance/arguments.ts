import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { parseArgs } from 'node:util'
import { checkedUrl } from '../../src/config/base_url.ts'
import { UsageError } from '../../src/errors/cli_error.ts'
import { parseAmount } from '../../src/values/amount.ts'
import { reportExtensions } from './report_files.ts'

export const usage = `Checks a server against the interface, case by case.

Usage: npm run conformance -- --base-url <url> [flags]

  --base-url <url>       URL of the server; on another machine it must be https
  --token-file <file>    file with the bearer token, - for standard input;
                         default: the token in PAYCTL_TOKEN
  --allow-payments       allows the run to send payments, open accounts, and
                         create and delete webhook subscriptions
  --account <id|IBAN>    the only account that may be debited, in CRC; required
                         with --allow-payments
  --max-amount <amount>  maximum sum of all requested payments, such as 50.00;
                         cases that need more are left out
  --auth-url <url>       URL of the OAuth server, for the cases that need no login
  --client-id <id>       an OAuth client that is registered there; its secret is in
                         CONFORMANCE_CLIENT_SECRET
  --only <text>          only cases whose names contain the text; may be repeated
  --report <file>        .json: every case; .md: the differences; .xml: JUnit;
                         may be repeated
  --help

A run only reads, unless payments are allowed. Before the first case it prints the
number of payments that it would send, and their sum. Payments go to accounts of the
same user, and to payees of the demo if they have the same names at the service. An
emulator on this machine has no real money: the cases run in worlds that they make
there, and do not change its other worlds. If the emulator has a control token, set
PAYCTL_CONTROL_TOKEN.

The token must have every scope. You can give a second token, with the scope
read-user alone, in CONFORMANCE_LIMITED_TOKEN.

The result of each case is passed, differs (with the expected and the received value)
or not applicable (with the reason). Exit codes: 0 nothing differs, 1 something
differs, 2 wrong flags, 4 the token is not accepted, 12 the server did not answer some
or all of the cases, 130 interrupted.

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
      'All users of this machine can see a token among the arguments.',
      'Use --token-file or PAYCTL_TOKEN',
    )
  }
  const { 'base-url': baseUrl, 'allow-payments': allowsPayments, 'max-amount': most, account } = values
  const { 'auth-url': authUrl, 'client-id': clientId } = values
  if (!baseUrl)
    throw new UsageError(
      '--base-url is missing: it is the URL of the server.',
      'For an emulator: http://127.0.0.1:4010',
    )
  const token = tokenFrom(values['token-file'], env)
  if (most !== undefined && !allowsPayments) {
    throw new UsageError(
      '--max-amount limits payments, but no payments are allowed.',
      'Add --allow-payments, or leave --max-amount out',
    )
  }
  if (clientId !== undefined && (authUrl === undefined || !env.CONFORMANCE_CLIENT_SECRET)) {
    throw new UsageError(
      '--client-id needs --auth-url and the client’s secret.',
      'Add --auth-url, and set CONFORMANCE_CLIENT_SECRET',
    )
  }
  const given = most === undefined ? undefined : parseAmount(most, { name: '--max-amount' })
  if (given?.currency === 'USD')
    throw new UsageError('--max-amount is in USD, but all cases pay in CRC.', 'Give the amount in CRC')
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
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return [`${name} is not a flag of this command.`, 'See --help']
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    return [`"${name}" does not belong to a flag.`, 'Give the maximum sum of payments as --max-amount; see --help']
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
    throw new UsageError(`${where} must contain only a token.`, 'Write the token on one line')
  return token
}

function contents(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`--token-file ${file} can’t be read (${code}).`, 'Give a file that contains the token')
  }
}

function checkedReport(file: string): string {
  if (!reportExtensions.includes(extname(file))) {
    throw new UsageError(`--report ${file}: the ending of the name is not a known format.`, 'Use .json, .md or .xml')
  }
  if (!existsSync(dirname(file)))
    throw new UsageError(`--report ${file}: the folder does not exist.`, `mkdir -p ${dirname(file)}`)
  return file
}
