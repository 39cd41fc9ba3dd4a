import { demo } from '../../../emulator/worlds/seed.ts'
import { allScopes } from '../../../src/contract/index.ts'
import type { CallerName, Order } from './script.ts'

/** The well-known tokens of the users. */
export const tokens = { maria: demo.token, laura: 'token-of-laura' }

/** A token of the first user that may pay but can't read accounts. */
export const payingToken = {
  token: 'token-for-payments',
  scopes: allScopes.filter((scope) => scope !== 'read-accounts'),
}

/** Files and identity of a caller. */
export interface Place {
  readonly journal: string
  /** Profile, which has its own login and limits; two profiles may share a journal. */
  readonly profile: string
  readonly user: keyof typeof tokens
  /** True if the caller logs in and receives tokens that expire; false if it has a permanent token. */
  readonly logsIn: boolean
  /** Permanent token; default: the well-known token of the user. */
  readonly token?: string
  /** Currency of the account that the caller debits; default: CRC. */
  readonly currency?: 'USD'
  /** Limits until they are changed. */
  readonly limits?: PlaceLimits
}

/** Limits in minor units of CRC; hours in Costa Rica's time. */
export interface PlaceLimits {
  readonly perPayment?: number | undefined
  readonly perDay: number
  readonly perPayeeDay?: number | undefined
  readonly hours?: string | undefined
  readonly readOnly?: boolean | undefined
}

/** A few payments reach these limits, so that the limits are tested often. */
const botLimits = { perPayment: 30_000_000, perDay: 50_000_000, perPayeeDay: 30_000_000, hours: '01:00-22:30' }

const limits = { perPayment: 55_000_000, perDay: 90_000_000, perPayeeDay: 40_000_000, hours: '03:30-23:45' }

export const places: Readonly<Record<CallerName, Place>> = {
  ana: { journal: 'ana', profile: 'ana', user: 'maria', logsIn: true, limits },
  ana2: { journal: 'ana', profile: 'ana', user: 'maria', logsIn: true, limits },
  bot: { journal: 'bot', profile: 'bot', user: 'maria', logsIn: false, limits: botLimits },
  laura: { journal: 'bot', profile: 'laura', user: 'laura', logsIn: false },
  clerk: {
    ...{ journal: 'clerk', profile: 'clerk', user: 'maria', logsIn: false, token: payingToken.token, currency: 'USD' },
    limits: { perDay: 90_000_000 },
  },
}

/** One place of each profile. */
export const profiles: readonly Place[] = [places.ana, places.bot, places.laura, places.clerk]

const [colones, dollars] = demo.accounts

/** The debited account. */
export const accountOf = ({ user, currency }: Place): string =>
  user === 'laura' ? demo.neighbour.account.id : (currency === 'USD' ? dollars : colones).id

/** True if an account is in dollars, a currency without limits. */
export const isInDollars = (account: string): boolean => account === dollars.id
export const userIds = { maria: demo.user.id, laura: demo.neighbour.user.id }

/** Scope in which a row is paid only once: the named batch, or all unnamed batches of the row's user. */
export const scopeOf = ({ batch, unnamed }: { readonly batch: string; readonly unnamed?: boolean }): string =>
  unnamed ? '' : batch

export const descriptionOf = ({ order }: Pick<Order, 'order'>): string => `Order ${order} of the simulation`
