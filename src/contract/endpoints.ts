import { type Endpoint, endpoint, type Input, type Output } from './endpoint.ts'
import { authErrors, badJson, httpErrors, refusalStatuses } from './errors.ts'
import { idempotencyHeader } from './headers.ts'
import { Account, AccountBalance, AccountParams, CreateAccountBody, CreatedAccount, User } from './schemas/account.ts'
import { Page, PageQuery } from './schemas/envelope.ts'
import {
  ExchangeRate,
  IbanInformation,
  IbanParams,
  PhoneInformation,
  PhoneParams,
  UpstreamParams,
} from './schemas/lookup.ts'
import {
  HistoryQuery,
  IdempotencyHeaders,
  InitiatedPayment,
  Payment,
  PaymentParams,
  PaymentValidation,
  ReplayHeaders,
  SendPaymentBody,
  ServiceStatus,
} from './schemas/payment.ts'
import {
  CreatedSubscription,
  CreateSubscriptionBody,
  DeletedSubscription,
  ResumedSubscription,
  SubscriptionParams,
  SuspendBody,
  SuspendedSubscription,
  WebhookSubscription,
} from './schemas/webhook.ts'

const { 429: tooMany } = httpErrors
const subscriptionErrors = { 404: 'Webhook subscription not found', 422: 'Validation failed' }
const accountErrors = { 404: 'Account not found', 503: 'Unable to retrieve account balance' }

