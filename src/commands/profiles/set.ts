import { type CommandRecord, type Context, command, type Input } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { object } from '../../cli/prints.ts'
import { isSameUrl } from '../../config/base_url.ts'
import {
  type Config,
  configSettings,
  emulatorProfile,
  findProfile,
  type Profile,
  type ProfileKey,
  profileInUse,
} from '../../config/profile.ts'
import { changeSettings } from '../../config/settings.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { type NextStep, toRun } from '../../errors/next_step.ts'
import { requireAccountText } from '../../values/account.ts'
import { providerName } from '../emulate/values.ts'
import { columns, type Entry, entryOf } from './list.ts'
import { anyProfileName, clientId, key, keyLife, keyNames, serviceUrl } from './values.ts'

/** Absent flags are undefined. */
type Flags = Input<Record<never, never>, typeof flags>

const flags = {
  '--client-id <id>': { about: 'OAuth client that payctl is to this service', parse: clientId },
  '--fx-provider <name>': {
    about: 'the upstream rate provider in its path (default: upstream)',
    parse: providerName,
  },
  '--from <account>': {
    about: 'account that pays where none is named: its IBAN, id, the end of one, or its currency',
    of: 'account',
  },
  '--key-life <duration>': {
    about: 'time for which the service remembers idempotency keys (default: 24h)',
    parse: keyLife,
  },
  '--unset <key>': { about: `forget a value: ${keyNames}; may be repeated`, parse: key },
  '--live': { about: 'real money moves here: questions say so, and large amounts are typed (payctl limits set)' },
  '--no-live': { about: 'it is not live any more; only a person at a terminal can say so' },
} as const satisfies CommandRecord['flags']

export const set = command({
  summary: 'Make one, or change its values',
  about: 'Make a profile, or change one: what is not given stays. Tokens are kept elsewhere, by payctl login.',
  args: {
    '[name]': {
      about: 'letters, digits, dot, dash and underscore (default: the profile in use)',
      of: 'profile',
      parse: anyProfileName,
    },
  },
  flags,
  globals: {
    '--base-url': 'the service; a new profile needs it',
    '--auth-url': 'its OAuth server (default: the base URL)',
    '--output': 'format of its commands where neither -o nor PAYCTL_OUTPUT says another',
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).profile),
  examples: [
    'payctl profiles set prod --base-url https://api.example.com --client-id payctl',
    'payctl profiles set prod --fx-provider bccr --output json',
    'payctl profiles set prod --unset output',
    'payctl profiles set --from CRC',
    'payctl profiles set emulator --from CRC',
    'payctl profiles set prod --live',
  ],
  run({ name, ...given }, context) {
    const { globals, env, config } = context
    return save(name ?? profileInUse(globals, env, () => config), given, context)
  },
})

async function save(name: string, flags: Flags, context: Context): Promise<void> {
  const given = await givenValues(name, flags, context)
  const { unset = [], live } = flags
  const { followService, isMarkedLive, markLive, requireNoEmulator } = await import('./live.ts')
  // A live profile that led to an emulator would keep every payment from being made there.
  const isMoved = live === undefined && given.base_url !== undefined && isMarkedLive(name, context)
  if (live || isMoved) await requireNoEmulator(given.base_url ?? findProfile(context.config, name)?.base_url, context)
  if (live === false) await markLive({ profile: name, baseUrl: undefined }, false, context)
  let before: Profile | undefined
  let changed: Config = context.config
  const change = (config: Config): Config => {
    before = findProfile(config, name)
    changed = { ...config, profiles: { ...config.profiles, [name]: merged(name, before, { given, unset }) } }
    return changed
  }
  await changeSettings(configSettings, context.configDir, change, context.signal)
  if (live) await markLive({ profile: name, baseUrl: changed.profiles[name]?.base_url }, true, context)
  else if (given.base_url !== undefined) await followService(name, given.base_url, context)
  const entry = entryOf(name, changed, isMarkedLive(name, context))
  await context.output.record(entry, columns)
  noteUse(entry, { before, given }, context)
}

/** Throws UsageError where nothing is to be done, or one thing both ways. */
async function givenValues(name: string, flags: Flags, context: Context): Promise<Profile> {
  const { from, unset = [], live } = flags
  const plain = valuesOf(flags, context)
  if (name === emulatorProfile) requireAccountOnly(plain, flags)
  const account = from === undefined ? undefined : await accountOf(from, { name, baseUrl: plain.base_url }, context)
  const given: Profile = account === undefined ? plain : { ...plain, from: account }
  if (Object.keys(given).length + unset.length === 0 && live === undefined) throw nothingToSet(name)
  const both = unset.find((value) => given[value] !== undefined)
  if (both) throw new UsageError(`${both} is both given and unset.`, 'Leave one of them out')
  return given
}

