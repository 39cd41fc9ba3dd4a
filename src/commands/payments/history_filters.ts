import { InvalidArgumentError } from 'commander'
import { documentNumber } from '../../cli/arguments.ts'
import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import type { Payment } from '../../client/received.ts'
import { normalizeIban } from '../../contract/iban.ts'
import type { HistoryQuery, PaymentStatus } from '../../contract/index.ts'
import { channels, currencies, paymentStatuses, transferTypes } from '../../contract/payment_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { ContractError } from '../../errors/service_errors.ts'
import {
  type AmountRange,
  accountIn,
  fitting,
  type Party,
  type PaymentFilter,
  type Period,
} from '../../payments/payment_filter.ts'
import { grouped } from '../../run/counts.ts'
import { parseAmount } from '../../values/amount.ts'
import { classify } from '../../values/classify.ts'
import { parseRecipient } from '../../values/recipient.ts'
import { foreign, type Said, say } from '../../words/text.ts'
import { periodFlags, periodOf } from '../period.ts'

/** Filters of the payment history. */
export const filterFlags = {
  ...periodFlags,
  '--status <status>': {
    about: `only these statuses, as a,b: failed,timeout\n${paymentStatuses.join(', ')}`,
    parse: statusList,
  },
  '--account <account>': {
    about: 'only payments of this account: IBAN, id, last digits\nalso the currency of the account',
    of: 'account',
  },
  '--payee <payee>': {
    about: 'only payments to this payee: IBAN, phone, or part of a name\nalso the name of a saved payee',
    of: 'payee',
    parse: party('--payee'),
  },
  '--payer <who>': {
    about: 'only payments from this payer: IBAN, or part of a name\nalso the name of a saved payee',
    parse: payer,
  },
  '--amount <range>': {
    about: "only these amounts: 1500.25, 1000.., ..200, 100..200\nor '>1000', '<=200'",
    parse: amountRange,
  },
  '--currency <currency>': { about: 'only this currency', choices: currencies },
  '--direction <direction>': {
    about: 'only payments that came in, or only those that went out',
    choices: ['in', 'out'],
    conflicts: 'type',
  },
  '--channel <channel>': { about: 'only payments of this channel', choices: channels },
  '--type <type>': { about: 'the same as --direction, in the words of the service', choices: transferTypes },
  '--document <number>': { about: 'only payments to the holder of this identity document', parse: documentNumber },
} as const satisfies CommandRecord['flags']

type FilterFlags = Input<Record<never, never>, typeof filterFlags>

/** The filters that the service applies, as a query. */
export function queryOf({ channel, type, direction, document }: FilterFlags): HistoryQuery {
  const transferType = type ?? (direction && (direction === 'in' ? 'credit' : 'debit'))
  return {
    ...(channel && { channel }),
    ...(transferType && { transfer_type: transferType }),
    ...(document !== undefined && { recipient_document_number: document }),
  }
}

/** Filters that payctl applies itself, because the service can't apply them. */
export interface LocalFilter {
  /** Flags that the service can't apply. */
  readonly flags: readonly string[]
  readonly period: Period
  readonly fits: (payment: Payment) => boolean
  /** Note on payments that the filter could not judge; undefined if there are none. */
  readonly unjudged: () => Said | undefined
}

/**
 * The filter that payctl applies itself; undefined if the service applies all filters. Replaces the name of a saved
 * payee with the payee's IBAN or phone.
 */
export async function localFilterOf(flags: FilterFlags, context: Context): Promise<LocalFilter | undefined> {
  const { since, until, status, account, amount, currency } = flags
  const [payee, payer] = [await savedParty(flags.payee, context), await savedParty(flags.payer, context)]
  const given = Object.entries({ since, until, status, account, payee, payer, amount, currency }).filter(
    ([, value]) => value !== undefined,
  )
  if (given.length === 0) return undefined
  const period = periodOf(flags)
  const filter: PaymentFilter = { statuses: status, payee, payer, amount, currency }
  const others = fitting(filter)
  const own = account === undefined ? undefined : await ofAccount(account, context)
  return {
    flags: given.map(([name]) => `--${name}`),
    period,
    fits: (payment) => others(payment) && (own === undefined || own.fits(payment)),
    unjudged: () => own?.unjudged(),
  }
}

