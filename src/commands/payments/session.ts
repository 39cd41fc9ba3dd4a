import { Audit, type Decision } from '../../audit/audit.ts'
import type { Context } from '../../cli/command.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { saidBy, UsageError } from '../../errors/cli_error.ts'
import { surrogateId } from '../../journal/intent.ts'
import { openJournal } from '../../journal/journal.ts'
import { isLive } from '../../limits/guard.ts'
import type { PaymentOptions } from '../../payments/payment_session.ts'
import { type NamedSender, type SenderOptions, surrogateIdOfToken } from '../../payments/sender.ts'
import type { Reporter } from '../../run/reporter.ts'
import { asText, type Said, say } from '../../words/text.ts'

/** Options of the payment engine in this run. */
export interface EngineOptions extends PaymentOptions {
  readonly reporter: Reporter
  readonly asksPerson?: boolean
  readonly signal: AbortSignal
}

/** Flags for the agreement to send and the lifetime of keys. */
export interface Consent {
  readonly yes?: boolean | undefined
  /** Lifetime of keys in milliseconds; default: the lifetime in the profile. */
  readonly keyLife?: number | undefined
  /** Source of the agreement for the audit file, if the user agreed in an earlier run. */
  readonly decidedBy?: Decision
}

/** Opens the journal and closes it after the work. */
export async function withJournal<T>(
  context: Context,
  { yes, keyLife, decidedBy = yes ? 'flag' : 'terminal' }: Consent,
  work: (options: EngineOptions) => Promise<T>,
): Promise<T> {
  const sender = await senderOptions(context, 'payment')
  const journal = openJournal(context.stateDir)
  const audit = { file: new Audit(context.stateDir), decidedBy }
  try {
    const options = { ...paymentOptions(sender, context), journal, audit, limitsIn: context.configDir }
    const asking = {
      asksPerson: !yes && context.interactive,
      keyLife: keyLife ?? (await context.target()).settings.keyLife,
    }
    return await work({ ...options, ...asking })
  } finally {
    closeAudit(audit.file, context)
    journal.close()
  }
}

/** Reports a failure as a note, because payments are not affected: only the last audit lines may be lost. */
function closeAudit(file: Audit, { output }: Context): void {
  try {
    file.close()
  } catch (error) {
    output.note(say`The last lines of the audit file may be lost: ${asText(saidBy(error))}`)
  }
}

export const paymentOptions = (sender: SenderOptions, context: Context): Omit<EngineOptions, 'journal'> => ({
  ...sender,
  reporter: reporterOf(context),
  signal: context.signal,
  payees: async () => (await import('../../cli/saved_payees.ts')).savedPayees(context),
})

/** Options to look up the sender. */
export async function senderOptions(context: Context, need?: 'token' | 'payment'): Promise<SenderOptions> {
  const client = await context.client(need)
  const { profile, baseUrl } = await context.target()
  const live = isLive(context.configDir, profile, baseUrl)
  return { client, profile, isLive: live, stateDir: context.stateDir, holder: () => tokenHolder(context) }
}

/** Surrogate id of the token's user, constant for the life of a login. */
async function tokenHolder(context: Context): Promise<string> {
  const target = await context.target()
  const { token: given } = target
  if (given !== undefined) return surrogateIdOfToken(target.baseUrl, given)
  // Uses the client's login: the credentials file may contain another login by now.
  const login = await context.login()
  if (login.loginId !== undefined) return surrogateId('login', login.loginId)
  return surrogateIdOfToken(target.baseUrl, await login.token())
}

/** The user that `--sent-by` names. */
export const namedSender = (user: string | undefined): NamedSender | undefined =>
  user === undefined ? undefined : { user, valueName: '--sent-by' }

/** Throws without --yes if nobody can be asked. */
export function requireAnswerer(yes: boolean | undefined, { interactive }: Context, hint: Said = sendHint): void {
  if (yes || interactive) return
  throw new UsageError("This command sends money, and can't ask without a terminal. Nothing was sent.", hint)
}

export const sendHint = 'Add --yes to send without being asked, or --dry-run to see what would happen'

/** Like `requireAnswerer`, for the engine, which knows the payment to send. */
export const answererOf =
  (yes: boolean | undefined, context: Context) =>
  (what: Said, why?: Said): void => {
    const advice = say`Add --yes to ${what}`
    requireAnswerer(yes, context, why === undefined ? advice : say`${why} ${advice}`)
  }
