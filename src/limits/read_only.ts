import type { Client } from '../client/client.ts'
import { isStandIn } from '../journal/intent.ts'
import { readLimits } from './limits_file.ts'
import { LimitError } from './refusals.ts'
import { serviceOf } from './used.ts'

interface Run {
  readonly configDir: string
  readonly profile: string
  readonly baseUrl: string
  /** Asked who the user is, where that decides. */
  readonly client: () => Promise<Client>
}

/** Throws where limits allow this run reading only. Where it is not known whether the user is theirs, they hold. */
export async function requireWritable({ configDir, profile, baseUrl, client }: Run): Promise<void> {
  const service = serviceOf(baseUrl)
  const readOnly = readLimits(configDir).profiles.filter(
    (limits) => limits.read_only && (limits.profile === profile || limits.services.includes(service)),
  )
  const refuse = (by: string) => new LimitError(by, { kind: 'read_only' }, Date.now())
  const own = readOnly.find((limits) => limits.profile === profile || limits.users === null)
  if (own) throw refuse(own.profile)
  const [first] = readOnly
  if (!first) return
  const user = await (await client()).call('user.get').then(
    ({ id }) => id,
    () => undefined,
  )
  const held = readOnly.find(({ users }) => !user || isStandIn(user) || users?.includes(user))
  if (held) throw refuse(held.profile)
}
