import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { RunContext } from '../../cli/run_context.ts'
import { isSameUrl } from '../../config/base_url.ts'
import { findProfile, profileInUse } from '../../config/profile.ts'
import { CliError, reasonOf, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { type Accounts, readAccounts } from '../../payments/accounts.ts'
import { requireAccountText, resolveAccount } from '../../values/account.ts'
import { say } from '../../words/text.ts'

interface DefaultAccount {
  readonly profile: string
  /** Base URL for requests of the profile. */
  readonly baseUrl: string
  /** Account as the user typed it. */
  readonly text: string
}

/** Finds the service's id of the account. If the service can't be asked, accepts a complete id and prints a note. */
export async function idOfAccount({ text, ...place }: DefaultAccount, context: Context): Promise<string> {
  requireAccountText(text, '--from')
  const id = isUuid(text.trim()) ? text.trim().toLowerCase() : undefined
  let accounts: Accounts = null
  let reason = say`the token is not allowed to read accounts`
  try {
    accounts = await accountsAt(place, context)
  } catch (error) {
    if (id === undefined || context.signal.aborted) throw error
    reason = reasonOf(error)
  }
  if (accounts) return resolveAccount(text, [...accounts.values()], '--from').id
  if (id !== undefined) {
    context.output.note(say`The account ${id} was not checked: ${reason}.`)
    return id
  }
  throw new CliError('forbidden', say`--from "${text}" can't be found: ${reason}.`, 'Give the whole id of the account')
}

async function accountsAt({ profile, baseUrl }: Omit<DefaultAccount, 'text'>, context: Context): Promise<Accounts> {
  const { globals, env } = context
  const isInUse = profile === profileInUse(globals, env, () => context.config)
  const isHere = isInUse && isSameUrl((await context.target()).baseUrl, baseUrl)
  if (isHere) return readAccounts(await context.client())
  if (!findProfile(context.config, profile)) throw tooEarly(profile, baseUrl)
  const run = new RunContext(context)
  try {
    await run.begin({ ...globals, profile }, ['profiles', 'set'])
    return await readAccounts(await run.client())
  } finally {
    await run.close()
  }
}

/** Error for an account of a new profile: the account can't be looked up without a login. */
const tooEarly = (profile: string, baseUrl: string): CliError =>
  new UsageError(
    say`Log in to profile ${profile} first: the account cannot be looked up yet. Nothing was saved.`,
    toRun(['profiles', 'set', profile, '--base-url', baseUrl], 'Make the profile without --from'),
  )
