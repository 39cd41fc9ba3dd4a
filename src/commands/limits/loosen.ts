import { Audit } from '../../audit/audit.ts'
import type { Context } from '../../cli/command.ts'
import { formatMoney } from '../../contract/money.ts'
import { CliError } from '../../errors/cli_error.ts'
import type { ProfileLimits, Sums } from '../../limits/limits.ts'
import type { Payee } from '../../payees/payee.ts'
import { allowedPayees, payeesInWords } from './rows.ts'

interface Loosening {
  readonly profile: string
  /** What changes, for the audit file and for who types. */
  readonly what: string
}

/**
 * Has a person at a terminal type the profile's name. Throws where there is none: neither a flag nor a program stands in
 * for one. It is a line of the audit file either way.
 */
export async function agreeToLoosen({ profile, what }: Loosening, context: Context): Promise<void> {
  const audit = new Audit(context.stateDir)
  const note = (event: 'refused' | 'loosened') =>
    audit.add({ event, profile, what, decided_by: event === 'loosened' ? 'typed' : null }, { durable: true })
  try {
    if (!context.interactive || isAutomatic(context)) {
      note('refused')
      throw onlyAPerson(profile)
    }
    const { requireTyped } = await import('../../cli/prompts.ts')
    context.io.stderr.write(`This loosens the limits of profile ${profile}: ${what}\n`)
    const message = `Type ${profile} to go on:`
    await requireTyped({ message, isRight: (answer) => answer === profile, nothing: 'nothing was changed' }, context)
    note('loosened')
  } finally {
    audit.close()
  }
}

/** As build servers say. */
const isAutomatic = ({ env: { CI } }: Context): boolean => CI !== undefined && CI !== 'false' && CI !== '0'

const onlyAPerson = (profile: string): CliError =>
  new CliError(
    'forbidden',
    `This would loosen the limits of profile ${profile}, which only a person at a terminal can do. Nothing was changed.`,
    'Run it at a terminal, without --no-input',
  )

/** What a change changes: `per day 100.00 CRC -> 200.00 CRC`. */
export function changesOf(
  before: ProfileLimits | undefined,
  after: ProfileLimits | undefined,
  saved: readonly Payee[],
): string {
  if (!before) return 'its file was lost'
  if (!after) return 'all of them are removed'
  const said = (limits: ProfileLimits, name: keyof ProfileLimits) =>
    name === 'payees' && limits.payees ? payeesInWords(allowedPayees(limits, saved)) || 'none' : textOf(limits[name])
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof ProfileLimits)[]
  return names
    .map((name) => [name.replaceAll('_', ' '), said(before, name), said(after, name)] as const)
    .filter(([, was, is]) => was !== is)
    .map(([name, was, is]) => `${name} ${was} -> ${is}`)
    .join(', ')
}

/** Sums in major units, lists as their values. */
function textOf(value: ProfileLimits[keyof ProfileLimits]): string {
  if (value === undefined || value === null) return 'none'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value as Sums)
    .map(([currency, minor]) => formatMoney(minor, currency))
    .join(' and ')
}
