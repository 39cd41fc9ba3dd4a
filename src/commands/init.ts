import { Writable } from 'node:stream'
import { InvalidArgumentError } from 'commander'
import { formerCredentials } from '../auth/credentials_file.ts'
import { type Context, command } from '../cli/command.ts'
import { withHint } from '../cli/next_step.ts'
import { nothing } from '../cli/prints.ts'
import { programOf } from '../cli/program.ts'
import { askChoice, askText, type Choice } from '../cli/prompts.ts'
import { RunContext } from '../cli/run_context.ts'
import { isSameUrl } from '../config/base_url.ts'
import { currentProfile, defaultProfile, emulatorProfile, findProfile } from '../config/profile.ts'
import { provenEmulators } from '../config/proven_emulators.ts'
import { runningEmulators } from '../config/running_emulators.ts'
import { saidBy, UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { readAccounts } from '../payments/accounts.ts'
import { asText, foreign, say } from '../words/text.ts'
import { accountChoices } from './payments/ask_missing.ts'
import { noteOutranked } from './profiles/list.ts'
import { profileName, serviceUrl } from './profiles/values.ts'

export const init = command({
  summary: 'Set up service, login, account, Tab',
  about:
    'Ask for what payctl needs: the service, a login, the default account to pay from, and Tab completion. Each ' +
    'step runs the command that it shows, and can be skipped. Each finished step is saved: run the command again to ' +
    'change a step. Without a terminal, payctl names the commands and exits with 2.',
  prints: nothing,
  examples: ['payctl init', 'payctl init --base-url https://api.example.com', 'payctl init --profile prod'],
  async run(_, context) {
    requireTerminal(context)
    const profile = await chooseService(context)
    if (profile !== undefined) {
      if (profile !== emulatorProfile) await logIn(profile, context)
      await chooseAccount(profile, context)
    }
    const { addCompletion } = await import('./init/add_completion.ts')
    await addCompletion(context)
    const [said, next] =
      profile === undefined
        ? (['No service is set.', toRun(['init'], 'To set one')] as const)
        : (['payctl is set up.', toRun(['status', ...flagsOf(profile, context)], 'To begin')] as const)
    context.output.note(withHint(said, next, {}, context.translate))
  },
})

function requireTerminal({ interactive, globals }: Context): void {
  if (interactive) return
  throw new UsageError('This command asks questions, so it needs a terminal.', {
    kind: 'set_up_by_commands',
    profile: globals.profile ?? defaultProfile,
  })
}

/** Runs a command of payctl as if it were typed, without its output on stdout. */
async function runCommand(argv: readonly string[], context: Context): Promise<void> {
  context.io.stderr.write(`$ payctl ${argv.join(' ')}\n`)
  const run = quietRun(context)
  try {
    await (await programOf(argv, run)).parseAsync(argv, { from: 'user' })
  } finally {
    await run.close()
  }
}

/** A new run in the same language, because earlier steps have changed the configuration. Prints nothing on stdout. */
function quietRun({ root, env, io, signal, language }: Context): RunContext {
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })
  return new RunContext({ root, env: { ...env, PAYCTL_LANG: language }, io: { ...io, stdout }, signal })
}

/** Asks for the service, and returns its profile; undefined if the step was skipped. */
async function chooseService(context: Context): Promise<string | undefined> {
  const { globals, config, env } = context
  const name = globals.profile ?? (currentProfile(config) === emulatorProfile ? defaultProfile : currentProfile(config))
  const given = globals.emulator || name === emulatorProfile ? 'emulator' : globals.baseUrl
  const choice = given ?? (await askService(findProfile(config, name)?.base_url, context))
  if (choice === undefined) return undefined
  const profile = choice === 'emulator' ? emulatorProfile : await profileFor(choice, name, context)
  if (profile !== currentProfile(quietRun(context).config)) await runCommand(['profiles', 'use', profile], context)
  else noteOutranked({ env, output: context.output })
  return profile
}

type Service = 'emulator' | 'other' | undefined | (string & {})

