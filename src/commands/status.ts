import { existsSync } from 'node:fs'
import { type Context, command } from '../cli/command.ts'
import { withHint } from '../cli/next_step.ts'
import { object } from '../cli/prints.ts'
import type { Account, Money } from '../client/received.ts'
import { formatAddress, formatIban } from '../contract/iban.ts'
import { formatMoney, money, moneyText } from '../contract/money.ts'
import { isUnderWay } from '../contract/payment_names.ts'
import { toRun } from '../errors/next_step.ts'
import { permitted } from '../errors/service_errors.ts'
import { limitsFile } from '../files/directories.ts'
import { type IntentStatus, inDoubtStatuses } from '../journal/intent.ts'
import { existingJournal } from '../journal/journal.ts'
import { columnsOf, field } from '../output/columns.ts'
import type { Layout } from '../output/output.ts'
import { paymentsSaid } from '../payments/counted.ts'
import { describePlace, learnSender, type Sender } from '../payments/sender.ts'
import { grouped } from '../run/counts.ts'
import { type Said, say, type Text } from '../words/text.ts'
import type { LimitRow } from './limits/rows.ts'
import { senderOptions } from './payments/session.ts'

/** Minor units, with their text for people. */
type Amount = ReturnType<typeof money<string>>

/** An account of the user. */
interface StatusAccount {
  readonly id: string | null
  readonly iban: string | null
  readonly balance: Amount | null
}

/** Count and sums of the payments in one state. */
interface PaymentSum {
  readonly count: number
  /** Sum for each currency. */
  readonly amounts: readonly Amount[]
}

/** The state of a user at a service. A member is null if the token is not allowed to read its data. */
export interface Status {
  readonly profile: string
  readonly base_url: string
  /** Email address or id; null if the service does not return it. */
  readonly user: string | null
  readonly live: boolean
  /** True if an emulator answers: no real money moves. */
  readonly emulator: boolean
  readonly accounts: readonly StatusAccount[] | null
  /** Number of the user's accounts; `accounts` contains only the accounts on the first page. */
  readonly account_count: number | null
  /** Outgoing payments in progress among the newest payments that were read. */
  readonly under_way: (PaymentSum & { readonly read: number; readonly total: number | null }) | null
  /** Payments that this machine sent and whose outcome is not known. */
  readonly in_doubt: PaymentSum
  /** Payments that this machine recorded and the service has not accepted. */
  readonly not_sent: PaymentSum
  readonly limits: readonly LimitRow[]
}

/** Maximum number of accounts that are read, and of newest payments that are searched for payments in progress. */
const pageSize = 100

export const status = command({
  summary: 'Show balances, payments in progress, and limits',
  about:
    'Show on one screen where payments go, the balance of each account, payments in progress among the newest ' +
    `${pageSize}, payments of this machine that are in doubt or not sent, and how much the limits still allow today.`,
  prints: object(async () => (await import('./schema/machine_shapes.ts')).status),
  examples: ['payctl status', 'payctl status --profile prod', 'payctl status --json --jq .in_doubt.count'],
  async run(_, context) {
    const { output, globals, translate } = context
    const { sender, status } = await readStatus(context)
    await output.record(status, layoutOf(sender))
    const more = (status.account_count ?? 0) - (status.accounts?.length ?? 0)
    if (status.accounts && more > 0) {
      const step = toRun(['accounts', 'list', '--all'], 'To see them')
      const text = more === 1 ? say`1 more account.` : say`${grouped(more)} more accounts.`
      output.note(withHint(text, step, globals, translate))
    }
    if (status.in_doubt.count > 0) {
      const step = toRun(['payments', 'resume'], 'To find out')
      output.note(withHint(say`${paymentsSaid(status.in_doubt.count)} may have been made.`, step, globals, translate))
    }
  },
})

/** Makes all reads at the same time: one round trip to the service. */
async function readStatus(context: Context): Promise<{ readonly sender: Sender; readonly status: Status }> {
  const { stateDir, configDir } = context
  const options = await senderOptions(context)
  const { client } = options
  const query = { transfer_type: 'debit', per_page: pageSize } as const
  const [sender, accounts, history] = await Promise.all([
    learnSender(options),
    permitted(client.call('accounts.list', { query: { per_page: pageSize } })),
    permitted(client.call('payments.history', { query })),
  ])
  const status: Status = {
    profile: sender.profile,
    base_url: sender.base_url,
    user: sender.name,
    live: sender.isLive,
    emulator: sender.world !== null,
    accounts: accounts?.data.map(accountOf) ?? null,
    account_count: accounts && wholeOrNull(accounts.total),
    under_way: history && {
      ...sumOf(history.data.filter(({ status }) => isUnderWay(status)).map(({ amount }) => amount)),
      read: history.data.length,
      total: wholeOrNull(history.total),
    },
    ...recordedBy(sender, stateDir),
    limits: await limitsOf(sender, { configDir, stateDir }),
  }
  return { sender, status }
}

const wholeOrNull = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null

const accountOf = ({ id, iban, balance }: Account): StatusAccount => ({
  id: id ?? null,
  iban: iban ?? null,
  balance: sumOf([balance]).amounts[0] ?? null,
})

