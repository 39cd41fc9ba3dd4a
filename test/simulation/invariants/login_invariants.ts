import { ApiError } from '../../../src/errors/service_errors.ts'
import { broken } from '../broken.ts'
import type { Action, End } from '../callers/callers.ts'
import { places } from '../script/places.ts'
import type { Circumstances } from './caller_invariants.ts'
import type { Conduct } from './conduct.ts'
import type { Journals } from './journals.ts'

/** Checks that a login that can be renewed is renewed, and that an ended login stays ended. */
export class LoginInvariants {
  readonly #journals: Journals
  readonly #conduct: Conduct
  /** Profiles that logged out. */
  readonly #loggedOut = new Set<string>()
  /** Logins under way. */
  readonly #loggingIn = new Set<Action>()

  constructor(journals: Journals, conduct: Conduct) {
    this.#journals = journals
    this.#conduct = conduct
  }

  /** Called when a login begins. */
  begins(action: Action): void {
    this.#loggedOut.delete(places[action.caller].profile)
    this.#loggingIn.add(action)
  }

  /** Called when an operation has ended. */
  ended(action: Action): void {
    this.#loggingIn.delete(action)
  }

  check({ action, told, error, faults }: End, { alone, steady }: Circumstances, world: string): void {
    const place = places[action.caller]
    const { profile, logsIn } = place
    if (told.some(({ what }) => what === 'logged out') && this.#loggingIn.size === 0) this.#loggedOut.add(profile)
    if (!logsIn) return
    const token = this.#journals.refreshToken(place)
    if (this.#loggedOut.has(profile) && token !== undefined) {
      broken('logged out', `the login of ${profile} is back`)
    }
    const failures = [error, ...told.map((one) => ('error' in one ? one.error : undefined))]
    const isRefused = failures.some((cause) => cause instanceof ApiError && cause.status === 401)
    if (faults.includes('answered 401')) return
    if (isRefused && alone && steady && token !== undefined && this.#conduct.isGood(token, world)) {
      broken('a login is renewed', `${action.do} of ${profile} was refused, and its refresh token is good`)
    }
  }
}