/** Asks for the service: returns a base URL, `emulator`, or undefined to skip the step. */
async function askService(saved: string | undefined, context: Context): Promise<string | undefined> {
  const { stateDir, signal } = context
  const { proven } = await provenEmulators(runningEmulators(stateDir), { signal, timeout: 2_000 })
  const choices: readonly Choice<Service>[] = [
    ...(saved === undefined ? [] : [{ value: saved, name: say`${saved}, as now` }]),
    ...proven.slice(0, 1).map(({ base_url }) => ({ value: 'emulator', name: say`The emulator at ${base_url}` })),
    {
      value: 'other',
      name: saved === undefined ? say`A service: type its base URL` : say`Another service: type its base URL`,
    },
    { value: undefined, name: say`None for now` },
  ]
  const choice = await askChoice({ message: 'Which service do you use?', choices }, context)
  if (choice !== 'other') return choice
  return askText({ message: 'Base URL:', check: (text) => serviceUrl(text.trim(), 'The base URL') }, context)
}

/**
 * Returns the profile that leads to the service; saves one if necessary. Does not change a profile of another service.
 */
async function profileFor(baseUrl: string, name: string, context: Context): Promise<string> {
  const { config } = context
  const saved = findProfile(config, name)?.base_url
  if (saved !== undefined && isSameUrl(saved, serviceUrl(baseUrl, 'The base URL'))) return name
  const profile = saved === undefined ? name : await askProfile(name, context)
  await runCommand(['profiles', 'set', profile, '--base-url', baseUrl], context)
  return profile
}

const askProfile = (taken: string, context: Context): Promise<string> =>
  askText(
    {
      message: say`The profile ${taken} is for another service. Name of a new profile:`,
      check(text) {
        if (findProfile(context.config, text.trim())?.base_url !== undefined) {
          throw new UsageError(say`Profile ${text.trim()} already exists.`)
        }
        try {
          profileName(text.trim())
        } catch (error) {
          throw error instanceof InvalidArgumentError ? new UsageError(foreign(error.message)) : error
        }
      },
    },
    context,
  )

/** Flags that select the profile; none if the profile is in use anyway. */
const flagsOf = (profile: string, context: Context): readonly string[] =>
  profile === currentProfile(quietRun(context).config) ? [] : ['-p', profile]

async function logIn(profile: string, context: Context): Promise<void> {
  const last = await formerCredentials(context.configDir, profile)
  const saved = findProfile(quietRun(context).config, profile)?.base_url
  const isHere = last !== undefined && saved !== undefined && isSameUrl(last.base_url, saved)
  const stay = last?.user ? say`Stay logged in as ${last.user.name}` : say`Stay logged in`
  const how = await askChoice(
    {
      message: 'How do you log in?',
      choices: [
        ...(isHere ? [{ value: undefined, name: stay }] : []),
        { value: [], name: say`In the browser` },
        { value: ['--with-token'], name: say`With a token from the dashboard` },
        ...(isHere ? [] : [{ value: undefined, name: say`Not now` }]),
      ],
    },
    context,
  )
  if (how) await runCommand(['login', '-p', profile, ...how], context)
}

/**
 * Asks for the account to pay from. If no account can be chosen, only notes why, because the earlier steps are done.
 */
async function chooseAccount(profile: string, context: Context): Promise<void> {
  if (profile !== emulatorProfile && !(await formerCredentials(context.configDir, profile))) return
  const run = quietRun(context)
  try {
    await run.begin({ profile }, ['init'])
    const accounts = [...((await readAccounts(await run.client())) ?? []).values()]
    const active = accounts.filter(({ status }) => status === 'active')
    if (active.length === 0) {
      context.output.note('This login can’t read any active account, so no default account was set.')
      return
    }
    const account = await askChoice(
      {
        message: 'Pay by default from:',
        choices: [...accountChoices(active), { value: undefined, name: say`None: ask each time` }],
      },
      context,
    )
    if (!account) return
    // Another world of the emulator has other account ids, but the same currencies.
    const { currency } = account.balance
    const isOnly = active.filter(({ balance }) => balance.currency === currency).length === 1
    const text = profile !== emulatorProfile ? account.id : isOnly && currency ? currency : (account.iban ?? account.id)
    await runCommand(['profiles', 'set', profile, '--from', text], context)
  } catch (error) {
    if (context.signal.aborted || error instanceof UsageError) throw error
    context.output.note(say`The accounts could not be read: ${asText(saidBy(error))}`)
  } finally {
    await run.close()
  }
}
