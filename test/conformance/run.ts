import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatMoney } from '../../src/contract/money.ts'
import { CliError, UsageError } from '../../src/errors/cli_error.ts'
import { exits } from '../../src/errors/exit_codes.ts'
import { printable } from '../../src/run/sanitise.ts'
import { type Arguments, readArguments, usage } from './arguments.ts'
import { type Campaign, runCases } from './campaign.ts'
import type { Orders } from './remote.campaign.ts'
import { type CaseResult, cleaned, counted, differing, type Report, totalsOf } from './report.ts'
import { writeReport } from './report_files.ts'
import { allowanceOf, meet, type Service } from './service.ts'
import { readWrites, type Writes } from './writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'payctl-conformance-'))
const say = (...lines: readonly string[]): void => console.log(lines.join('\n'))

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), process.env)
  if (given === 'help') {
    say(usage)
    return exits.done.code
  }
  const service = await meet(given)
  const plan = service.emulator ? undefined : await rehearse(given)
  const allowance =
    plan && service.payer && given.allowsPayments
      ? allowanceOf(service.payer, plan.asked[service.payer.balance.currency] ?? 0, given.maxAmount)
      : null
  say(`Checks ${given.baseUrl} against the interface.`, ...announced(given, service, plan), '')
  const journal = join(folder, 'writes')
  const { baseUrl, authUrl, clientId } = given
  const target: Orders['target'] = service.emulator
    ? { kind: 'emulator', baseUrl, ...service.emulator }
    : { kind: 'service', baseUrl, payer: service.payer?.id, allowance, authUrl, clientId }
  const { cases, isInterrupted } = await runCases(campaign(given, { target, journal }, true)).catch((error) => {
    say(...toldOf(readWrites(journal), service))
    throw error
  })
  const written = readWrites(journal)
  const mode = service.emulator ? 'emulator' : allowance ? 'payments' : 'read-only'
  const results = cases.map(({ target: _, ...result }) => result)
  const known = { mode, isInterrupted, written, cases: cleaned(results, secretsOf(given)) } as const
  return conclude(given, known, toldOf(written, service))
}

/**
 * Runs the cases as a dry run, within --max-amount, on an emulator in the process of the cases. Returns their writes.
 */
async function rehearse(given: Arguments): Promise<Writes> {
  say('Counting the writes of the cases …')
  const journal = join(folder, 'rehearsal')
  const target = { kind: 'rehearsal', total: given.maxAmount ?? Number.MAX_SAFE_INTEGER } as const
  const { cases, isInterrupted } = await runCases(campaign(given, { target, journal }, false))
  if (isInterrupted) throw new CliError('interrupted', 'Interrupted: nothing was sent to the service.')
  requireSome(cases, given)
  return readWrites(journal)
}

const campaign = ({ only, token, controlToken }: Arguments, orders: Orders, printsGroups: boolean): Campaign => ({
  file: 'remote.campaign.ts',
  only,
  orders,
  secrets: { CONFORMANCE_TOKEN: token, ...(controlToken !== undefined && { CONFORMANCE_CONTROL_TOKEN: controlToken }) },
  printsGroups,
})

function requireSome(cases: readonly CaseResult[], { only }: Arguments): void {
  if (cases.length > 0) return
  const names = only.map((name) => `“${name}”`).join(' or ')
  throw new UsageError(`No case has ${names} in its name.`, 'For all names, write a report: --report cases.json')
}