/** A filter by one of the user's accounts. */
async function ofAccount(text: string, context: Context): Promise<Pick<LocalFilter, 'fits' | 'unjudged'>> {
  const iban = await ibanOf(text, context)
  let unnamed = 0
  return {
    fits(payment) {
      const its = accountIn(payment)
      if (its === undefined) unnamed += 1
      return its === iban
    },
    unjudged: () =>
      unnamed === 0
        ? undefined
        : unnamed === 1
          ? say`1 other payment may be of this account: the service does not name its account.`
          : say`${grouped(unnamed)} other payments may be of this account: the service does not name their accounts.`,
  }
}

async function ibanOf(text: string, context: Context): Promise<string> {
  const { chosenAccount } = await import('../chosen_account.ts')
  const { id, account } = await chosenAccount(text, { name: '--account' }, context)
  const client = await context.client()
  const { iban } = account ?? (await client.call('accounts.get', { params: { id } }))
  if (iban) return normalizeIban(iban)
  throw new ContractError(`The service does not report the IBAN of the account ${id}, so its payments can’t be found.`)
}

async function savedParty(party: Party | undefined, context: Context): Promise<Party | undefined> {
  if (party?.kind !== 'name') return party
  const { savedPayees } = await import('../../cli/saved_payees.ts')
  const saved = (await savedPayees(context)).find(party.name)
  if (saved === undefined) return party
  context.output.note(say`${saved.name} is the saved payee ${saved.iban ?? saved.phone}.`)
  return saved.iban === undefined ? { kind: 'phone', phone: saved.phone } : { kind: 'iban', iban: saved.iban }
}

function statusList(text: string, before: readonly PaymentStatus[] = []): readonly PaymentStatus[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  const unknown = names.find((name) => !(paymentStatuses as readonly string[]).includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`'${unknown}' is none of: ${paymentStatuses.join(', ')}.`)
  return [...before, ...(names as PaymentStatus[])]
}

function party(name: string): (text: string) => Party {
  return (text) => {
    const like = classify(text)
    if (like?.kind === 'document') {
      throw new UsageError(
        say`${name} looks like ${foreign(like.words)}.`,
        'The service filters by document: --document <number>',
      )
    }
    const isNumber = /^[+\d\s().\p{Pd}\p{Cf}]+$/u.test(text)
    if (!isNumber && like?.kind !== 'iban' && like?.kind !== 'phone') return { kind: 'name', name: text }
    const recipient = parseRecipient(text, name)
    if ('recipient_iban' in recipient) return { kind: 'iban', iban: recipient.recipient_iban }
    return { kind: 'phone', phone: recipient.recipient_phone }
  }
}

function payer(text: string): Party {
  const found = party('--payer')(text)
  if (found.kind !== 'phone') return found
  throw new UsageError('The service does not report the phone of a payer.', 'Give an IBAN, or part of the name.')
}

/** Range of all amounts, in minor units. */
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER }

function amountRange(text: string): AmountRange {
  const [, low = '', high = ''] = /^(.*?)\.\.(.*)$/.exec(text) ?? []
  if (low.trim() !== '' || high.trim() !== '') return between(low.trim(), high.trim())
  const [, sign = '', amount = ''] = /^\s*([<>]?=?)(.*)$/.exec(text) ?? []
  const { minor, currency } = parseAmount(amount, { name: '--amount' })
  switch (sign) {
    case '>':
      return { ...everything, from: minor + 1, currency }
    case '>=':
      return { ...everything, from: minor, currency }
    case '<':
      return { ...everything, to: minor - 1, currency }
    case '<=':
      return { ...everything, to: minor, currency }
    default:
      return { from: minor, to: minor, currency }
  }
}

function between(low: string, high: string): AmountRange {
  const [from, to] = [low, high].map((text) => (text === '' ? undefined : parseAmount(text, { name: '--amount' })))
  if (from?.currency && to?.currency && from.currency !== to.currency) {
    throw new UsageError('--amount names two currencies.', 'Amounts are compared within one currency: 100..200 USD')
  }
  const range = { from: from?.minor ?? everything.from, to: to?.minor ?? everything.to }
  if (range.from <= range.to) return { ...range, currency: from?.currency ?? to?.currency }
  throw new UsageError('--amount begins with the larger amount.', 'Write the smaller amount first: 100..200')
}
