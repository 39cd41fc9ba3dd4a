import { Audit } from '../../audit/audit.ts'
import type { Context } from '../../cli/command.ts'
import { formatMoney } from '../../contract/money.ts'
import { CliError } from '../../errors/cli_error.ts'
import { openJournal } from '../../journal/journal.ts'
import { changeProfile, type LimitsChange } from '../../limits/change.ts'
import type { ProfileLimits, Sums } from '../../limits/limits.ts'
import { serviceOf } from '../../limits/used.ts'
import type { Payee } from '../../payees/payee.ts'
import { joinedByAnd, joinedByComma } from '../../payments/counted.ts'
import { foreign, type Said, say, type Text } from '../../words/text.ts'
import { allowedPayees, payeesIfReadable, payeesInWords } from './rows.ts'

/** Changes the limits of a profile. A person must agree to looser limits. */
export async function changeLimitsOf(profile: string, to: LimitsChange['to'], context: Context) {
  const { configDir, stateDir, signal } = context
  const saved = payeesIfReadable(configDir)
  const journal = openJournal(stateDir)
  try {
    return await changeProfile({
      profile,
      to,
      configDir,
      journal,
      signal,
      agreeToLoosen: (before, after) => agreeToLoosen(profile, changesOf(before, after, saved), context),
    })
  } finally {
    journal.close()
  }
}

/** Empty limits for the profile's service and user, if these are known. */
export async function newLimits(profile: string, context: Context): Promise<ProfileLimits> {
  const services = await context.target().then(
    ({ baseUrl }) => [serviceOf(baseUrl)],
    () => [],
  )
  return { profile, services, users: services.length === 0 ? null : await userOf(context) }
}

/**
 * A list with the id of this run's user; null if the service does not name the user, for example because nobody is
 * logged in.
 */
async function userOf(context: Context): Promise<readonly string[] | null> {
  try {
    const client = await context.client()
    const { id } = await client.call('user.get')
    return id ? [id] : null
  } catch {
    context.signal.throwIfAborted()
    context.output.note('The user of this profile is not known, so the limits apply to all users of its service.')
    return null
  }
}

/**
 * Asks a person at a terminal to type the profile's name; `what` describes the change. Throws without a terminal or on
 * a build server: no flag and no program can agree. Writes a line to the audit file if the person agrees, or if nobody
 * could be asked.
 */
export async function agreeToLoosen(profile: string, what: Text, context: Context): Promise<void> {
  const audit = new Audit(context.stateDir)
  const note = (event: 'refused' | 'loosened') =>
    audit.add(
      { event, profile, what: String(what), decided_by: event === 'loosened' ? 'typed' : null },
      { durable: true },
    )
  try {
    if (!context.interactive || isAutomatic(context)) {
      note('refused')
      throw onlyAPerson(profile)
    }
    const { requireTyped } = await import('../../cli/prompts.ts')
    context.io.stderr.write(`${context.translate(say`This loosens the limits of profile ${profile}: ${what}`)}\n`)
    const message = say`Type ${profile} to continue:`
    await requireTyped({ message, isRight: (answer) => answer === profile, nothing: 'nothing was changed' }, context)
    note('loosened')
  } finally {
    audit.close()
  }
}

/** True on build servers, which set CI: no person can agree there. */
const isAutomatic = ({ env: { CI } }: Context): boolean => CI !== undefined && CI !== 'false' && CI !== '0'

const onlyAPerson = (profile: string): CliError =>
  new CliError(
    'forbidden',
    say`This would loosen the limits of profile ${profile}, which only a person at a terminal can do. Nothing was changed.`,
    'Run the command at a terminal, without --no-input',
  )

/** Describes the difference between two sets of limits: `per day 100.00 CRC -> 200.00 CRC`. */
export function changesOf(
  before: ProfileLimits | undefined,
  after: ProfileLimits | undefined,
  saved: readonly Payee[],
): Text {
  if (!before) return say`the file of the limits was lost`
  if (!after) return say`all limits are removed`
  const said = (limits: ProfileLimits, name: keyof ProfileLimits) =>
    name === 'payees' && limits.payees ? payeesInWords(allowedPayees(limits, saved)) || say`none` : textOf(limits[name])
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof ProfileLimits)[]
  const changes = names
    .map((name) => [foreign(name.replaceAll('_', ' ')), said(before, name), said(after, name)] as const)
    .filter(([, was, is]) => String(was) !== String(is))
  return joinedByComma(changes.map(([name, was, is]) => say`${name} ${was} -> ${is}`))
}

/** Text of a limit: amounts in major units, lists as their values. */
function textOf(value: ProfileLimits[keyof ProfileLimits]): Said {
  if (value === undefined || value === null) return say`none`
  if (Array.isArray(value)) return value.join(', ') || say`none`
  if (typeof value !== 'object') return foreign(String(value))
  return joinedByAnd(Object.entries(value as Sums).map(([currency, minor]) => formatMoney(minor, currency)))
}
