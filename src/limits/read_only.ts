import { existsSync } from 'node:fs'
import type { Client } from '../client/client.ts'
import { limitsFile } from '../files/directories.ts'
import { inspectJournal } from '../journal/inspect.ts'
import { isSurrogateId } from '../journal/intent.ts'
import { readLimits } from './limits_file.ts'
import { goneLimits, LimitError } from './refusals.ts'
import { reaches } from './used.ts'

interface Folders {
  readonly configDir: string
  readonly stateDir: string
}

interface Run extends Folders {
  readonly profile: string
  readonly baseUrl: string
  /** Returns a client to look up the user; called only if the limits depend on the user. */
  readonly client: () => Promise<Client>
}

/** Finds profiles that have limits according to the journal, but not in the limits file. */
function lostLimits({ configDir, stateDir }: Folders) {
  const noted = inspectJournal(stateDir, (journal) => journal.limitedProfiles()) ?? []
  if (noted.length === 0) return []
  const kept = new Set(readLimits(configDir).profiles.map(({ profile }) => profile))
  return noted.filter(({ profile }) => !kept.has(profile))
}

/** True if limits exist on this machine, or the journal remembers any. */
export const hasLimits = (folders: Folders): boolean =>
  existsSync(limitsFile(folders.configDir)) || lostLimits(folders).length > 0

/**
 * Throws if limits make this run read-only, or if its limits are lost: their content is then unknown. The limits
 * also apply to an unknown user.
 */
export async function requireChangesAllowed({ profile, baseUrl, client, ...folders }: Run): Promise<void> {
  const { configDir } = folders
  const isOurs = (limits: { readonly profile: string; readonly services: readonly string[] }) =>
    limits.profile === profile || reaches(limits.services, baseUrl)
  const lost = lostLimits(folders).find(isOurs)
  if (lost) throw goneLimits(lost.profile, limitsFile(configDir))
  const readOnly = readLimits(configDir).profiles.filter((limits) => limits.read_only && isOurs(limits))
  const refuse = (by: string) => new LimitError(by, { kind: 'read_only' }, Date.now())
  const own = readOnly.find((limits) => limits.profile === profile || limits.users === null)
  if (own) throw refuse(own.profile)
  const [first] = readOnly
  if (!first) return
  const user = await (await client()).call('user.get').then(
    ({ id }) => id,
    () => undefined,
  )
  const held = readOnly.find(({ users }) => !user || isSurrogateId(user) || users?.includes(user))
  if (held) throw refuse(held.profile)
}
