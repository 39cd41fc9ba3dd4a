import { type Endpoint, type EndpointId, endpoints, type Scope } from '../../src/contract/index.ts'

/** The interface's description of an endpoint. */
export interface Documented {
  readonly endpoint: string
  readonly scopes: readonly Scope[] | 'anybody'
  /** Error statuses. */
  readonly statuses: readonly number[]
  /** Errors whose messages the interface gives word for word. */
  readonly messages?: Readonly<Record<number, string>>
  /** True if the interface shows no answer: the answer in the table is the emulator's own. */
  readonly isAnswerLeftOut?: true
}

const balanceUnavailable = { 503: 'Unable to retrieve account balance' }
const noAccount = { 404: 'Account not found', ...balanceUnavailable }
const noSubscription = { 404: 'Webhook subscription not found', 422: 'Validation failed' }

/**
 * A copy of the interface, version 0.0.1, to check the table against. Later endpoints have no entry: only the table
 * describes them. Sources: interface, "Endpoints", "Errors" and "Authentication", and docs/decisions/emulator.md, row
 * 18.
 */
export const documented: Readonly<Partial<Record<EndpointId, Documented>>> = {
  'user.get': { endpoint: 'GET /api/user', scopes: ['read-user'], statuses: [401] },
  'payments.create': {
    endpoint: 'POST /api/payments',
    scopes: ['send-payments'],
    statuses: [400, 401, 403, 422, 500],
    messages: { 500: 'Payment processing failed' },
  },
  'payments.validate': {
    endpoint: 'POST /api/payments/validate',
    scopes: ['send-payments'],
    statuses: [400, 401, 403, 409, 422, 500],
    messages: { 500: 'Payment validation failed' },
  },
  'payments.get': {
    endpoint: 'GET /api/payments/{id}',
    scopes: ['send-payments'],
    statuses: [401, 403, 404, 422, 500],
    messages: { 500: 'Unable to retrieve payment details' },
  },
  'payments.history': { endpoint: 'GET /api/payments/history', scopes: ['send-payments'], statuses: [401, 403, 422] },
  'payments.serviceStatus': {
    endpoint: 'GET /api/payments/service-status',
    scopes: 'anybody',
    statuses: [500],
    messages: { 500: 'Unable to check service status' },
  },
  'fx.rates': {
    endpoint: 'GET /api/fx/rates',
    scopes: ['send-payments'],
    statuses: [401, 403, 503],
    messages: { 503: 'Exchange rates are currently unavailable' },
  },
  'fx.upstream': {
    endpoint: 'GET /api/fx/{provider}-rates',
    scopes: ['send-payments'],
    statuses: [401, 403, 503],
    messages: { 503: '{Provider} exchange rates are currently unavailable' },
  },
  'accounts.list': {
    endpoint: 'GET /api/accounts',
    scopes: ['read-accounts'],
    statuses: [401, 403, 422, 503],
    messages: balanceUnavailable,
  },
  'accounts.create': { endpoint: 'POST /api/accounts', scopes: ['manage-accounts'], statuses: [401, 422] },
  'accounts.get': {
    endpoint: 'GET /api/accounts/{id}',
    scopes: ['read-accounts'],
    statuses: [401, 403, 404, 422, 503],
    messages: noAccount,
  },
  'accounts.balance': {
    endpoint: 'GET /api/accounts/{id}/balance',
    scopes: ['read-accounts'],
    statuses: [401, 403, 404, 422, 503],
    messages: noAccount,
  },
  'phone.information': {
    endpoint: 'GET /api/phone/information/{phone}',
    scopes: ['read-accounts', 'send-payments'],
    statuses: [401, 403, 404, 422],
    messages: { 404: 'Phone number not found in SINPE registry' },
  },
  'iban.information': {
    endpoint: 'GET /api/iban/information/{iban}',
    scopes: ['read-accounts', 'send-payments'],
    statuses: [401, 403, 404, 422],
    messages: { 404: 'IBAN not found' },
  },
  'webhooks.list': {
    endpoint: 'GET /api/webhooks/subscriptions',
    scopes: ['manage-webhooks'],
    statuses: [401],
    isAnswerLeftOut: true,
  },
  'webhooks.create': {
    endpoint: 'POST /api/webhooks/subscriptions',
    scopes: ['manage-webhooks'],
    statuses: [401, 422],
    isAnswerLeftOut: true,
  },
  'webhooks.get': {
    endpoint: 'GET /api/webhooks/subscriptions/{id}',
    scopes: ['manage-webhooks'],
    statuses: [401, 404, 422],
    messages: noSubscription,
  },
  'webhooks.delete': {
    endpoint: 'DELETE /api/webhooks/subscriptions/{id}',
    scopes: ['manage-webhooks'],
    statuses: [401, 404],
  },
  'webhooks.suspend': {
    endpoint: 'POST /api/webhooks/subscriptions/{id}/suspend',
    scopes: ['manage-webhooks'],
    statuses: [409],
    isAnswerLeftOut: true,
  },
  'webhooks.resume': {
    endpoint: 'POST /api/webhooks/subscriptions/{id}/resume',
    scopes: ['manage-webhooks'],
    statuses: [409],
    isAnswerLeftOut: true,
  },
}

/** Name of an endpoint in documents: method and path. */
export const nameOf = (id: EndpointId): string => {
  const { method, path }: Endpoint = endpoints[id]
  return `${method} ${path}`
}

/** Scopes that give a token access to an endpoint. */
export function admittedTo(id: EndpointId): readonly Scope[] | 'anybody' {
  const { access }: Endpoint = endpoints[id]
  return documented[id]?.scopes ?? (typeof access === 'object' ? access.scopes : 'anybody')
}

/** True if the interface shows the answer of an endpoint: every service must then give this answer. */
export const showsAnswer = (id: EndpointId): boolean => !documented[id]?.isAnswerLeftOut

/** True if the interface shows the message of an error: every service must then give this message. */
export function showsMessage(id: EndpointId, status: number): boolean {
  const entry = documented[id]
  return entry === undefined || status in (entry.messages ?? {})
}
