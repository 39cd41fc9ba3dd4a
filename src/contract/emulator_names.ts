// Names, patterns and limits of the emulator. They are separate from the schemas, so that a command can use the names
// without loading the schema library.

/** Beginning of a world's URLs: `/w/<name>`. A URL without this prefix leads to the world `default`. */
export const worldPath = '/w'

/** Form of the names of worlds and snapshots, which occur in URLs. */
export const worldNamePattern = '^[a-z0-9][a-z0-9._-]{0,62}$'

export const defaultWorld = 'default'

/** Form of a shard's name. The names of the shard's worlds begin with the shard's name and a dot: `s2.shop-7`. */
export const shardPattern = '^[a-z0-9][a-z0-9-]{0,15}$'

/** Converts the base URL of an emulator's world to the emulator's own base URL; returns any other URL unchanged. */
export const withoutWorld = (baseUrl: string): string => baseUrl.replace(/\/w\/[^/]+\/?$/, '')

/** The base URL of another world of the same emulator. */
export const worldUrl = (baseUrl: string, name: string): string =>
  `${withoutWorld(baseUrl).replace(/\/$/, '')}${worldPath}/${name}`

/** Faults of a request's connection or answer; all except `reset` happen after the work is done and committed. */
export const requestFaults = [
  'reset',
  'lose_answer',
  'truncate',
  'hold_answer',
  'drip',
  'malformed',
  'content_type',
] as const

/** Faults of a webhook delivery. */
export const deliveryFaults = ['duplicate', 'drop', 'reorder', 'bad_signature'] as const

export type RequestFault = (typeof requestFaults)[number]

export const isDeliveryFault = (fault: string | null | undefined): fault is (typeof deliveryFaults)[number] =>
  deliveryFaults.some((known) => known === fault)

/**
 * Faults of chaos, each with its description. At most one of the first seven faults happens to a request, and at most
 * one of the last three to a delivery.
 */
export const chaosKinds = {
  lost_answers: 'Requests that are done and committed, and whose connection then closes without an answer',
  cut_answers: 'Requests that are done and committed, and whose answer ends in the middle',
  resets: 'Requests whose connection is reset before anything is done',
  too_many_requests: 'Requests that are answered with 429; nothing is done',
  server_errors: 'Requests that are answered with 500, if their endpoint documents that status; nothing is done',
  unavailable: 'Requests that are answered with 503, if their endpoint documents that status; nothing is done',
  slow_answers: 'Requests that are done and committed, and whose answer is held back for `slow_ms`',
  expired_tokens:
    'Requests whose OAuth token expires early: 401 until it is refreshed. Dashboard tokens do not expire early',
  rail_outages: 'Requests to send or check a payment, or to read the service’s status, that take a rail offline',
  duplicate_deliveries: 'Deliveries that are sent again after they were accepted',
  late_deliveries: 'Deliveries that arrive late',
  reordered_deliveries: 'Deliveries that arrive after the next delivery to the same subscription',
} as const

export type ChaosKind = keyof typeof chaosKinds

export const chaosKindNames = Object.keys(chaosKinds) as ChaosKind[]

/**
 * Groups of exclusive faults: at most one happens to a request or delivery, so the probabilities of a group add up to
 * at most 1.
 */
export const chaosAlternatives = {
  requests: [
    'lost_answers',
    'cut_answers',
    'resets',
    'too_many_requests',
    'server_errors',
    'unavailable',
    'slow_answers',
  ],
  deliveries: ['duplicate_deliveries', 'late_deliveries', 'reordered_deliveries'],
} as const satisfies Readonly<Record<string, readonly ChaosKind[]>>

/** Series of random draws, in addition to the series of endpoints and events. */
export const chaosSeries = ['tokens', 'rails'] as const

/** Names of the built-in chaos profiles. */
export const chaosProfileNames = ['mild', 'hostile'] as const

export type ChaosProfileName = (typeof chaosProfileNames)[number]

/** Points in the handling of a request at which chaos can kill the program under test. */
export const killMoments = ['before_work', 'before_answer', 'after_answer'] as const

export type KillMoment = (typeof killMoments)[number]

export const largestChaosSeed = 2 ** 32 - 1

