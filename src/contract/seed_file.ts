import { type Static, type TProperties, Type } from 'typebox'
import { ClockState } from './control/clock.ts'
import { SinpeReference } from './control/credits.ts'
import { DeliverySettingsBody } from './control/deliveries.ts'
import { Outcome, RegistryBody } from './control/registry.ts'
import { FeesBody, FxBody, LimitsBody, RailsBody, RateLimit, SettleTimesBody } from './control/settings.ts'
import { ClientId, ClientScopes, ClientSecret, CreateUserBody, RedirectUris } from './control/users.ts'
import { FailureText, StateCode } from './events.ts'
import { maximumAmount } from './money.ts'
import { AccountStatus } from './schemas/account.ts'
import { Channel, IdempotencyKey, PaymentStatus, TransferType } from './schemas/payment.ts'
import {
  Currency,
  closed,
  DocumentNumber,
  DocumentType,
  described,
  Iban,
  nullable,
  Phone,
  Time,
  uuidOf,
} from './schemas/scalars.ts'
import { CreateSubscriptionBody } from './schemas/webhook.ts'

/** Maximum length of each list. */
export const seedListLimit = 10_000
const maxItems = seedListLimit

const list = <P extends TProperties>(properties: P, description: string) =>
  Type.Optional(Type.Array(closed(properties, description), { maxItems, description }))

const optional = <T extends Parameters<typeof Type.Optional>[0]>(schema: T, description: string) =>
  Type.Optional({ ...schema, description } as T)

const alias = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z_][\\w.-]{0,63}$',
    description:
      'Name within the file. Without an `id`, the id is derived from the alias and is the same in every world.',
    'x-messages': {
      pattern:
        'must have 1 to 64 characters: letters, digits, dots, dashes and underscores, beginning with a letter or underscore',
    },
  }),
)

const id = optional(uuidOf('id'), 'UUID. Default: derived from the alias or the position.')

const address = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

const reference = (what: string) => address(`Alias or id of ${what}.`)

const minorUnits = (bounds: { minimum: number; maximum: number }, description: string) =>
  Type.Integer({
    ...bounds,
    description,
    'x-messages': { type: 'must be an integer number of minor units, e.g. 150025 for 1500.25' },
  })

const created_at = optional(Time, 'Time of creation. Default: `time` of `clock`, or 2026-01-01T12:00:00Z.')
const updated_at = optional(Time, 'Time of the last change. Default: the time of creation.')

/** Digest of a secret. Exports contain digests, because the secrets themselves are not stored. */
const sha256 = (of: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: `SHA-256 of ${of} in hexadecimal, instead of ${of} itself.`,
      'x-messages': { pattern: 'must be 64 hexadecimal digits in lower case' },
    }),
  )

const user = reference('a user. Default: the first user')

const users = list(
  {
    alias,
    id,
    name: CreateUserBody.properties.name,
    email: optional(CreateUserBody.properties.email, 'Email address. Default: generated.'),
    email_verified_at: optional(
      nullable(Time),
      'Time when the address was confirmed; null for never. Default: the time of creation.',
    ),
    phone: optional(nullable(Phone), 'Phone enrolled in SINPE Móvil, in quotes.'),
    document_number: optional(DocumentNumber, 'Identity document: digits, in quotes. Default: generated.'),
    document_type: optional(DocumentType, 'SINPE’s code of the document. Default: derived from the number.'),
    created_at,
  },
  'Users. The first user owns the emulator’s token. Default: one user, María Fernández Rojas.',
)

const accounts = list(
  {
    alias,
    id,
    user,
    iban: optional(Iban, 'IBAN of entity 999, which no bank has. Default: generated.'),
    currency: optional(Currency, 'Currency. Default: CRC.'),
    balance: Type.Optional(
      minorUnits(
        { minimum: 0, maximum: 100_000_000_000_000 },
        'Available money when the world starts, after all its payments, in minor units; does not include held money.',
      ),
    ),
    status: optional(AccountStatus, 'Status. Default: active.'),
    created_at,
    updated_at,
  },
  'Accounts of the users.',
)

