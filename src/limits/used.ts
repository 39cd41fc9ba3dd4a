import { isLoopback, normalUrl } from '../client/base_url.ts'
import { worldPath } from '../contract/emulator_names.ts'
import type { CountedPayments } from '../journal/counted_payments.ts'
import { isSurrogateId, type Principal } from '../journal/intent.ts'
import { dayOf, type JudgedPayment, type ProfileLimits } from './limits.ts'

// Selects the users that limits apply to, and the payments that count against limits.

/** Read access to the counted payments. */
export type Counted = Pick<CountedPayments, 'atOneMoment' | 'journalId' | 'latest' | 'find' | 'sum' | 'notedProfiles'>

/** The paying user and profile. */
export interface Payer extends Principal {
  readonly profile: string
}

/**
 * Normalizes a base URL further than `normalUrl` does: gives this machine one name, and removes redundant escapes and
 * slashes from the path.
 */
export function serviceOf(baseUrl: string): string {
  const url = normalUrl(baseUrl)
  if (!URL.canParse(url)) return url
  const plain = new URL(url)
  if (isLoopback(url)) plain.hostname = '127.0.0.1'
  plain.pathname = unescaped(plain.pathname).replace(/\/{2,}/g, '/')
  return normalUrl(plain.href)
}

/** Decodes until nothing changes: a proxy may decode a path before the service does. */
function unescaped(path: string): string {
  try {
    const plain = decodeURIComponent(path)
    return plain === path ? path : unescaped(plain)
  } catch {
    return path
  }
}

/**
 * True if a run against `baseUrl` can reach one of the services. Also true if one URL is a prefix of the other, because
 * the path of a raw request can supply the rest of the longer URL. Worlds of an emulator on this machine are separate
 * services. On other machines a world's path makes no difference, because the service there may ignore it.
 */
export function reaches(services: readonly string[], baseUrl: string): boolean {
  const service = serviceOf(baseUrl)
  return services.some((known) => {
    const [short, long] = known.length <= service.length ? [known, service] : [service, known]
    const isWorld = long.startsWith(`${short}${worldPath}/`) && isLoopback(short)
    return long === short || (long.startsWith(`${short}/`) && !isWorld)
  })
}

/**
 * True if the limits apply to the payer. The limits of a profile apply to every run of the profile. At the profile's
 * services, the limits also apply to every run whose user is unknown or is one of the profile's users.
 */
export const holdFor = (
  { profile, services, users }: Pick<ProfileLimits, 'profile' | 'services' | 'users'>,
  by: Payer,
) =>
  profile === by.profile ||
  (reaches(services, by.base_url) && (users === null || isSurrogateId(by.user) || users.includes(by.user)))

/**
 * Time of a decision, never earlier than the last counted payment: a clock that is set back must not give a day's limit
 * a second time.
 */
export const timeOf = (counted: Pick<Counted, 'latest'>): number =>
  Math.max(Date.now(), Date.parse(counted.latest ?? '') || 0)

interface UsedBy {
  readonly limits: ProfileLimits
  readonly payer: Payer
  readonly at: number
  readonly except: number | undefined
  readonly asked: Pick<JudgedPayment, 'payee'>
}

/** Functions that return the sums that already count against limits. */
export function usedOf(counted: Pick<Counted, 'sum'>, { limits, payer, at, except, asked }: UsedBy) {
  const { profile, services, users } = limits
  const scope = {
    profile,
    services,
    users: users === null || isSurrogateId(payer.user) ? null : [...users, payer.user],
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

/** Sums of planned rows, in addition to the sums that already count. */
export class PlannedSums {
  readonly #sums = new Map<string, number>()

  add({ amount, currency, payee }: JudgedPayment): void {
    for (const key of [`${currency}`, `${currency} ${payee}`]) this.#sums.set(key, this.#at(key) + amount)
  }

  with(used: ReturnType<typeof usedOf>, { payee }: JudgedPayment): ReturnType<typeof usedOf> {
    return {
      day: (currency) => used.day(currency) + this.#at(currency) + this.#at('null'),
      payeeDay: (currency) => used.payeeDay(currency) + this.#at(`${currency} ${payee}`) + this.#at(`null ${payee}`),
    }
  }

  #at = (key: string): number => this.#sums.get(key) ?? 0
}
