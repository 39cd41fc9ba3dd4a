import { isLoopback } from '../../client/base_url.ts'
import { readSettings } from '../../config/settings.ts'
import { formatAddress } from '../../contract/iban.ts'
import { money } from '../../contract/money.ts'
import type { CountedPayments } from '../../journal/counted_payments.ts'
import { existingJournal } from '../../journal/journal.ts'
import { dayOf, nextDay, type ProfileLimits, summedKinds } from '../../limits/limits.ts'
import { reaches, timeOf, usedOf } from '../../limits/used.ts'
import { columnsOf, field, money as moneyColumn, time } from '../../output/columns.ts'
import type { Column, Layout } from '../../output/output.ts'
import { emulatorService, type Payee } from '../../payees/payee.ts'
import { payeesSettings } from '../../payees/payees_file.ts'
import { foreign, type Said, say } from '../../words/text.ts'

interface Money {
  readonly value: number
  readonly currency: string
  readonly formatted: string
}

/** A limit of a profile and the part of it that is used; a field is null if it does not apply. */
export interface LimitRow {
  readonly profile: string
  readonly limit: string
  readonly currency: string | null
  /** A payee paid today, for a limit per payee. */
  readonly payee: string | null
  /** The name under which this payee is saved. */
  readonly payee_name: string | null
  readonly most: Money | null
  readonly used: Money | null
  readonly left: Money | null
  /** ISO time at which the used part stops counting. */
  readonly frees_at: string | null
  /** Allowed hours or payees, or a description of another limit that is not an amount. */
  readonly allowed: string | null
  /** The allowed payees, with their saved names, if any, for a limit on payees. */
  readonly payees: readonly AllowedPayee[] | null
}

interface AllowedPayee {
  /** IBAN or phone. */
  readonly address: string
  readonly name: string | null
}

/**
 * Saved payees; empty if the file of payees can't be read. Limits contain the addresses, so only the names are missing
 * in this case.
 */
export function payeesIfReadable(configDir: string): readonly Payee[] {
  try {
    return readSettings(payeesSettings, configDir).payees
  } catch {
    return []
  }
}

/** The limits of profiles, with the used parts that the journal has counted. `saved`: payees of all services. */
export function rowsOf(
  profiles: readonly ProfileLimits[],
  { stateDir, saved }: { readonly stateDir: string; readonly saved: readonly Payee[] },
): readonly LimitRow[] {
  const journal = existingJournal(stateDir)
  try {
    return profiles.flatMap((limits) => rowsOfProfile(limits, journal?.counted, saved))
  } finally {
    journal?.close()
  }
}

/** The payees of limits, with the names under which they are saved for the same services. */
export const allowedPayees = (
  limits: Pick<ProfileLimits, 'payees' | 'services'>,
  saved: readonly Payee[],
): readonly AllowedPayee[] => namedPayees(limits.payees ?? [], limits, saved)

function namedPayees(
  payees: readonly string[],
  { services }: Pick<ProfileLimits, 'services'>,
  saved: readonly Payee[],
): readonly AllowedPayee[] {
  const own = saved.filter(({ service }) =>
    service === emulatorService ? services.some(isLoopback) : reaches(services, service),
  )
  return payees.map((address) => ({
    address,
    name: own.find(({ iban, phone }) => address === (iban ?? phone))?.name ?? null,
  }))
}

/** The payees of a limit, for people: `proveedor-luz (CR05 0152 ...), 8888 1234`. */
export const payeesInWords = (payees: readonly AllowedPayee[]): string =>
  payees
    .map(({ address, name }) => (name === null ? formatAddress(address) : `${name} (${formatAddress(address)})`))
    .join(', ')

