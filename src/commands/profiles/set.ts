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
import { type Said, say } from '../../words/text.ts'
import { providerName } from '../emulate/values.ts'
import { columns, type Entry, entryOf } from './list.ts'
import { anyProfileName, clientId, key, keyLife, keyNames, serviceUrl } from './values.ts'

/** Absent flags are undefined. */
type Flags = Input<Record<never, never>, typeof flags>

const flags = {
  '--client-id <id>': { about: 'OAuth client of payctl at this service', parse: clientId },
  '--fx-provider <name>': {
    about: 'name of the upstream rate provider in URL paths (default: upstream)',
    parse: providerName,
  },
  '--from <account>': {
    about: 'default account to pay from: its IBAN or id, the end of either, or its currency',
    of: 'account',
  },
  '--key-life <duration>': {
    about: 'time for which the service remembers idempotency keys (default: 24h)',
    parse: keyLife,
  },
  '--unset <key>': { about: `forget a value: ${keyNames}; may be repeated`, parse: key },
  '--live': {
    about: 'real money moves here: questions say so, and a person must type large amounts (payctl limits set)',
  },
  '--no-live': { about: 'no real money moves here; only a person at a terminal can set this' },
} as const satisfies CommandRecord['flags']

export const set = command({
  summary: 'Create a profile, or change its values',
  about: 'Create a profile, or change some of its values. A profile has no token: see payctl login.',
  args: {
    '[name]': {
      about: 'letters, digits, dot, dash and underscore (default: the profile in use)',
      of: 'profile',
      parse: anyProfileName,
    },
  },
  flags,
  globals: {
    '--base-url': 'URL of the service; a new profile needs it',
    '--auth-url': 'OAuth server of the service (default: the base URL)',
    '--lang': 'language of its notes, questions, errors and help, unless --lang or PAYCTL_LANG names another',
    '--output': 'output format of its commands, unless -o or PAYCTL_OUTPUT names another',
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
  const values = await newValues(name, flags, context)
  const { unset = [], live } = flags
  const { followService, isMarkedLive, markLive, requireNoEmulator } = await import('./live.ts')
  // A live profile that leads to an emulator would refuse every payment.
  const isMoved = live === undefined && values.base_url !== undefined && isMarkedLive(name, context)
  if (live || isMoved) await requireNoEmulator(values.base_url ?? findProfile(context.config, name)?.base_url, context)
  if (live === false) await markLive(name, undefined, false, context)
  let before: Profile | undefined
  let changed: Config = context.config
  const change = (config: Config): Config => {
    before = findProfile(config, name)
    changed = { ...config, profiles: { ...config.profiles, [name]: merged(name, before, values, unset) } }
    return changed
  }
  await changeSettings(configSettings, context.configDir, change, context.signal)
  if (live) await markLive(name, changed.profiles[name]?.base_url, true, context)
  else if (values.base_url !== undefined) await followService(name, values.base_url, context)
  const entry = entryOf(name, changed, isMarkedLive(name, context))
  await context.output.record(entry, columns)
  noteUse(entry, before, values, context)
}

/** Values to set. Throws UsageError if there is nothing to change, or a value is both set and unset. */
async function newValues(name: string, flags: Flags, context: Context): Promise<Profile> {
  const { from, unset = [], live } = flags
  const plain = valuesOf(flags, context)
  if (name === emulatorProfile) requireAccountOnly(plain, flags)
  const account = from === undefined ? undefined : await accountOf(from, name, plain.base_url, context)
  const values: Profile = account === undefined ? plain : { ...plain, from: account }
  if (Object.keys(values).length + unset.length === 0 && live === undefined) {
    throw new UsageError(say`No value is given for profile ${name}.`, { kind: 'read_help' })
  }
  const both = unset.find((value) => values[value] !== undefined)
  if (both) throw new UsageError(say`${both} is both given and unset.`, 'Leave one of them out')
  return values
}

function valuesOf(
  { clientId: client_id, fxProvider: fx_provider, keyLife: key_life }: Flags,
  { globals }: Context,
): Profile {
  const { baseUrl, authUrl, output, lang, token } = globals
  if (token !== undefined) {
    throw new UsageError('A profile does not store a token.', toRun(['login', '--profile', '<name>', '--with-token']))
  }
  return {
    ...(baseUrl !== undefined && { base_url: serviceUrl(baseUrl, 'The base URL') }),
    ...(authUrl !== undefined && { auth_url: serviceUrl(authUrl, 'The auth URL') }),
    ...(client_id !== undefined && { client_id }),
    ...(fx_provider !== undefined && { fx_provider }),
    ...(key_life !== undefined && { key_life }),
    ...(output !== undefined && { output }),
    ...(lang !== undefined && { lang }),
  }
}

/** The emulator announces its URL, so only the account to pay from can be set in the built-in profile. */
function requireAccountOnly(values: Profile, { unset = [], live }: Flags): void {
  if (Object.keys(values).length === 0 && live === undefined && unset.every((key) => key === 'from')) return
  throw new UsageError(
    'The profile emulator is built in: only --from can be set. Nothing was saved.',
    toRun(['profiles', 'set', emulatorProfile, '--from', 'CRC']),
  )
}

/** The default account of a profile. `newBaseUrl` undefined: the URL does not change. */
async function accountOf(
  text: string,
  name: string,
  newBaseUrl: string | undefined,
  context: Context,
): Promise<string> {
  if (name === emulatorProfile) {
    // Keeps the user's text, because another world has other account ids.
    requireAccountText(text, '--from')
    return text.trim()
  }
  const { idOfAccount } = await import('./default_account.ts')
  const baseUrl = newBaseUrl ?? findProfile(context.config, name)?.base_url
  if (baseUrl === undefined) throw noBaseUrl(name)
  return idOfAccount({ profile: name, baseUrl, text }, context)
}

/** The profile after the change. Throws UsageError if the profile would have no base URL. */
function merged(name: string, before: Profile | undefined, values: Profile, unset: readonly ProfileKey[]): Profile {
  const [was, is] = [before?.base_url, values.base_url]
  // A default account belongs to one service.
  const kept = was !== undefined && is !== undefined && !isSameUrl(is, was) ? { ...before, from: values.from } : before
  const after: Profile = Object.fromEntries(
    Object.entries({ ...kept, ...values }).filter(
      ([key, value]) => value !== undefined && !(unset as readonly string[]).includes(key),
    ),
  )
  if (after.base_url === undefined && name !== emulatorProfile) throw noBaseUrl(name)
  return after
}

/** Notes how to use a new profile, or which settings still belong to the previous service. */
function noteUse(entry: Entry, before: Profile | undefined, values: Profile, context: Context): void {
  const { name } = entry
  const { output, globals, translate } = context
  const note = (text: Said, next: NextStep) => output.note(withHint(text, next, globals, translate))
  if (before?.base_url === undefined) {
    if (entry.current || entry.built_in) return
    note(
      say`To use this profile for one command, add -p ${name}.`,
      toRun(['profiles', 'use', name], 'To use it for all commands'),
    )
    return
  }
  if (before.base_url === entry.base_url) return
  const again = { kind: 'log_in', profile: name, words: 'Log in there' } as const
  note(say`A login at ${before.base_url} can’t be used at ${entry.base_url ?? ''}.`, again)
  if (entry.auth_url === null || values.auth_url !== undefined) return
  const unset = toRun(['profiles', 'set', name, '--unset', 'auth-url'], 'If that server belongs to the old service')
  note(say`The OAuth server of the profile is still ${entry.auth_url}.`, unset)
}

const noBaseUrl = (name: string): UsageError =>
  new UsageError(
    say`The profile ${name} has no base URL to send requests to. Nothing was saved.`,
    toRun(['profiles', 'set', name, '--base-url', '<url>']),
  )
