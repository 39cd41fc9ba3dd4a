import { existsSync } from 'node:fs'
import { type Credentials, canRenew, hasExpired } from '../../auth/credentials.ts'
import { loginCommand, requireSameService } from '../../auth/refusals.ts'
import { credentialsFile } from '../../config/directories.ts'
import { quoted } from '../../output/quoted.ts'
import type { Context, Target } from '../context.ts'
import { modeOf, octal } from './files.ts'
import { type Finding, fail, failedWith, ok, warn } from './finding.ts'

/** Where logins are kept, and what the one in use is good for. Of its secrets nothing is shown. */
export function credentials(
  { configDir }: Context,
  target: Target,
  login: Credentials | undefined,
): readonly Finding[] {
  const file = credentialsFile(configDir)
  if (!existsSync(file)) return [ok('credentials', `none yet: ${file}`)]
  const mode = modeOf(file) ?? 0
  const kept =
    mode & 0o077
      ? warn(
          'credentials',
          `${file} can be read by other users of this machine (mode ${octal(mode)})`,
          `chmod 600 ${quoted(file)}`,
        )
      : ok('credentials', file)
  return login ? [kept, judge(login, target)] : [kept]
}

function judge(login: Credentials, target: Target): Finding {
  try {
    requireSameService(login, target)
  } catch (error) {
    return failedWith('login', error)
  }
  const hint = `Log in again: ${loginCommand(target.profile)}`
  const who = `${login.kind === 'oauth' ? 'login' : 'dashboard token'}${login.user ? ` of ${login.user.name}` : ''}`
  const expired = hasExpired(login, Date.now())
  if (expired && !canRenew(login))
    return fail('login', `${who}: it ended at ${login.expires_at}`, { exit: 'unauthenticated', hint })
  if (login.renewal_refused_at !== undefined) {
    return warn('login', `${who}: good until ${login.expires_at}, and the service renews it no more`, hint)
  }
  if (expired) return ok('login', `${who}: it expired at ${login.expires_at}, and the next command renews it`)
  return ok('login', `${who}${login.expires_at === undefined ? '' : `, until ${login.expires_at}`}`)
}