/** Sums by currency. The sums leave out an amount that is not a whole number of minor units. */
function sumOf(amounts: readonly (Money | null | undefined)[]): PaymentSum {
  const sums = new Map<string, number>()
  for (const { value, currency } of amounts.filter((amount) => amount != null)) {
    if (Number.isSafeInteger(value) && currency) sums.set(currency, (sums.get(currency) ?? 0) + Number(value))
  }
  return { count: amounts.length, amounts: [...sums].map(([currency, value]) => money(value, currency)) }
}

/** This user's open payments in the journal of this machine. */
function recordedBy({ base_url, user, world }: Sender, stateDir: string): Pick<Status, 'in_doubt' | 'not_sent'> {
  const journal = existingJournal(stateDir)
  const own = (statuses: readonly IntentStatus[]) => {
    const amounts: Amount[] = []
    for (const intent of journal?.list({ statuses }) ?? []) {
      const isOwn = intent.base_url === base_url && intent.world === world && intent.user === user
      if (isOwn) amounts.push(money(intent.body.amount, intent.currency ?? ''))
    }
    return sumOf(amounts)
  }
  try {
    return { in_doubt: own(inDoubtStatuses), not_sent: own(['prepared']) }
  } finally {
    journal?.close()
  }
}

/** Limits of the profiles that lead to this service. */
async function limitsOf(
  { profile, base_url }: Sender,
  { configDir, stateDir }: Pick<Context, 'configDir' | 'stateDir'>,
): Promise<readonly LimitRow[]> {
  if (!existsSync(limitsFile(configDir))) return []
  const [{ readLimits }, { reaches }, { payeesIfReadable, rowsOf }] = await Promise.all([
    import('../limits/limits_file.ts'),
    import('../limits/used.ts'),
    import('./limits/rows.ts'),
  ])
  const own = readLimits(configDir).profiles.filter(
    (limits) => limits.profile === profile || reaches(limits.services, base_url),
  )
  return own.length === 0 ? [] : rowsOf(own, { stateDir, saved: await payeesIfReadable(configDir) })
}

/** One screen: a line for each account, state and limit. */
function layoutOf(sender: Sender): Layout<Status> {
  const { service, standing } = describePlace(sender)
  return {
    columns: columnsOf<Status>(
      'profile',
      'base_url',
      'user',
      field('balances', ({ accounts }) => accounts?.flatMap(({ balance }) => balance?.formatted ?? []).join('; ')),
      field('under_way', ({ under_way }) => under_way?.count),
      field('in_doubt', ({ in_doubt }) => in_doubt.count),
      field('not_sent', ({ not_sent }) => not_sent.count),
    ),
    card: ({ accounts, under_way, in_doubt, not_sent, limits }) => ({
      mark: in_doubt.count > 0 ? 'unknown' : 'good',
      title: [],
      lines: [
        ['At', say`${service}, ${standing}`, sender.isLive ? 'live' : undefined],
        ...accountLines(accounts),
        ['Under way', under_way ? underWayText(under_way) : say`this token is not allowed to read payments`],
        ['In doubt', in_doubt.count > 0 ? sumText(in_doubt) : say`none on this machine`],
        ['Not sent', not_sent.count > 0 ? sumText(not_sent) : undefined],
        ...limits.filter(({ left }) => left !== null).map(limitLine),
      ],
    }),
  }
}

type Line = readonly [label: string, text: Said | undefined]

function accountLines(accounts: Status['accounts']): readonly Line[] {
  if (accounts === null) return [['Accounts', say`this token is not allowed to read accounts`]]
  if (accounts.length === 0) return [['Accounts', say`none`]]
  const width = Math.max(...accounts.map(({ balance }) => moneyText(balance).length))
  return accounts.map(({ id, iban, balance }) => {
    const name = iban ? formatIban(iban) : (id ?? '')
    const amount = moneyText(balance)
    return [
      balance?.currency ?? 'Account',
      amount === '' ? say`not known   ${name}` : `${amount.padStart(width)}   ${name}`,
    ]
  })
}

function underWayText({ read, total, ...sum }: NonNullable<Status['under_way']>): Text {
  const payments = sum.count === 0 ? say`none` : sumText(sum)
  return total !== null && total <= read ? payments : say`${payments} among the newest ${grouped(read)}`
}

/** A count and its sums as text: `2 payments, 80.00 CRC and 5.00 USD`. */
function sumText({ count, amounts }: PaymentSum): Text {
  const [first, ...more] = amounts.map(({ value, currency }) => formatMoney(Number(value), currency ?? ''))
  if (first === undefined) return paymentsSaid(count)
  return say`${paymentsSaid(count)}, ${more.reduce<Said>((all, one) => say`${all} and ${one}`, first)}`
}

/** The amount without its currency. */
const amountOf = (left: LimitRow['left']): string => moneyText(left).replace(` ${left?.currency}`, '')

const limitLine = ({ profile, payee, left, most }: LimitRow): Line => [
  'Limit',
  payee
    ? say`${amountOf(left)} of ${moneyText(most)} left today for ${formatAddress(payee)} (${profile})`
    : say`${amountOf(left)} of ${moneyText(most)} left today (${profile})`,
]