const registry = list(
  {
    ...RegistryBody.properties,
    entity: Type.Optional(
      Type.String({ pattern: '^\\d{3}$', description: 'Entity code of the phone’s bank, in quotes. Default: 151.' }),
    ),
  },
  'Customers of other banks, by IBAN or phone, and the results of payments to them.',
)

const clients = list(
  {
    client_id: ClientId,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Name on the consent page.' })),
    public: Type.Optional(
      Type.Boolean({ description: 'True for a client without a secret, such as a native app; it must use PKCE.' }),
    ),
    client_secret: Type.Optional(ClientSecret),
    client_secret_sha256: sha256('the secret'),
    redirect_uris: RedirectUris,
    scopes: optional(ClientScopes, 'Scopes that the client may request. Default: all.'),
    created_at,
  },
  'OAuth clients, in addition to `payctl`, which always exists.',
)

const tokens = list(
  {
    token: optional(ClientSecret, 'Access token.'),
    token_sha256: sha256('the token'),
    user,
    scopes: optional(ClientScopes, 'Scopes of the token. Default: all.'),
    expires_at: optional(nullable(Time), 'Expiry. Default: never.'),
    created_at,
  },
  'Access tokens, in addition to the token of the emulator.',
)

const subscription = CreateSubscriptionBody.properties
const subscriptions = list(
  {
    alias,
    id,
    user,
    url: subscription.url,
    events: subscription.events,
    max_attempts: subscription.max_attempts,
    timeout: subscription.timeout,
    headers: subscription.headers,
    secret: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Secret of the subscription.' })),
    secret_sha256: sha256('the secret'),
    last_sent_at: optional(nullable(Time), 'Time of the last sent delivery.'),
    suspended_at: optional(nullable(Time), 'Time of the suspension.'),
    suspended_reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Reason for the suspension.' }),
    ),
    created_at,
    updated_at,
  },
  'Webhook subscriptions.',
)

const sinpe_reference = Type.Optional(
  Type.With(SinpeReference, {
    description: 'The rail’s reference of a credit: 25 digits, in quotes. Default: generated.',
    'x-messages': { pattern: 'must be 25 digits in quotes' },
  }) as unknown as typeof SinpeReference,
)

const payments = list(
  {
    alias,
    id,
    number: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Unique number of the payment in the world. Default: in the order of creation.',
      }),
    ),
    account: reference('the account that is debited or credited. Default: the first account'),
    transfer_type: optional(TransferType, '`debit`, the default, or `credit`: received from another bank.'),
    to: address('Receiver of a debit: alias or id of an account of the file, an IBAN, or a phone in quotes.'),
    from: address('Sender of a credit: an IBAN, or a phone in quotes. Default: generated.'),
    channel: optional(
      Channel,
      'Rail. Default: the rail of the address. A `sinpe_movil` payment to an account goes to the phone of its owner.',
    ),
    amount: minorUnits({ minimum: 1, maximum: maximumAmount }, 'Amount in minor units of the account’s currency.'),
    fee: Type.Optional(
      minorUnits({ minimum: 0, maximum: 100_000_000 }, 'Fee in minor units. Default: the fee that the world charges.'),
    ),
    status: optional(PaymentStatus, 'Status. Default: completed. Pending and processing payments continue.'),
    state_code: optional(StateCode, 'Code of the payment’s failure, past or future. Default: rejected.'),
    error: optional(
      FailureText,
      'Human-readable reason for the payment’s failure. Default: the usual text of the state code.',
    ),
    outcome: optional(
      Outcome,
      'Result of the payment. Default: the status if the payment has ended; `failed` if a state code or error is given; otherwise the result of payments to the recipient.',
    ),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Description, as the owner of the account sees it.' }),
    ),
    sinpe_reference,
    idempotency_key: optional(IdempotencyKey, 'Idempotency key. Default: seed-<alias or id>.'),
    key_forgotten: Type.Optional(
      Type.Boolean({ description: 'True if the key of a debit was forgotten, so that another payment may have it.' }),
    ),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Name of the payee or sender at another bank.' }),
    ),
    document_number: optional(
      DocumentNumber,
      'Identity document of the payee or sender, in quotes. Default: from the registry, like the name.',
    ),
    document_type: optional(nullable(DocumentType), 'SINPE’s code of the document. Default: derived from the number.'),
    created_at,
    submitted_at: optional(Time, 'Time when the payment was handed to its rail.'),
    completed_at: optional(Time, 'Time when the payment was completed.'),
    due_at: optional(Time, 'Time of the next step of a pending or processing payment.'),
    settle_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_155_760_000_000,
        description: 'Time from creation to end, in milliseconds.',
      }),
    ),
    receipt: Type.Optional(
      closed(
        {
          id,
          number: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000_000_000,
              description: 'Unique number of the record among all payments of the world',
            }),
          ),
        },
        'The receiver’s record of a completed payment between two accounts of the file.',
      ),
    ),
  },
  'Payments in any status, with their ledger entries. Past events are not delivered to webhooks.',
)

