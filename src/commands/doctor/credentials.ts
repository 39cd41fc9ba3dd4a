import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Credentials, canRenew, hasExpired } from '../../auth/credentials.ts'
import { requireSameService } from '../../auth/refusals.ts'
import type { Context } from '../../cli/command.ts'
import type { Target } from '../../config/target.ts'
import { quoted } from '../../errors/cli_error.ts'
import { credentialsFile } from '../../files/directories.ts'
import { zonedTime } from '../../run/time.ts'
import { closedFolder, isOwn, modeOf, octal } from './files.ts'
import { type Finding, fail, failedWith, ok, warn } from './finding.ts'

/** Checks the credentials file and the login in use. Shows no secrets. */
export function credentials(
  { configDir }: Context,
  target: Target,
  login: Credentials | undefined,
): readonly Finding[] {
  const file = credentialsFile(configDir)
  if (!existsSync(file)) return [ok('credentials', `none yet: ${file}`)]
  const kept = keeping(file, login)
  return login ? [kept, judge(login, target)] : [kept]
}

const elsewhere = 'Let this user write there, or set PAYCTL_CONFIG_DIR to another directory'

function keeping(file: string, login: Credentials | undefined): Finding {
  const mode = modeOf(file) ?? 0
  if ((mode & 0o077) === 0) {
    const obstacle = login && canRenew(login) ? closedFolder(dirname(realpathSync(file))) : undefined
    return obstacle
      ? warn('credentials', `${obstacle}: the login can't be renewed`, elsewhere)
      : ok('credentials', file)
  }
  const detail = `${file} can be read by other users of this machine (mode ${octal(mode)})`
  if (isOwn(file)) return warn('credentials', detail, `chmod 600 ${quoted(file)}`)
  const next = 'Set PAYCTL_CONFIG_DIR to a directory of your own, and log in there'
  return fail('credentials', `${detail}, and belongs to one of them: it is not used`, { exit: 'unauthenticated', next })
}

function judge(login: Credentials, target: Target): Finding {
  try {
    requireSameService(login, target)
  } catch (error) {
    return failedWith('login', error)
  }
  const next = { kind: 'log_in', profile: target.profile } as const
  const who = `${login.kind === 'oauth' ? 'login' : 'dashboard token'}${login.user ? ` of ${login.user.name}` : ''}`
  const expired = hasExpired(login, Date.now())
  if (expired && !canRenew(login))
    return fail('login', `${who}: it ended at ${zonedTime(login.expires_at)}`, { exit: 'unauthenticated', next })
  if (login.renewal_refused_at !== undefined) {
    return warn('login', `${who}: good until ${zonedTime(login.expires_at)}, and the service renews it no more`, next)
  }
  if (expired)
    return ok('login', `${who}: it expired at ${zonedTime(login.expires_at)}, and the next command renews it`)
  return ok('login', `${who}${login.expires_at === undefined ? '' : `, until ${zonedTime(login.expires_at)}`}`)
}
