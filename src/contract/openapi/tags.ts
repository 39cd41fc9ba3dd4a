import type { ControlId } from '../control.ts'
import type { EndpointId } from '../endpoints.ts'
import type { oauthEndpoints } from '../oauth.ts'
import type { Json } from './components.ts'

type OperationId = EndpointId | ControlId | keyof typeof oauthEndpoints | 'events'

type GroupOf<Id extends OperationId> = Id extends `control.${infer Rest}`
  ? Rest extends `${infer Group}.${string}`
    ? Group
    : 'emulator'
  : Id extends `${infer Group}.${string}`
    ? Group
    : Id

/** A group without a description does not compile. */
const descriptions: Readonly<Record<GroupOf<OperationId>, string>> = {
  user: 'Who the token belongs to.',
  accounts: 'Accounts in CRC and USD, and their balances.',
  payments: 'Sending, checking and following payments over PIN and SINPE Móvil.',
  phone: 'Who receives SINPE Móvil under a phone number.',
  iban: 'Who holds an account.',
  fx: 'USD/CRC exchange rates.',
  webhooks: 'Where events are delivered to.',
  events: 'What is delivered to a webhook subscription.',
  oauth: 'The authorization code flow, relative to the auth URL.',
  emulator: 'The emulator as a whole.',
  clock: 'The time that everything which waits goes by.',
  credits: 'Money from outside.',
  rails: 'Whether payments can be sent.',
  fees: 'What payments cost.',
  limits: 'How much an account may send.',
  rateLimit: 'How many requests a minute are allowed.',
  faults: 'Rules by which requests and deliveries of webhooks go wrong on purpose.',
  registry: 'The customers of other banks.',
  ids: 'Whole ids for parts of them, as people type them.',
  users: 'Whose accounts the world has.',
  tokens: 'Access tokens that no dashboard is needed for.',
  clients: 'Applications that users can let in.',
  deliveries: 'Events on their way to webhook subscriptions.',
  deliverySettings: 'How webhooks are sent.',
  requests: 'Requests to the world, and their results.',
  worlds: 'Worlds that share a process and nothing else.',
  snapshots: 'Worlds as they were at a moment, to go back to and to make others from.',
}

/**
 * An operation's name for generators, which make functions of it: `payments.serviceStatus` becomes
 * `paymentsServiceStatus`.
 */
export const operationIdOf = (id: string): string => id.replace(/\.(.)/g, (_, letter) => letter.toUpperCase())

/**
 * Group of an operation: `payments.get` belongs to payments, `control.clock.set` to clock, `control.reset` to emulator.
 */
export function tagOf(id: string): string {
  const [group = '', ...rest] = id.split('.')
  if (group !== 'control') return group
  return rest.length > 1 ? (rest[0] ?? '') : 'emulator'
}

export const tagsOf = (ids: readonly string[]): Json[] =>
  [...new Set(ids.map(tagOf))]
    .sort()
    .map((name) => ({ name, description: descriptions[name as keyof typeof descriptions] }))
