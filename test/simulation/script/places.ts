import { demo } from '../../../emulator/worlds/seed.ts'
import type { CallerName, Order } from './script.ts'

/** The well-known tokens of the users. */
export const tokens = { maria: demo.token, laura: 'token-of-laura' }

/** Where a caller keeps its files, and who it is. */
export interface Place {
  readonly journal: string
  /** Has its login and limits; another of the same journal has its own. */
  readonly profile: string
  readonly user: keyof typeof tokens
  /** Whether it logs in, with tokens that expire; else it has a token for good. */
  readonly logsIn: boolean
  /** What holds until it is changed. */
  readonly limits?: PlaceLimits
}

/** Minor units of CRC; hours in Costa Rica. */
export interface PlaceLimits {
  readonly perPayment?: number | undefined
  readonly perDay: number
  readonly perPayeeDay?: number | undefined
  readonly hours?: string | undefined
  readonly readOnly?: boolean | undefined
}

/** Of a few payments' worth, so that they are often met. */
const botLimits = { perPayment: 30_000_000, perDay: 50_000_000, perPayeeDay: 30_000_000, hours: '01:00-22:30' }

const limits = { perPayment: 55_000_000, perDay: 90_000_000, perPayeeDay: 40_000_000, hours: '03:30-23:45' }

export const places: Readonly<Record<CallerName, Place>> = {
  ana: { journal: 'ana', profile: 'ana', user: 'maria', logsIn: true, limits },
  ana2: { journal: 'ana', profile: 'ana', user: 'maria', logsIn: true, limits },
  bot: { journal: 'bot', profile: 'bot', user: 'maria', logsIn: false, limits: botLimits },
  laura: { journal: 'bot', profile: 'laura', user: 'laura', logsIn: false },
}

/** One of each profile. */
export const profiles: readonly Place[] = [places.ana, places.bot, places.laura]

/** The account that pays. */
export const accountOf = { maria: demo.accounts[0].id, laura: demo.neighbour.account.id }
export const userIds = { maria: demo.user.id, laura: demo.neighbour.user.id }

/** In what a row is paid once: the batch of that name, or all batches of its user without one. */
export const scopeOf = ({ batch, unnamed }: { readonly batch: string; readonly unnamed?: boolean }): string =>
  unnamed ? '' : batch

export const descriptionOf = ({ order }: Pick<Order, 'order'>): string => `Order ${order} of the simulation`
