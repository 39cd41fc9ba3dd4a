import { emulatorProfile } from '../../config/profile.ts'
import { chaosProfileNames } from '../../contract/emulator_names.ts'
import { currencies } from '../../contract/payment_names.ts'
import type { Context, ValueKind } from '../command.ts'
import { topics as helpTopics } from '../help_topics.ts'
import { type Candidate, type Candidates, candidateOf } from './candidate.ts'
import { follow } from './cursor.ts'

/** A value of a flag or an argument, for which the user wants candidates. */
interface ValueRequest {
  /** Kind of thing that the value names, from the command's record. */
  readonly kind: ValueKind | undefined
  /** The command's name, word by word. */
  readonly path: readonly string[]
  /** Arguments before the value. */
  readonly operands: readonly string[]
}

/** Adds `last`, which commands accept in place of an id, to a list that is not empty. */
const withLast = (ids: readonly Candidate[]): readonly Candidate[] =>
  ids.length === 0 ? ids : [...ids, { value: 'last', about: 'the newest' }]

type Source = (context: Context, place: ValueRequest) => Promise<Candidates>

const accounts: Source = async (context) => (await import('./service_values.ts')).remembered('accounts', context)
const subscriptions: Source = async (context) =>
  (await import('./service_values.ts')).remembered('subscriptions', context)
const intents: Source = async ({ stateDir }) => withLast((await import('./local_values.ts')).unsettledIntents(stateDir))
const payments: Source = async ({ stateDir }) => withLast((await import('./local_values.ts')).knownPayments(stateDir))
const payees: Source = async (context, { path }) => (await import('./local_values.ts')).knownPayees(path, context)
const emulators: Source = async (context) => (await import('./emulator_values.ts')).knownEmulators(context)
const stoppable: Source = async (context) => (await import('./emulator_values.ts')).stoppableEmulators(context)
const profiles: Source = async (context) => profileNames(context)
const files: Source = async () => 'files'
const topics: Source = async (context, { operands }) => {
  const pages = Object.entries(helpTopics).map(([value, { summary }]) => ({ value, about: summary }))
  return commandsBelow(operands, context, pages)
}
const outputs: Source = async (context, { operands }) =>
  commandsBelow(operands, context, [{ value: 'error', about: 'stderr of a failed run' }])

/** Commands of the service accept a currency in place of an account id; commands of the emulator do not. */
const accountIds: Source = async (context, place) => {
  const found = await accounts(context, place)
  return Array.isArray(found) ? found.filter(({ value }) => !(currencies as readonly string[]).includes(value)) : found
}
const worlds: Source = async (context) => (await import('./emulator_values.ts')).worldNames(context)
const snapshots: Source = async (context) => (await import('./emulator_values.ts')).snapshotNames(context)
const users: Source = async (context) => (await import('./emulator_values.ts')).userIds(context)
const faults: Source = async (context) => (await import('./emulator_values.ts')).faultIds(context)
const chaosProfiles: Source = async () => ({ orFile: chaosProfileNames.map((value) => ({ value })) })

const sourceOf: Readonly<Record<ValueKind, Source>> = {
  account: accounts,
  'account id': accountIds,
  'chaos profile': chaosProfiles,
  command: files,
  emulator: stoppable,
  fault: faults,
  file: files,
  'help topic': topics,
  intent: intents,
  output: outputs,
  payee: payees,
  payment: payments,
  profile: profiles,
  program: files,
  'running emulator': emulators,
  'saved payee': payees,
  snapshot: snapshots,
  subscription: subscriptions,
  user: users,
  world: worlds,
}

/** Candidates for a value; empty for values that only the user knows: amounts, names, times. */
export const valuesOf = async (place: ValueRequest, context: Context): Promise<Candidates> =>
  place.kind ? sourceOf[place.kind](context, place) : []

/** Names of profiles; each is described by its URL. */
function profileNames({ config }: Context): readonly Candidate[] {
  const saved = Object.entries(config.profiles).filter(([name]) => name !== emulatorProfile)
  return [
    ...saved.map(([name, { base_url }]) => ({ value: name, ...(base_url !== undefined && { about: base_url }) })),
    { value: emulatorProfile, about: 'the emulator that runs on this machine' },
  ]
}

/** Subcommands of the command that the words name; for payctl itself, also `others`. */
async function commandsBelow(
  words: readonly string[],
  context: Context,
  others: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const { command, operands } = await follow(words, context)
  if (operands.length > 0) return []
  const verbs = command.commands.map(candidateOf)
  return command.parent ? verbs : [...verbs, ...others]
}