/** Describes a run before it starts. */
function announced(given: Arguments, { payer, emulator }: Service, plan: Writes | undefined): string[] {
  const { allowsPayments, maxAmount } = given
  if (!plan) {
    const settles = [
      'Its payments do not take one second, as they do without --settle, so the cases that',
      'move the clock are left out.',
    ]
    return [
      'It is an emulator on this machine: no real money. The cases run in worlds that they',
      'make there and delete; its other worlds do not change.',
      ...(emulator?.settlesAsUsual ? [] : settles),
    ]
  }
  const { payments, accounts, subscriptions } = plan
  const writes = [
    payments === 0
      ? 'send no payments'
      : `send up to ${many(payments, 'payment')}, ${sumsOf(plan)} in all, and pay the service’s fee for each`,
    accounts === 0 ? 'open no accounts' : `open ${many(accounts, 'account')}, which stay open`,
    subscriptions === 0
      ? 'create no webhook subscriptions'
      : `create and delete ${many(subscriptions, 'webhook subscription')}`,
  ].map((line) => `  ${line}`)
  const real = 'It is not an emulator on this machine: its money is real.'
  if (!allowsPayments || !payer) {
    return [real, 'This run only reads. With --allow-payments and --account the cases would', ...writes]
  }
  const most =
    maxAmount === undefined
      ? []
      : [`Cases that would request more than ${formatMoney(maxAmount, payer.balance.currency)} in all are left out.`]
  return [
    real,
    'The cases',
    ...writes,
    `Only the account ${printable(payer.iban)} pays. Its payments go to accounts of`,
    'the same user, and to payees of the demo with the same names at the service.',
    ...most,
  ]
}

const sumsOf = ({ asked }: Writes): string =>
  Object.entries(asked)
    .map(([currency, minor]) => formatMoney(minor, currency))
    .join(' and ') || 'nothing'

/** Describes the known writes to a service with real money. */
function toldOf(written: Writes, { emulator }: Service): string[] {
  const { payments, accepted, unanswered, accounts, subscriptions } = written
  if (emulator) return []
  if (payments + accounts + subscriptions === 0) return ['Nothing was written to the service.']
  const doubt = unanswered === 0 ? '' : `, ${unanswered} not answered: check the payment history`
  return [
    `${many(payments, 'payment')} requested, ${sumsOf(written)} in all; ${accepted} accepted${doubt}.`,
    `${many(accounts, 'account')} and ${many(subscriptions, 'webhook subscription')} requested.`,
  ]
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const secretsOf = ({ token }: Arguments): string[] =>
  [token, process.env.CONFORMANCE_LIMITED_TOKEN ?? '', process.env.CONFORMANCE_CLIENT_SECRET ?? ''].filter(
    (secret) => secret !== '',
  )

type Known = Pick<Report, 'mode' | 'isInterrupted' | 'written' | 'cases'>

/** Writes the reports, prints the result, and returns the exit code. */
function conclude(given: Arguments, known: Known, told: readonly string[]): number {
  const { cases, isInterrupted, written } = known
  if (!isInterrupted) requireSome(cases, given)
  const date = new Date().toISOString()
  const report: Report = { service: given.baseUrl, date, totals: totalsOf(cases), ...known }
  for (const file of given.reports) writeReport(file, report)
  const gaps = differing(cases)
  const left =
    isInterrupted && written.subscriptions > 0
      ? ['Subscriptions to receiver.invalid may remain: payctl webhooks list, payctl webhooks delete.']
      : []
  const interrupted = isInterrupted ? ['Interrupted: the other cases have no result.'] : []
  say(...gaps.flatMap(shownGap), '', counted(cases), ...interrupted, ...told, ...left)
  for (const file of given.reports) say(`Written: ${file}`)
  const undecided = cases.filter((each) => each.undecided).length
  if (undecided > 0) say(`${undecided} of the cases that are not applicable got no answer that decides them.`)
  if (isInterrupted) return exits.interrupted.code
  if (gaps.length > 0) return exits.bug.code
  return undecided > 0 ? exits.unavailable.code : exits.done.code
}

function shownGap({ group, name, expected, got, message, lastExchange }: CaseResult): string[] {
  const what = expected === undefined ? [`  ${got}`] : [`  expected  ${expected}`, `  got       ${got}`, `  ${message}`]
  return ['', `differs: ${group} > ${name}`, ...what, ...(lastExchange ? [`  last request: ${lastExchange}`] : [])]
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof CliError)) throw error
  console.error([error.message, error.hint].filter(Boolean).join('\n'))
  process.exitCode = exits[error.exit].code
} finally {
  rmSync(folder, { recursive: true, force: true })
}