/** Longest outage of a rail, in requests, and longest delay of a delivery, in milliseconds. */
export const largestOutage = 1000
export const largestLateMs = 3_600_000

/** Limits on memory for the moments of a world, in MiB: default and maximum. */
export const usualMomentLimit = 64
export const largestMomentLimit = 65_536

/** Kinds of findings in a report, each with the statement that holds if a run has no finding of the kind. */
export const reportChecks = {
  violations: 'Requests keep to the contract',
  keys: 'Each payment has its own key',
  polling: 'No read is repeated in a loop',
  untaken: 'Receivers accept their deliveries',
  unfinished: 'Payments end',
  unfired: 'Each fault rule fires',
  late: 'Nothing is sent to a world that has ended',
  default_world: 'Requests name their world while there are several',
  strict: 'Strict worlds have no breach',
  paid_twice: 'No order is paid twice',
  suspected: 'No payment resembles a payment whose answer was lost',
  handled_twice: 'An event that is delivered twice is handled once',
  unresolved: 'Lost answers are looked up',
  never_paid: 'A payment that a kill stopped is sent again',
} as const

export type ReportCheck = keyof typeof reportChecks

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

const day = weekdays.join('|')
const minute = '([01]\\d|2[0-3]):[0-5]\\d'

/**
 * A window in Costa Rica's time: `02:00-04:00`, `sun 22:00-23:30`. A window whose end is not later than its beginning
 * ends on the next day.
 */
export const maintenancePattern = `^((${day})(-(${day}))? )?${minute}-(${minute}|24:00)$`

/** Name of the upstream rate provider, a segment of a path. */
export const providerPattern = '^[a-z0-9_]{1,64}$'

/** Largest share of the rate that the service takes on each side: the ask price is then three times the bid price. */
export const largestSpread = 0.5

/**
 * Tables and columns that a query can read; none contains a secret. Amounts are integers of minor units, times are ISO
 * 8601 in UTC by the world's clock, and truth values are 0 or 1.
 */
export const sqlTables = {
  users: ['id', 'name', 'email', 'phone', 'document_number', 'document_type', 'created_at'],
  accounts: ['id', 'user_id', 'iban', 'currency', 'status', 'available', 'held', 'created_at', 'updated_at'],
  payments: [
    'id',
    'user_id',
    'account_id',
    'idempotency_key',
    'channel',
    'transfer_type',
    'status',
    'amount',
    'fee',
    'currency',
    'payer_name',
    'payer_iban',
    'payer_phone',
    'payee_name',
    'payee_iban',
    'payee_phone',
    'payee_document_number',
    'description',
    'error_message',
    'state_code',
    'channel_reference',
    'sinpe_reference',
    'due_at',
    'created_at',
    'submitted_at',
    'completed_at',
  ],
  scheduled_credits: [
    'id',
    'account_id',
    'channel',
    'status',
    'state_code',
    'amount',
    'currency',
    'payer_name',
    'payer_iban',
    'payer_phone',
    'description',
    'sinpe_reference',
    'due_at',
    'created_at',
  ],
  ledger_entries: ['id', 'payment_id', 'movement', 'owner', 'purpose', 'currency', 'amount', 'created_at'],
  subscriptions: [
    'id',
    'user_id',
    'url',
    'events',
    'max_attempts',
    'timeout',
    'last_sent_at',
    'suspended_at',
    'suspended_reason',
    'created_at',
  ],
  events: ['id', 'name', 'payment_id', 'body', 'created_at'],
  deliveries: ['id', 'event_id', 'event', 'payment_id', 'subscription_id', 'url', 'status', 'attempts', 'due_at'],
  attempts: ['delivery_id', 'number', 'started_at', 'duration_ms', 'status', 'error', 'answer'],
  registry: ['address', 'name', 'document_number', 'currency', 'entity', 'status', 'outcome', 'state_code', 'error'],
  requests: [
    'id',
    'at',
    'duration_ms',
    'method',
    'path',
    'endpoint',
    'status',
    'answered',
    'user_id',
    'client',
    'idempotency_key',
    'replayed',
    'fault',
    'message',
    'payment_id',
    'broke',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type SqlTable = keyof typeof sqlTables

/** Limits of a query's real time in milliseconds: default and maximum. */
export const sqlTime = { usual: 5000, most: 60_000 } as const