const { from, channel, amount, description, name, document_number, document_type } = payments.items.properties

const scheduled_credits = list(
  {
    alias,
    id,
    account: reference('the receiving account. Default: the first account'),
    from,
    channel,
    amount,
    description,
    sinpe_reference,
    name,
    document_number,
    document_type,
    due_at: described(Time, 'Time of arrival; if the clock has passed it, the credit arrives at once.'),
    created_at,
  },
  'Scheduled credits from other banks: they arrive once the clock reaches their time and their rail is online.',
)

/** Initial content of a world. Amounts are in minor units, and times are ISO 8601 with a zone. */
export const SeedFile = closed(
  {
    extends: Type.Optional(
      Type.Literal('demo', {
        description:
          'Adds the content of the file to the demo world. Default: the world has only the content of the file.',
      }),
    ),
    users,
    accounts,
    registry,
    clients,
    tokens,
    subscriptions,
    payments,
    scheduled_credits,
    rails: Type.Optional(
      closed(RailsBody.properties, 'State and maintenance of the payment rails. Default: both are online.'),
    ),
    fees: Type.Optional(closed(FeesBody.properties, 'Fees by rail, currency and amount, in minor units.')),
    limits: Type.Optional(closed(LimitsBody.properties, 'Limits for payments of an account. Default: none.')),
    settle_ms: Type.Optional(SettleTimesBody),
    lenient_iban: Type.Optional(
      Type.Boolean({
        description:
          'True if IBANs with wrong check digits are accepted, in the file and later. False: the emulator’s setting applies.',
      }),
    ),
    fx: Type.Optional(closed(FxBody.properties, 'Upstream exchange rates; a rate that is not set drifts.')),
    rate_limit: optional(RateLimit, 'Requests per minute for each client and endpoint; null for no limit.'),
    deliveries: Type.Optional(
      closed(DeliverySettingsBody.properties, 'Settings of webhook deliveries. Default: the emulator’s settings.'),
    ),
    clock: Type.Optional(
      closed(
        {
          time: optional(Time, 'Time of the clock when the world is made or reset.'),
          frozen: Type.Optional(Type.Boolean({ description: 'True if the clock stands still.' })),
          speed: optional(ClockState.properties.speed, 'Seconds of the world’s time per second of real time.'),
        },
        'Clock of the world. Default: the machine’s time.',
      ),
    ),
  },
  'Initial content of a world of the payctl emulator. Amounts are in minor units, and times are ISO 8601 with a zone.',
)
export type SeedFile = Static<typeof SeedFile>
