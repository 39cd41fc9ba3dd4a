import fc from 'fast-check'
import { allScopes, type EventName, eventNames } from '../../../src/contract/index.ts'

/** Usually a right value, sometimes a wrong value. */
export const mostly = <T, U>(right: readonly T[], wrong: readonly U[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...right), weight: 9 }, { arbitrary: fc.constantFrom(...wrong), weight: 1 })

/** Picks a value that earlier steps have made, or an unknown value. */
export const pick = fc.nat(7)
export const who: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constant('first'), weight: 8 },
  { arbitrary: fc.constant('second'), weight: 2 },
  { arbitrary: fc.constantFrom('signed in', 'reader', 'expired', 'unknown', 'none'), weight: 4 },
)

const key = fc.oneof(
  { arbitrary: fc.constantFrom('k1', 'K1', 'k2', 'k3', 'k4'), weight: 4 },
  { arbitrary: fc.uuid(), weight: 6 },
  { arbitrary: fc.constantFrom(undefined, '', 'two words', 'x'.repeat(255), 'x'.repeat(256), 'ñ'), weight: 1 },
)

const amount = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 5000 }), weight: 6 },
  // An amount that is `less` minor units below the last observed balance.
  { arbitrary: fc.constantFrom(0, 50, 100).map((less) => ({ less })), weight: 2 },
  { arbitrary: fc.constantFrom(500_000_000, 249_000_000, 125_000_000, 990_000), weight: 3 },
  { arbitrary: fc.constantFrom(0, -1, 1.5, '100', true, null, undefined, 500_000_001), weight: 1 },
)

/**
 * A payee: an entry of the demo's registry, which covers most outcomes, or an account of the world (`own`, `phone`).
 */
const payee = fc.oneof(
  fc.nat(35).map((at) => ({ registry: at })),
  pick.map((own) => ({ own })),
  fc.constantFrom(
    ...[
      { recipient_phone: '88001234' },
      { recipient_phone: '50688005678' },
      { recipient_phone: '61234567' },
      { recipient_iban: 'CR05015202001026284066' },
      { recipient_iban: 'CR05' },
      { recipient_phone: '1234' },
      { recipient_iban: null, recipient_phone: null },
      { recipient_iban: 'CR05015202001026284066', recipient_phone: '88001234' },
      {},
    ],
  ),
)

const description: fc.Arbitrary<string | null | undefined> = fc.constantFrom(
  undefined,
  undefined,
  null,
  'Alquiler de noviembre',
  'corta',
  'ñ'.repeat(15),
  'x'.repeat(256),
)

/** An order that the service accepts if the account has the money. */
export const soundOrder = fc.record({
  account: fc.constant(0),
  amount: fc.integer({ min: 1, max: 5000 }),
  payee: fc.oneof(
    pick.map((own) => ({ own })),
    fc.nat(5).map((registry) => ({ registry })),
  ),
  description: fc.constant(undefined),
})

const account: fc.Arbitrary<number> = fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: pick, weight: 2 })
export const keys = fc.tuple(fc.uuid(), fc.uuid())
const order = fc.record({ account, amount, payee, description })

const page: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  {
    arbitrary: fc.record({ per: fc.integer({ min: 1, max: 5 }), page: fc.integer({ min: 1, max: 5 }) }).map(pageOf),
    weight: 3,
  },
  {
    arbitrary: fc.constantFrom('?page=2', '?page=99', '?per_page=1001', '?page=0', '?page=x', '?per_page='),
    weight: 5,
  },
)

export function pageOf({ per, page }: { readonly per: number; readonly page: number }): string {
  return `?per_page=${per}&page=${page}`
}

export const filters: fc.Arbitrary<string> = fc.constantFrom(
  ...['', '&channel=pin', '&channel=sinpe_movil', '&transfer_type=debit', '&transfer_type=credit', '&channel=wire'],
  ...[
    '&channel=pin&transfer_type=credit',
    '&recipient_document_number=0304930258',
    '&recipient_document_number=0207650432',
  ],
  ...['&recipient_document_number=x', '&channel=&transfer_type='],
)

const subscription = fc.record(
  {
    url: fc.oneof(
      { arbitrary: fc.constantFrom('/ok', '/ok/2', '/ok/3', '/fails', '/fails/2', 'dead'), weight: 9 },
      { arbitrary: fc.constantFrom('ftp://example.com', 'http://', 7), weight: 1 },
    ),
    events: fc.oneof(
      { arbitrary: fc.subarray([...eventNames], { minLength: 1 }), weight: 8 },
      {
        arbitrary: fc.constantFrom([], ['payment.created', 'payment.created'], ['payment.lost'], 'payment.created'),
        weight: 1,
      },
    ),
    max_attempts: mostly([undefined, 1, 2, 3], [0, 11, null]),
    timeout: mostly([undefined, 5, null], [4, '30']),
    headers: mostly([undefined, {}, [], { 'X-Secret': 'abc' }], [{ Host: 'x' }, null]),
  },
  { requiredKeys: ['url', 'events'] },
)

const reason = fc.constantFrom(
  undefined,
  {},
  { reason: 'Maintenance' },
  { reason: null },
  { reason: '' },
  { reason: 7 },
)