function valuesOf(
  { clientId: client_id, fxProvider: fx_provider, keyLife: key_life }: Flags,
  { globals }: Context,
): Profile {
  const { baseUrl, authUrl, output, token } = globals
  if (token !== undefined) {
    throw new UsageError('A profile keeps no token.', toRun(['login', '--profile', '<name>', '--with-token']))
  }
  return {
    ...(baseUrl !== undefined && { base_url: serviceUrl(baseUrl, 'The base URL') }),
    ...(authUrl !== undefined && { auth_url: serviceUrl(authUrl, 'The auth URL') }),
    ...(client_id !== undefined && { client_id }),
    ...(fx_provider !== undefined && { fx_provider }),
    ...(key_life !== undefined && { key_life }),
    ...(output !== undefined && { output }),
  }
}

/** The emulator says where it is; an account to pay from is all that can be chosen for it. */
function requireAccountOnly(given: Profile, { unset = [], live }: Flags): void {
  if (Object.keys(given).length === 0 && live === undefined && unset.every((key) => key === 'from')) return
  throw new UsageError(
    'The emulator’s profile is built in: of it only --from can be set. Nothing was saved.',
    toRun(['profiles', 'set', emulatorProfile, '--from', 'CRC']),
  )
}

interface Place {
  readonly name: string
  /** New base URL; undefined: unchanged. */
  readonly baseUrl: string | undefined
}

/** The account that a profile is to pay from. */
async function accountOf(text: string, { name, baseUrl: given }: Place, context: Context): Promise<string> {
  if (name === emulatorProfile) {
    // As it was named: worlds come and go, and their ids with them.
    requireAccountText(text, '--from')
    return text.trim()
  }
  const { idOfAccount } = await import('./default_account.ts')
  const baseUrl = given ?? findProfile(context.config, name)?.base_url
  if (baseUrl === undefined) throw noBaseUrl(name)
  return idOfAccount({ profile: name, baseUrl, text }, context)
}

interface Change {
  readonly given: Profile
  readonly unset: readonly ProfileKey[]
}

/** The profile after the change. Throws UsageError where it would lead nowhere. */
function merged(name: string, before: Profile | undefined, { given, unset }: Change): Profile {
  const kept = isElsewhere(given.base_url, before?.base_url) ? { ...before, from: given.from } : before
  const after: Profile = Object.fromEntries(
    Object.entries({ ...kept, ...given }).filter(
      ([key, value]) => value !== undefined && !(unset as readonly string[]).includes(key),
    ),
  )
  if (after.base_url === undefined && name !== emulatorProfile) throw noBaseUrl(name)
  return after
}

/** An account of one service is none of another. */
const isElsewhere = (now: string | undefined, before: string | undefined): boolean =>
  now !== undefined && before !== undefined && !isSameUrl(now, before)

interface Saved {
  readonly before: Profile | undefined
  readonly given: Profile
}

/** Notes how to use a new profile, and lists settings of the previous service that do not apply to the new one. */
function noteUse(entry: Entry, { before, given }: Saved, { output, globals }: Context): void {
  const { name } = entry
  const note = (text: string, next: NextStep) => output.note(withHint(text, next, globals))
  if (before?.base_url === undefined) {
    if (entry.current || entry.built_in) return
    note(`Add -p ${name} to a command to use it.`, toRun(['profiles', 'use', name], 'To use it for all'))
    return
  }
  if (before.base_url === entry.base_url) return
  const again = { kind: 'log_in', profile: name, words: 'Log in there' } as const
  note(`A login at ${before.base_url} is of no use at ${entry.base_url}.`, again)
  if (entry.auth_url === null || given.auth_url !== undefined) return
  const unset = toRun(['profiles', 'set', name, '--unset', 'auth-url'], 'If that belongs to the old service')
  note(`Its OAuth server is still ${entry.auth_url}.`, unset)
}

const nothingToSet = (name: string): UsageError =>
  new UsageError(`Nothing is given to set in profile ${name}.`, { kind: 'read_help' })

const noBaseUrl = (name: string): UsageError =>
  new UsageError(
    `The profile ${name} has no base URL: where its requests go. Nothing was saved.`,
    toRun(['profiles', 'set', name, '--base-url', '<url>']),
  )
