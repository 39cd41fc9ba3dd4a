import { normalUrl } from '../client/base_url.ts'
import { isLoopback } from '../client/loopback.ts'
import { worldPath } from '../contract/world_path.ts'
import type { CountedPayments } from '../journal/counted_payments.ts'
import { isStandIn, type Principal } from '../journal/intent.ts'
import { type Asked, dayOf, type ProfileLimits } from './limits.ts'

// For whom limits hold, and what counts already of theirs.

/** What has been counted. */
export type Counted = Pick<CountedPayments, 'atOneMoment' | 'journalId' | 'latest' | 'find' | 'sum' | 'notedProfiles'>

/** Where there is no journal. */
export const noneCounted: Counted = {
  atOneMoment: (read) => read(),
  journalId: '',
  latest: null,
  find: () => undefined,
  sum: () => 0,
  notedProfiles: () => [],
}

/** Who pays, and by which profile. */
export interface Payer extends Principal {
  readonly profile: string
}

/** A base URL in a spelling in which all names of this machine are one, and a path has no redundant escapes and slashes. */
export function serviceOf(baseUrl: string): string {
  const url = normalUrl(baseUrl)
  if (!URL.canParse(url)) return url
  const plain = new URL(url)
  if (isLoopback(url)) plain.hostname = '127.0.0.1'
  plain.pathname = unescaped(plain.pathname).replace(/\/{2,}/g, '/')
  return normalUrl(plain.href)
}

/** Decoded until nothing changes: a proxy may decode a path before the service does. */
function unescaped(path: string): string {
  try {
    const plain = decodeURIComponent(path)
    return plain === path ? path : unescaped(plain)
  } catch {
    return path
  }
}

/**
 * Whether a run that goes to `baseUrl` can reach one of the services: also where one URL goes on into the paths of the
 * other, as `api` can name the rest. The worlds of an emulator on this machine are separate services; elsewhere a service
 * may ignore the path of a world.
 */
export function reaches(services: readonly string[], baseUrl: string): boolean {
  const service = serviceOf(baseUrl)
  return services.some((known) => {
    const [short, long] = known.length <= service.length ? [known, service] : [service, known]
    const isWorld = long.startsWith(`${short}${worldPath}/`) && isLoopback(short)
    return long === short || (long.startsWith(`${short}/`) && !isWorld)
  })
}

/** The profile's own limits hold, and those for the service that is paid at unless the user is known to be another. */
export const holdFor = (
  { profile, services, users }: Pick<ProfileLimits, 'profile' | 'services' | 'users'>,
  by: Payer,
) =>
  profile === by.profile ||
  (reaches(services, by.base_url) && (users === null || isStandIn(by.user) || users.includes(by.user)))

/** Never before the last payment that was counted: a clock that was put back gives no day a second time. */
export const timeOf = (counted: Pick<Counted, 'latest'>): number =>
  Math.max(Date.now(), Date.parse(counted.latest ?? '') || 0)

interface UsedBy {
  readonly limits: ProfileLimits
  readonly payer: Payer
  readonly at: number
  readonly except: number | undefined
  readonly asked: Pick<Asked, 'payee'>
}

/** What counts already for limits; looked up when it is asked for. */
export function usedOf(counted: Pick<Counted, 'sum'>, { limits, payer, at, except, asked }: UsedBy) {
  const { profile, services, users } = limits
  const scope = {
    profile,
    services,
    users: users === null || isStandIn(payer.user) ? null : [...users, payer.user],
    world: payer.world,
    day: dayOf(at),
    except: except ?? null,
  }
  return {
    day: (currency: string) => counted.sum({ ...scope, currency, payee: null }),
    payeeDay: (currency: string) => counted.sum({ ...scope, currency, payee: asked.payee }),
  }
}

export const nothingUsed = { day: () => 0, payeeDay: () => 0 }

/** Sums of rows that are planned besides what counts already. */
export class PlannedSums {
  readonly #sums = new Map<string, number>()

  add({ amount, currency, payee }: Asked): void {
    for (const key of [`${currency}`, `${currency} ${payee}`]) this.#sums.set(key, this.#at(key) + amount)
  }

  with(used: ReturnType<typeof usedOf>, { payee }: Asked): ReturnType<typeof usedOf> {
    return {
      day: (currency) => used.day(currency) + this.#at(currency) + this.#at('null'),
      payeeDay: (currency) => used.payeeDay(currency) + this.#at(`${currency} ${payee}`) + this.#at(`null ${payee}`),
    }
  }

  #at = (key: string): number => this.#sums.get(key) ?? 0
}