export const request = fc.oneof(
  { arbitrary: fc.record({ ask: fc.constant('create' as const), key, order }), weight: 12 },
  { arbitrary: fc.record({ ask: fc.constant('validate' as const), key, order }), weight: 3 },
  { arbitrary: fc.record({ ask: fc.constant('again' as const), which: pick, order, check: fc.boolean() }), weight: 4 },
  { arbitrary: fc.record({ ask: fc.constant('history' as const), page, filters }), weight: 5 },
  {
    arbitrary: fc.record({
      ask: fc.constantFrom('payment', 'account', 'balance', 'get', 'resume' as const),
      which: pick,
    }),
    weight: 11,
  },
  { arbitrary: fc.record({ ask: fc.constant('suspend' as const), which: pick, reason }), weight: 2 },
  { arbitrary: fc.record({ ask: fc.constant('delete' as const), which: pick }), weight: 1 },
  { arbitrary: fc.record({ ask: fc.constant('subscribe' as const), subscription }), weight: 5 },
  { arbitrary: fc.record({ ask: fc.constantFrom('accounts', 'subscriptions' as const), page }), weight: 4 },
  {
    arbitrary: fc.record({
      ask: fc.constant('open' as const),
      currency: fc.constantFrom('CRC', 'USD', 'EUR', undefined),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      ask: fc.constant('look' as const),
      path: fc.constantFrom(
        ...['/api/user', '/api/payments/service-status', '/api/fx/rates', '/api/fx/upstream-rates'],
        ...['/api/fx/rates', '/api/fx/upstream-rates'],
        ...['/api/phone/information/87000001', '/api/phone/information/50688001234', '/api/phone/information/61234567'],
        ...['/api/phone/information/123', '/api/iban/information/CR05', '/api/iban/information/CR05015202001026284066'],
        ...['/api/nothing', '/api/payments/not-a-uuid', '/api/accounts/not-a-uuid', '/api/webhooks/subscriptions/x'],
      ),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ ask: fc.constant('lookup' as const), at: fc.nat(35), own: fc.boolean() }), weight: 2 },
  {
    arbitrary: fc.record({
      ask: fc.constant('garbage' as const),
      method: fc.constantFrom('POST', 'DELETE', 'GET'),
      path: fc.constantFrom('/api/payments', '/api/accounts', '/api/user', '/api/payments/validate'),
      body: fc.constantFrom('', '{', '[]', 'null', '"text"'),
      type: fc.constantFrom('application/json', 'application/json', 'text/plain'),
    }),
    weight: 1,
  },
)

const scopes = fc.subarray([...allScopes], { minLength: 0 })

/** Refusals for fault rules: statuses that the endpoints can return, on paths that are often requested. */
const refusal = fc.constantFrom(
  ...[
    { method: 'POST', path: '/api/payments', status: 500 },
    { method: 'POST', path: '/api/payments', status: 422 },
    { method: 'POST', path: '/api/payments/validate', status: 409 },
    { method: 'GET', path: '/api/payments/*', status: 422 },
    { method: 'GET', path: '/api/accounts/*', status: 503 },
    { method: 'GET', path: '/api/accounts/*/balance', status: 429 },
  ],
)
export const refuse = fc
  .record({ rule: refusal, after: fc.nat(2), times: fc.constantFrom<(number | null)[]>(1, 1, 2, 3, null) })
  .map(({ rule, ...when }) => ({ do: 'refuse' as const, rule: { ...rule, ...when } }))
export const spoil = fc.record({
  do: fc.constant('spoil' as const),
  rule: fc.record({
    event: fc.constantFrom<(EventName | '*')[]>('*', '*', ...eventNames),
    fault: fc.constantFrom('drop', 'duplicate' as const),
  }),
})

/** Payments and validations of one turn; the payments often exceed the balance. */
export const askTogether = fc.record({
  do: fc.constant('ask together' as const),
  who: fc.constantFrom('first', 'second'),
  requests: fc.array(
    fc.record({
      ask: fc.constantFrom('create', 'create', 'validate' as const),
      key: fc.constantFrom('t1', 't2', 't3', 't4'),
      order: fc.record({
        account: fc.constant(0),
        amount: fc.constantFrom(100, 30_000_000, 150_000_000, 249_000_000),
        payee: fc.nat(5).map((registry) => ({ registry })),
        description: fc.constant(undefined),
      }),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  isSpoilt: fc.boolean(),
})

/** One step of a run. */
export const step = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('ask' as const), who, request }), weight: 20 },
  {
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom<number[]>(1, 499, 500, 1000, 5000, 61_000, 599_999, 3_600_000, 100_000_000),
    }),
    weight: 5,
  },
  { arbitrary: askTogether, weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('sign in' as const), user: fc.nat(1), scopes }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constant('redeem' as const),
      which: pick,
      wrong: fc.constantFrom('', '', '', 'secret', 'redirect_uri', 'code', 'grant_type'),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('refresh' as const),
      which: pick,
      scope: fc.constantFrom(undefined, undefined, 'read-user', 'everything'),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('rail' as const),
      channel: fc.constantFrom('pin', 'sinpe_movil' as const),
      online: fc.boolean(),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant('rates' as const), online: fc.boolean() }), weight: 1 },
  {
    arbitrary: fc.record({
      do: fc.constant('credit' as const),
      which: pick,
      amount: fc.integer({ min: 1, max: 9999 }),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.oneof(refuse, spoil, fc.record({ do: fc.constant('clear rules' as const) })),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('status' as const),
      which: pick,
      status: fc.constantFrom('active', 'active', 'inactive', 'closed' as const),
    }),
    weight: 2,
  },
)

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never
export type Step = ValueOf<typeof step>
export type Asked = ValueOf<typeof request>
export type Order = ValueOf<typeof order>
