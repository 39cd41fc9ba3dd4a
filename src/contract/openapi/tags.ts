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
  user: 'User of the token.',
  accounts: 'Accounts in CRC and USD, and their balances.',
  payments: 'Payments by PIN and SINPE Móvil: send, check and follow them.',
  phone: 'Holders of phone numbers that are enrolled in SINPE Móvil.',
  iban: 'Holders of accounts.',
  fx: 'USD/CRC exchange rates.',
  webhooks: 'Subscriptions of URLs to events.',
  events: 'Deliveries to webhook subscriptions.',
  oauth: 'The authorization code flow, relative to the auth URL.',
  emulator: 'The emulator as a whole.',
  clock: 'Time of a world: payments, retries and tokens follow it.',
  credits: 'Money from other banks.',
  rails: 'State and timetable of the payment rails.',
  fees: 'Fees of payments.',
  limits: 'Limits for payments of an account.',
  rateLimit: 'Limit of requests per minute.',
  faults: 'Rules that make requests or webhook deliveries fail on purpose.',
  registry: 'Customers of other banks.',
  ids: 'Search for whole ids by the parts that people type.',
  users: 'Users of a world.',
  tokens: 'Access tokens, made without a dashboard.',
  clients: 'OAuth clients: applications that users can authorize.',
  subscriptions: 'Webhook subscriptions of all users.',
  deliveries: 'Deliveries of events to webhook subscriptions.',
  receivers: 'Built-in receivers of webhooks.',
  deliverySettings: 'Settings of webhook deliveries.',
  requests: 'Requests to a world, and their results.',
  assertions: 'Checks of what the tested program did.',
  moments: 'Past states of a world, from which the world can be forked.',
  worlds: 'Isolated worlds in one process.',
  page: 'The page that shows a world in a browser.',
  snapshots: 'Saved states of worlds, to restore or to make other worlds from.',
}

/**
 * An operation's name, which generators use as the name of a function: `payments.serviceStatus` becomes
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
