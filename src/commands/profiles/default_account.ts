import { isSameUrl } from '../../config/base_url.ts'
import { profileInUse } from '../../config/profile.ts'
import { CliError, errorMessage } from '../../errors/cli_error.ts'
import { type Accounts, readAccounts } from '../../payments/accounts.ts'
import { requireAccountText, resolveAccount } from '../../values/account.ts'
import { isUuid } from '../arguments.ts'
import type { Context } from '../context.ts'
import { RunContext } from '../run_context.ts'

interface DefaultAccount {
  readonly profile: string
  /** Where requests of the profile go. */
  readonly baseUrl: string
  /** As the user names the account. */
  readonly text: string
}

/** The service's id of the account. Of a whole id it is only said when the service could not be asked. */
export async function idOfAccount({ text, ...place }: DefaultAccount, context: Context): Promise<string> {
  requireAccountText(text, '--from')
  const id = isUuid(text.trim()) ? text.trim().toLowerCase() : undefined
  let accounts: Accounts = null
  let reason = 'the token may not read accounts'
  try {
    accounts = await accountsAt(place, context)
  } catch (error) {
    if (id === undefined || context.signal.aborted) throw error
    reason = errorMessage(error).replace(/\.$/, '')
  }
  if (accounts) return resolveAccount(text, [...accounts.values()], '--from').id
  if (id !== undefined) {
    context.output.note(`Whether ${id} is one of your accounts was not checked: ${reason}.`)
    return id
  }
  throw new CliError('forbidden', `--from "${text}" can't be found: ${reason}.`, 'Give the whole id of the account')
}

async function accountsAt({ profile, baseUrl }: Omit<DefaultAccount, 'text'>, context: Context): Promise<Accounts> {
  const { globals, env } = context
  const isInUse = profile === profileInUse(globals, env, () => context.config)
  const isHere = isInUse && isSameUrl((await context.target()).baseUrl, baseUrl)
  if (isHere) return readAccounts(await context.client())
  const run = new RunContext(context)
  try {
    await run.begin({ ...globals, profile }, ['profiles', 'set'])
    return await readAccounts(await run.client())
  } finally {
    await run.close()
  }
}
