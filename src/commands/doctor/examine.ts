import { currentToken } from '../../auth/access_token.ts'
import type { Credentials } from '../../auth/credentials.ts'
import type { Context } from '../../cli/command.ts'
import { plainClient } from '../../cli/connection.ts'
import type { Target } from '../../config/target.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { type Finding, failedWith, ok, warn } from './finding.ts'
import { configuration, credentials, emulators, isUnconfigured, journal, machine, proxy, state } from './local.ts'
import { service, token } from './service.ts'

/** Time limit of each request, in milliseconds, if --timeout is not set. */
const requestTimeoutMs = 5000

/** Runs the checks in order: each check may need the results of earlier checks. */
export async function examine(context: Context): Promise<readonly Finding[]> {
  const local = [...machine, configuration(context), state(context), journal(context)]
  // This check runs before the target is resolved, because resolving the target removes the files of dead emulators.
  const running = await emulators(context)
  return [...local, running, ...(await remote(context))]
}

async function remote(context: Context): Promise<readonly Finding[]> {
  const target = await aim(context)
  if ('check' in target) return [target]
  const place = ok('target', `${target.baseUrl} (profile ${target.profile})`)
  const standing = await currentToken(target, context.configDir).catch((error: unknown) =>
    failedWith('credentials', error),
  )
  const damaged = 'check' in standing
  const { token: bearer, credentials: login } = damaged ? {} : standing
  const kept = damaged ? [standing] : await credentials(context, target, login)
  const way = await proxy(target, context)
  if (way.some(({ status }) => status === 'fail')) return [place, ...kept, ...way]
  const client = await plainClient(context, { token: bearer, timeout: context.globals.timeout ?? requestTimeoutMs })
  try {
    const [open, authenticated] = await Promise.all([
      service(client, target, context.env),
      bearer === undefined ? withoutToken(login) : token(client, login?.scopes),
    ])
    context.signal.throwIfAborted()
    const reached = open[0]?.status === 'ok'
    return [place, ...kept, ...way, ...open, ...(reached || bearer === undefined ? authenticated : [])]
  } finally {
    await client.close()
  }
}

/** If a login is saved, the check of the login reports why the token is missing. */
const withoutToken = (login: Credentials | undefined): readonly Finding[] =>
  login ? [] : [warn('token', 'none: only public endpoints can be called', { kind: 'log_in' })]

/** The target, or a finding: a failure, but only a warning on a machine where nothing is set up yet. */
async function aim(context: Context): Promise<Target | Finding> {
  try {
    return await context.target()
  } catch (error) {
    const finding = failedWith('target', error)
    const isNew = error instanceof UsageError && configuration(context).status !== 'fail' && isUnconfigured(context)
    return isNew ? { ...finding, status: 'warn' } : finding
  }
}