/** Every endpoint of the service, keyed by id. Source: interface, "Endpoints". */
export const endpoints = {
  'user.get': endpoint({
    method: 'GET',
    path: '/api/user',
    summary: 'The authenticated user',
    description: 'Shows whether a token works, and which user it belongs to.',
    access: { scopes: ['read-user'] },
    success: { status: 200, message: 'User retrieved successfully', data: User },
    errors: { ...authErrors, 429: tooMany },
  }),
  'accounts.list': endpoint({
    method: 'GET',
    path: '/api/accounts',
    summary: 'The user’s accounts with their balances, oldest first',
    description:
      'Accounts in every status, a page at a time. A balance is the available money: amounts held for payments in progress are already deducted.',
    access: { scopes: ['read-accounts'] },
    query: PageQuery,
    success: { status: 200, message: 'Accounts retrieved successfully', data: Page(Account) },
    errors: { ...authErrors, 422: null, 429: tooMany, 503: accountErrors[503] },
    list: 'page',
  }),
  'accounts.create': endpoint({
    method: 'POST',
    path: '/api/accounts',
    summary: 'Open an account in CRC or USD',
    description:
      'The account belongs to the user of the token and starts with a balance of 0. Repeating this request opens another account: after a lost answer, list the accounts first.',
    access: { scopes: ['manage-accounts'] },
    body: CreateAccountBody,
    success: { status: 201, message: 'Account created successfully', data: CreatedAccount },
    errors: { ...authErrors, 400: badJson, 422: null, 429: tooMany },
  }),
  'accounts.get': endpoint({
    method: 'GET',
    path: '/api/accounts/{id}',
    summary: 'One account with its balance',
    description: 'Another user’s account is not found.',
    access: { scopes: ['read-accounts'] },
    params: AccountParams,
    success: { status: 200, message: 'Account retrieved successfully', data: Account },
    errors: { ...authErrors, ...accountErrors, 422: null, 429: tooMany },
  }),
  'accounts.balance': endpoint({
    method: 'GET',
    path: '/api/accounts/{id}/balance',
    summary: 'The balance of one account, in minor units',
    description: 'Returns only the balance. Another user’s account is not found.',
    access: { scopes: ['read-accounts'] },
    params: AccountParams,
    success: { status: 200, message: 'Balance retrieved successfully', data: AccountBalance },
    errors: { ...authErrors, ...accountErrors, 422: null, 429: tooMany },
  }),
  'payments.create': endpoint({
    method: 'POST',
    path: '/api/payments',
    summary: 'Send a payment to an IBAN (pin) or a phone (sinpe_movil)',
    description:
      'The recipient decides the rail: a payment to `recipient_iban` goes over `pin`, and a payment to `recipient_phone` goes over `sinpe_movil`. Amount and fee are held at once. The answer comes before the payment is processed: read the payment again by its id, or subscribe to events.\n\nIf the answer is lost, repeat the request with the same `X-Idempotency-Key`: as long as the service remembers the key, it returns the first answer and money moves once.',
    access: { scopes: ['send-payments'] },
    headers: IdempotencyHeaders,
    body: SendPaymentBody,
    success: {
      status: 201,
      message: 'Payment initiated successfully',
      data: InitiatedPayment,
      headers: ReplayHeaders,
    },
    errors: { ...authErrors, 400: null, 422: null, 429: tooMany, 500: 'Payment processing failed' },
    idempotentBy: idempotencyHeader,
    movesMoney: { refusals: refusalStatuses },
  }),
  'payments.validate': endpoint({
    method: 'POST',
    path: '/api/payments/validate',
    summary: 'Check a payment and get its fee without sending it',
    description:
      'Takes the same request as sending a payment, and returns the rail and the fee. No payment is made, nothing is held, and the key stays unused. 409 means that a payment with this key exists.',
    access: { scopes: ['send-payments'] },
    headers: IdempotencyHeaders,
    body: SendPaymentBody,
    success: { status: 200, message: 'Payment data is valid', data: PaymentValidation },
    errors: {
      ...authErrors,
      400: null,
      409: 'Payment already processed',
      422: null,
      429: tooMany,
      500: 'Payment validation failed',
    },
    checksOnly: true,
  }),
  'payments.history': endpoint({
    method: 'GET',
    path: '/api/payments/history',
    summary: 'The user’s payments, newest first',
    description: 'Sent and received payments, a page at a time. A payment must match all filters.',
    access: { scopes: ['send-payments'] },
    query: HistoryQuery,
    success: { status: 200, message: 'Payment history retrieved successfully', data: Page(Payment) },
    errors: { ...authErrors, 422: null, 429: tooMany },
    list: 'page',
  }),
  'payments.serviceStatus': endpoint({
    method: 'GET',
    path: '/api/payments/service-status',
    summary: 'Status of the payment rails',
    description: 'Needs no token. A payment over an offline rail does not arrive.',
    access: 'public',
    success: { status: 200, message: 'Service status retrieved successfully', data: ServiceStatus },
    errors: { 429: tooMany, 500: 'Unable to check service status' },
  }),
  'payments.get': endpoint({
    method: 'GET',
    path: '/api/payments/{id}',
    summary: 'One payment and its status',
    description:
      'Poll the payment until the status is final, or subscribe to events. Another user’s payment is not found.',
    access: { scopes: ['send-payments'] },
    params: PaymentParams,
    success: { status: 200, message: 'Payment status retrieved successfully', data: Payment },
    errors: {
      ...authErrors,
      404: 'Payment not found',
      422: null,
      429: tooMany,
      500: 'Unable to retrieve payment details',
    },
  }),
  'phone.information': endpoint({
    method: 'GET',
    path: '/api/phone/information/{phone}',
    summary: 'The holder of a phone number enrolled in SINPE Móvil',
    description: 'Look the holder up before paying to a phone, and show the name to the payer.',
    access: { scopes: ['read-accounts', 'send-payments'] },
    params: PhoneParams,
    success: { status: 200, message: 'Phone information retrieved successfully', data: PhoneInformation },
    errors: { ...authErrors, 404: 'Phone number not found in SINPE registry', 422: null, 429: tooMany },
  }),
  'iban.information': endpoint({
    method: 'GET',
    path: '/api/iban/information/{iban}',
    summary: 'The holder of an IBAN',
    description:
      'Look the holder up before paying to an IBAN, and show the name to the payer. Only an `active` account can be paid.',
    access: { scopes: ['read-accounts', 'send-payments'] },
    params: IbanParams,
    success: { status: 200, message: 'IBAN information retrieved successfully', data: IbanInformation },
    errors: { ...authErrors, 404: 'IBAN not found', 422: null, 429: tooMany },
  }),
  'fx.rates': endpoint({
    method: 'GET',
    path: '/api/fx/rates',
    summary: 'USD/CRC exchange rates with the service’s spread',
    description: 'For information only: a payment is in the currency of its account, and nothing is exchanged.',
    access: { scopes: ['send-payments'] },
    success: { status: 200, message: 'Exchange rates retrieved successfully', data: ExchangeRate },
    errors: { ...authErrors, 429: tooMany, 503: 'Exchange rates are currently unavailable' },
  }),
  'fx.upstream': endpoint({
    method: 'GET',
    path: '/api/fx/{provider}-rates',
    summary: 'USD/CRC exchange rates as the upstream provider reports them',
    description: 'The rates before the service applies its spread. Path and messages contain the name of the provider.',
    access: { scopes: ['send-payments'] },
    params: UpstreamParams,
    success: { status: 200, message: '{Provider} exchange rates retrieved successfully', data: ExchangeRate },
    errors: {
      ...authErrors,
      404: null,
      422: null,
      429: tooMany,
      503: '{Provider} exchange rates are currently unavailable',
    },
  }),
  'webhooks.list': endpoint({
    method: 'GET',
    path: '/api/webhooks/subscriptions',
    summary: 'The user’s webhook subscriptions, newest first',
    description: 'Active and suspended subscriptions, a page at a time, without their secrets.',
    access: { scopes: ['manage-webhooks'] },
    query: PageQuery,
    success: {
      status: 200,
      message: 'Webhook subscriptions retrieved successfully',
      data: Page(WebhookSubscription),
    },
    errors: { ...authErrors, 422: null, 429: tooMany },
    list: 'open',
  }),
  'webhooks.create': endpoint({
    method: 'POST',
    path: '/api/webhooks/subscriptions',
    summary: 'Subscribe a URL to events',
    description:
      'A delivery is a POST request; the bodies are described under webhooks. A 2xx answer in time accepts the delivery. Otherwise the delivery is tried again, and after `max_attempts` the subscription is suspended. A second subscription with the same URL and events is refused.',
    access: { scopes: ['manage-webhooks'] },
    body: CreateSubscriptionBody,
    success: { status: 201, message: 'Webhook subscription created successfully', data: CreatedSubscription },
    errors: { ...authErrors, 400: badJson, 422: null, 429: tooMany },
  }),
  'webhooks.get': endpoint({
    method: 'GET',
    path: '/api/webhooks/subscriptions/{id}',
    summary: 'One webhook subscription',
    description: 'The secret is not shown again. Another user’s subscription is not found.',
    access: { scopes: ['manage-webhooks'] },
    params: SubscriptionParams,
    success: { status: 200, message: 'Webhook subscription retrieved successfully', data: WebhookSubscription },
    errors: { ...authErrors, ...subscriptionErrors, 429: tooMany },
  }),
  'webhooks.delete': endpoint({
    method: 'DELETE',
    path: '/api/webhooks/subscriptions/{id}',
    summary: 'Remove a webhook subscription',
    description: 'Nothing more is delivered to the subscription; waiting deliveries are dropped.',
    access: { scopes: ['manage-webhooks'] },
    params: SubscriptionParams,
    success: { status: 200, message: 'Webhook subscription deleted successfully', data: DeletedSubscription },
    errors: { ...authErrors, ...subscriptionErrors, 429: tooMany },
  }),
  'webhooks.suspend': endpoint({
    method: 'POST',
    path: '/api/webhooks/subscriptions/{id}/suspend',
    summary: 'Stop deliveries to a subscription; its events wait',
    description:
      'Later events wait until the subscription is resumed; no event is lost. The answer is 409 if the subscription is already suspended.',
    access: { scopes: ['manage-webhooks'] },
    params: SubscriptionParams,
    body: SuspendBody,
    success: { status: 200, message: 'Webhook subscription suspended successfully', data: SuspendedSubscription },
    errors: {
      ...authErrors,
      ...subscriptionErrors,
      400: badJson,
      409: 'Webhook subscription is already suspended',
      429: tooMany,
    },
  }),
  'webhooks.resume': endpoint({
    method: 'POST',
    path: '/api/webhooks/subscriptions/{id}/resume',
    summary: 'Resume deliveries to a suspended subscription',
    description: 'Waiting events are delivered at once. The answer is 409 if the subscription is not suspended.',
    access: { scopes: ['manage-webhooks'] },
    params: SubscriptionParams,
    success: { status: 200, message: 'Webhook subscription resumed successfully', data: ResumedSubscription },
    errors: { ...authErrors, ...subscriptionErrors, 409: 'Webhook subscription is not suspended', 429: tooMany },
  }),
} as const satisfies Record<string, Endpoint>

export type Endpoints = typeof endpoints
export type EndpointId = keyof Endpoints
/** Endpoints that answer with a list in numbered pages. */
export type ListId = { [Id in EndpointId]: Endpoints[Id] extends { list: string } ? Id : never }[EndpointId]
export type InputOf<Id extends EndpointId> = Inputs[Id]
export type OutputOf<Id extends EndpointId> = Outputs[Id]

// Indexed by id: with a conditional type the compiler would try to infer the id at every call, which takes seconds.
type Inputs = { readonly [Id in EndpointId]: Input<Endpoints[Id]> }
type Outputs = { readonly [Id in EndpointId]: Output<Endpoints[Id]> }

/** Endpoints of the interface's OpenAPI documents: they are public, and their answers have no envelope. */
export const documents = {
  service: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Endpoints, OAuth and events of the service',
  },
  emulator: {
    method: 'GET',
    path: '/_emulator/openapi.json',
    summary: 'The emulator’s own endpoints',
  },
} as const
