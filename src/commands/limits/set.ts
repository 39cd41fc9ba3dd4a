import { InvalidArgumentError } from 'commander'
import { collect } from '../../cli/arguments.ts'
import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { hintOf } from '../../cli/next_step.ts'
import { array, nothing } from '../../cli/prints.ts'
import { profileInUse } from '../../config/profile.ts'
import { currencies } from '../../contract/payment_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { type ProfileLimits, parseHours, type Sums, summedKinds } from '../../limits/limits.ts'
import { parseAmount, parseCurrency } from '../../values/amount.ts'
import { parseRecipient } from '../../values/recipient.ts'
import { say } from '../../words/text.ts'

const setFlags = {
  '--per-payment <amount>': { about: 'maximum for one payment' },
  '--per-day <amount>': { about: 'maximum for all payments of a day in Costa Rica' },
  '--per-payee-day <amount>': { about: 'maximum for the payments of a day to one payee' },
  '--confirm-above <amount>': {
    about: 'amount above which a live profile refuses --yes: a person must type the amount',
  },
  '--allow-payee <payee>': {
    about: 'IBAN, phone or saved payee; only allowed payees can be paid; repeatable',
    of: 'payee',
    parse: collect,
  },
  '--hours <from-until>': { about: 'hours for payments, in Costa Rica: 08:00-17:00', parse: hours },
  '--read-only': { about: 'allow no payment and no other change' },
} as const satisfies CommandRecord['flags']

const prints = array(async () => (await import('../schema/machine_shapes.ts')).limit)

export const set = command({
  summary: 'Set limits of the profile in use, or tighten them',
  about:
    'Set limits of the profile in use; other limits do not change. Amounts are in the currency named at the end, or next to ' +
    'each amount: "500000 CRC". Once a limit names a currency, payments in other currencies are refused. A day is a calendar day in ' +
    'Costa Rica. Only a person at a terminal can loosen a limit.',
  args: { '[currency...]': { about: 'currency of all amounts: CRC or USD', parse: currencyName } },
  flags: setFlags,
  prints,
  examples: [
    'payctl limits set --per-payment 500000 --per-day 2000000 CRC',
    'payctl limits set --confirm-above "500000 CRC" --profile prod',
    'payctl limits set --allow-payee 8888-1234 --allow-payee proveedor-luz --hours 08:00-17:00',
    'payctl limits set --read-only',
  ],
  async run({ currency: [currency, ...others], ...flags }, context) {
    if (others.some((other) => other !== currency)) {
      throw new UsageError(
        'Several currencies are named.',
        'Write each currency with its amount: --per-day "2000000 CRC"',
      )
    }
    const limits = await limitsIn(flags, currency, context)
    if (Object.keys(limits).length === 0) {
      throw new UsageError('No limit is given.', toRun(['limits', 'set', '--per-day', '2000000', 'CRC'], 'For example'))
    }
    await change((before) => merged(before, limits), context)
  },
})

const kinds = {
  'per-payment': 'per_payment',
  'per-day': 'per_day',
  'per-payee-day': 'per_payee_day',
  'confirm-above': 'confirm_above',
  payees: 'payees',
  hours: 'hours',
  'read-only': 'read_only',
} as const

type Name = keyof typeof kinds | 'all'

const names = [...Object.keys(kinds), 'all'] as readonly Name[]

export const remove = command({
  summary: 'Remove limits (at a terminal)',
  about: 'Remove limits of the profile in use. A person at a terminal must type the name of the profile.',
  args: { '<limit...>': { about: names.join(', '), parse: limitName } },
  prints,
  examples: ['payctl limits remove per-day', 'payctl limits remove all --profile prod'],
  run: ({ limit: what }, context) => change((before) => without(before, what), context),
})

export const recount = command({
  summary: 'Restart the counts at zero, in this journal (at a terminal)',
  about:
    'Restart the counts of all profiles at zero, in the journal of this state folder. Use this command after the ' +
    'journal was moved or lost, or a clock was wrong. A person at a terminal must type the name of the profile in use.',
  prints: nothing,
  examples: ['payctl limits recount'],
  run: (_, context) => countFromZero(context),
})

async function countFromZero(context: Context): Promise<void> {
  const [{ restartCounts }, { readLimits }, { agreeToLoosen }, { openJournal }] = await Promise.all([
    import('../../limits/change.ts'),
    import('../../limits/limits_file.ts'),
    import('./change.ts'),
    import('../../journal/journal.ts'),
  ])
  const { configDir, stateDir, signal, output } = context
  if (readLimits(configDir).profiles.length === 0)
    return output.note('No profile has limits, so there is nothing to count.')
  await agreeToLoosen(profileOf(context), say`today’s use counts from zero`, context)
  const journal = openJournal(stateDir)
  try {
    await restartCounts({ configDir, journal, signal })
  } finally {
    journal.close()
  }
}