function rowsOfProfile(
  limits: ProfileLimits,
  counted: CountedPayments | undefined,
  saved: readonly Payee[],
): readonly LimitRow[] {
  const unsummed = { currency: null, payee: null, payee_name: null, most: null, used: null, left: null, frees_at: null }
  const none = { ...unsummed, allowed: null, payees: null }
  const row = (limit: string, values: Partial<LimitRow>) => ({ profile: limits.profile, limit, ...none, ...values })
  const { live, read_only, hours, payees, confirm_above = {} } = limits
  const nameOf = (payee: string) => namedPayees([payee], limits, saved)[0]?.name ?? null
  const sums = summedKinds.flatMap((kind) =>
    Object.entries(limits[kind] ?? {}).flatMap(([currency, most]) =>
      usesOf(kind, limits, counted, { currency, most }).map((use) =>
        row(kind, { ...use, currency, payee_name: use.payee ? nameOf(use.payee) : null }),
      ),
    ),
  )
  return [
    ...(live ? [row('live', { allowed: 'real money moves here' })] : []),
    ...(read_only ? [row('read_only', { allowed: 'reading only' })] : []),
    ...sums,
    ...Object.entries(confirm_above).map(([currency, most]) =>
      row('confirm_above', { currency, most: money(most, currency) }),
    ),
    ...(hours === undefined ? [] : [row('hours', { allowed: `${hours} (UTC-6)` })]),
    ...(payees === undefined
      ? []
      : [row('payees', { allowed: payees.join(', ') || 'none', payees: allowedPayees(limits, saved) })]),
  ]
}

function usesOf(
  kind: (typeof summedKinds)[number],
  limits: ProfileLimits,
  counted: CountedPayments | undefined,
  { currency, most }: { readonly currency: string; readonly most: number },
): readonly Partial<LimitRow>[] {
  const whole = { most: money(most, currency) }
  if (kind === 'per_payment') return [whole]
  if (!counted)
    return [{ ...whole, ...(kind === 'per_day' && { used: money(0, currency), left: money(most, currency) }) }]
  const at = timeOf(counted)
  const payer = { profile: limits.profile, base_url: '', user: '', world: counted.lastWorld(limits) }
  const frees_at = new Date(nextDay(at)).toISOString()
  const of = (payee: string) => usedOf(counted, { limits, payer, at, except: undefined, asked: { payee } })
  const use = (used: number, payee: string | null) => ({
    ...whole,
    payee,
    used: money(used, currency),
    left: money(Math.max(0, most - used), currency),
    frees_at: used > 0 ? frees_at : null,
  })
  if (kind === 'per_day') return [use(of('').day(currency), null)]
  const paid = counted.payees(dayOf(at)).map((payee) => use(of(payee).payeeDay(currency), payee))
  return [whole, ...paid.filter(({ used }) => used.value > 0)]
}

const names: Readonly<Record<string, string>> = {
  per_payment: 'one payment',
  per_day: 'a day',
  per_payee_day: 'a day, one payee',
  confirm_above: 'typed above',
  read_only: 'read-only',
}

const permissionOf = ({ allowed, payees }: LimitRow): Said | null =>
  payees?.length ? payeesInWords(payees) : allowed && foreign(allowed)

const profile: Column<LimitRow> = field('profile')
const limit: Column<LimitRow> = {
  ...field('limit'),
  text({ limit: kind, payee, payee_name, allowed }) {
    if (kind === 'hours') return say`hours ${allowed ?? ''}`
    return payee === null ? foreign(names[kind] ?? kind) : (payee_name ?? formatAddress(payee))
  },
}
const most: Column<LimitRow> = moneyColumn('most')
const used: Column<LimitRow> = moneyColumn('used')
const left: Column<LimitRow> = moneyColumn('left')
const freesAt: Column<LimitRow> = time('frees_at')

export const layout: Layout<LimitRow> = {
  columns: columnsOf<LimitRow>(
    profile,
    limit,
    '-payee',
    '-payee_name',
    '-currency',
    most,
    used,
    left,
    { ...freesAt, detail: true },
    {
      ...field('allowed'),
      text: (row: LimitRow) => permissionOf(row) ?? '',
      wraps: true,
    },
  ),
  // The three columns of amounts leave no room for a column of payees.
  table: [
    { ...profile, dispensable: true },
    { ...limit, wraps: 'between words' },
    most,
    used,
    left,
    { ...freesAt, spare: true },
  ],
  // The column `limit` already shows the hours.
  below: (row) => (row.limit === 'hours' ? null : permissionOf(row)),
}