const profileOf = ({ globals, env, config }: Context): string => profileInUse(globals, env, () => config)

async function change(to: (before: ProfileLimits) => ProfileLimits | undefined, context: Context): Promise<void> {
  const [{ changeLimitsOf, newLimits }, { layout, payeesIfReadable, rowsOf }] = await Promise.all([
    import('./change.ts'),
    import('./rows.ts'),
  ])
  const profile = profileOf(context)
  const changed = async (before: ProfileLimits | undefined) => to(before ?? (await newLimits(profile, context)))
  const { after, isLoosened } = await changeLimitsOf(profile, changed, context)
  const saved = payeesIfReadable(context.configDir)
  await context.output.list(after ? rowsOf([after], { stateDir: context.stateDir, saved }) : [], layout)
  if (!after) context.output.note(say`Profile ${profile} has no limits.`)
  else if (after.confirm_above && !after.live) {
    const mark = toRun(
      ['profiles', 'set', profile, '--live'],
      'payctl asks a person to type amounts only if the profile is marked live',
    )
    context.output.note(hintOf(mark, context.globals, context.translate))
  } else if (isLoosened) {
    context.output.note(
      hintOf(toRun(['audit'], 'This change is in the audit file'), context.globals, context.translate),
    )
  }
}

async function limitsIn(
  flags: Input<Record<never, never>, typeof setFlags>,
  currency: string | undefined,
  context: Context,
): Promise<Partial<ProfileLimits>> {
  const sums = {
    per_payment: sum(flags.perPayment, '--per-payment', currency),
    per_day: sum(flags.perDay, '--per-day', currency),
    per_payee_day: sum(flags.perPayeeDay, '--per-payee-day', currency),
    confirm_above: sum(flags.confirmAbove, '--confirm-above', currency),
  }
  const payees = flags.allowPayee && (await Promise.all(flags.allowPayee.map((text) => payeeIn(text, context))))
  const limits = { ...sums, payees, hours: flags.hours, read_only: flags.readOnly }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

function sum(text: string | undefined, name: string, currency: string | undefined): Sums | undefined {
  if (text === undefined) return undefined
  const amount = parseAmount(text, { name })
  const named = amount.currency ?? currency
  if (named === undefined) throw new UsageError(say`${name} has no currency.`, say`Write it like ${name} "${text} CRC"`)
  if (currency !== undefined && named !== currency) throw new UsageError(say`${name} names two currencies.`, 'Give one')
  return { [named]: amount.minor }
}

/** The IBAN or phone; for the name of a saved payee, the payee's current address. */
async function payeeIn(text: string, context: Context): Promise<string> {
  const { payeeNamed } = await import('../../cli/saved_payees.ts')
  const payee = await payeeNamed(text, context)
  if (payee) return payee.iban ?? payee.phone
  const recipient = parseRecipient(text, '--allow-payee')
  return 'recipient_iban' in recipient ? recipient.recipient_iban : recipient.recipient_phone
}

/** Adds the changes to the limits; does not change amounts in other currencies, or other payees. */
function merged(before: ProfileLimits, changes: Partial<ProfileLimits>): ProfileLimits {
  const sums = ([...summedKinds, 'confirm_above'] as const).flatMap((kind) =>
    changes[kind] ? [[kind, { ...before[kind], ...changes[kind] }] as const] : [],
  )
  const { payees } = changes
  return {
    ...before,
    ...changes,
    ...Object.fromEntries(sums),
    ...(payees && { payees: [...new Set([...(before.payees ?? []), ...payees])] }),
  }
}

function without(before: ProfileLimits, what: readonly Name[]): ProfileLimits | undefined {
  const gone = new Set<string>(
    what.includes('all') ? Object.values(kinds) : what.map((name) => kinds[name as keyof typeof kinds]),
  )
  const left = Object.fromEntries(
    Object.entries(before).filter(([name]) => !gone.has(name)),
  ) as unknown as ProfileLimits
  const limits = Object.keys(left).filter((name) => !['profile', 'services', 'users'].includes(name))
  return limits.length === 0 ? undefined : left
}

/** Currencies may follow each amount, or only the last amount. */
function currencyName(text: string, before: readonly string[] = []): readonly string[] {
  const currency = parseCurrency(text)
  if (currency) return [...before, currency]
  throw new InvalidArgumentError(`Give ${currencies.join(' or ')}.`)
}

function limitName(text: string, before: readonly Name[] = []): readonly Name[] {
  const name = names.find((one) => one === text)
  if (name) return [...before, name]
  throw new InvalidArgumentError(`Give one of ${names.join(', ')}.`)
}

function hours(text: string): string {
  if (parseHours(text)) return text
  throw new InvalidArgumentError('Give hours in Costa Rica time, like 08:00-17:00.')
}
