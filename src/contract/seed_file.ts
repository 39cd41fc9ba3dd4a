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
    description: 'Its name within the file. Without an id, the id follows from it and is the same everywhere.',
    'x-messages': { pattern: 'must be up to 64 letters, digits, dots, dashes and underscores, a letter first' },
  }),
)

const id = optional(uuidOf('id'), 'UUID; follows from the alias, or the position, where it is not given.')

const reference = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: `Alias or id of ${what}.` }))

const minorUnits = (bounds: { minimum: number; maximum: number }, description: string) =>
  Type.Integer({
    ...bounds,
    description,
    'x-messages': { type: 'must be an integer number of minor units, e.g. 150025 for 1500.25' },
  })

const created_at = optional(Time, 'The time of the clock, or 2026-01-01T12:00:00Z, where it is not given.')
const updated_at = optional(Time, 'When it last changed; when it was created where it is not given.')

/** Digest of a secret. Exports contain digests, because the secrets themselves are not stored. */
const sha256 = (of: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: `SHA-256 of ${of} in hexadecimal, instead of ${of} itself.`,
      'x-messages': { pattern: 'must be 64 hexadecimal digits in lower case' },
    }),
  )

const user = reference('a user; the first one where it is not given')

const users = list(
  {
    alias,
    id,
    name: CreateUserBody.properties.name,
    email: optional(CreateUserBody.properties.email, 'Generated if left out.'),
    email_verified_at: optional(nullable(Time), 'When it was created where it is not given; null: never.'),
    phone: optional(nullable(Phone), 'Enrolled in SINPE Móvil; in quotes.'),
    document_number: optional(DocumentNumber, 'Digits, in quotes; generated if left out.'),
    document_type: optional(DocumentType, 'SINPE’s code; follows from the number where it is not given.'),
    created_at,
  },
  'Users. The first one owns the emulator’s token; without any there is María Fernández Rojas.',
)

const accounts = list(
  {
    alias,
    id,
    user,
    iban: optional(Iban, 'Of entity 999, which no bank has; generated if left out.'),
    currency: optional(Currency, 'CRC where it is not given.'),
    balance: Type.Optional(
      minorUnits(
        { minimum: 0, maximum: 100_000_000_000_000 },
        'What can be spent when the world starts, in minor units, after all its payments; held money comes on top.',
      ),
    ),
    status: optional(AccountStatus, 'active where it is not given.'),
    created_at,
    updated_at,
  },
  'Accounts of the users.',
)

const registry = list(
  {
    ...RegistryBody.properties,
    entity: Type.Optional(
      Type.String({ pattern: '^\\d{3}$', description: 'Code of the bank behind a phone, in quotes; 151 by default.' }),
    ),
  },
  'Customers of other banks, by IBAN or phone, and how payments to them end.',
)

const clients = list(
  {
    client_id: ClientId,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'On the consent page.' })),
    public: Type.Optional(Type.Boolean({ description: 'Without a secret, as native apps are; PKCE is required.' })),
    client_secret: Type.Optional(ClientSecret),
    client_secret_sha256: sha256('the secret'),
    redirect_uris: RedirectUris,
    scopes: optional(ClientScopes, 'What it may ask for; everything where it is not given.'),
    created_at,
  },
  'OAuth clients, besides payctl, which is always there.',
)

const tokens = list(
  {
    token: optional(ClientSecret, 'The access token itself.'),
    token_sha256: sha256('the token'),
    user,
    scopes: optional(ClientScopes, 'What it is good for; everything where it is not given.'),
    expires_at: optional(nullable(Time), 'Never where it is not given.'),
    created_at,
  },
  'Access tokens, besides that of the emulator.',
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
    secret: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Its owner’s secret.' })),
    secret_sha256: sha256('the secret'),
    last_sent_at: optional(nullable(Time), 'When a delivery was last sent.'),
    suspended_at: optional(nullable(Time), 'Suspended since then.'),
    suspended_reason: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Why.' })),
    created_at,
    updated_at,
  },
  'Webhook subscriptions.',
)

const sinpe_reference = Type.Optional(
  Type.With(SinpeReference, {
    description: 'Of a credit, in quotes: 25 digits that the rail gave it; generated where it is not given.',
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
        description: 'Among all payments of the world, without repetition; by creation where it is not given.',
      }),
    ),
    account: reference('the account that it is debited from or credited to; the first one where it is not given'),
    transfer_type: optional(TransferType, 'debit where it is not given; credit: it came from another bank.'),
    to: reference('an account of the file, or an IBAN, or a phone in quotes; where a debit goes'),
    from: reference('the sender of a credit: an IBAN, or a phone in quotes; generated if left out'),
    channel: optional(Channel, 'By what the address is; sinpe_movil to an account goes to its owner’s phone.'),
    amount: minorUnits({ minimum: 1, maximum: maximumAmount }, 'In minor units of the account’s currency.'),
    fee: Type.Optional(
      minorUnits({ minimum: 0, maximum: 100_000_000 }, 'In minor units; by the fees where it is not given.'),
    ),
    status: optional(PaymentStatus, 'completed where it is not given. Pending and processing ones go on.'),
    state_code: optional(StateCode, 'Why it failed, or will; rejected where it is not given.'),
    error: optional(FailureText, 'The same in words; the usual text of the state code where it is not given.'),
    outcome: optional(Outcome, 'How it ends; by the recipient where it is not given.'),
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Shown to its owner.' })),
    sinpe_reference,
    idempotency_key: optional(IdempotencyKey, 'seed-<alias or id> where it is not given.'),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Of a payee or sender at another bank.' }),
    ),
    document_number: optional(DocumentNumber, 'Theirs, in quotes. The registry has both for who is in it.'),
    document_type: optional(nullable(DocumentType), 'SINPE’s code; follows from the number.'),
    created_at,
    submitted_at: optional(Time, 'When the rail took it.'),
    completed_at: optional(Time, 'When it was completed.'),
    due_at: optional(Time, 'When a pending or processing one takes its next step.'),
    settle_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3_155_760_000_000, description: 'From creation to end, in milliseconds.' }),
    ),
    receipt: Type.Optional(
      closed(
        {
          id,
          number: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000_000_000,
              description: 'Its place among the payments of the world',
            }),
          ),
        },
        'The receiver’s own record of a completed payment between two accounts of the file.',
      ),
    ),
  },
  'Payments in any state, with their ledger entries. What has happened to them is not delivered to webhooks.',
)

const { from, channel, amount, description, name, document_number, document_type } = payments.items.properties

const scheduled_credits = list(
  {
    alias,
    id,
    account: reference('the account that it goes to; the first one where it is not given'),
    from,
    channel,
    amount,
    description,
    sinpe_reference,
    name,
    document_number,
    document_type,
    due_at: described(Time, 'When it arrives; at once if the clock is past that.'),
    created_at,
  },
  'Credits from other banks that are still to come, once the clock reaches their time and their rail is online.',
)

/** Initial content of a world. Amounts are in minor units, times ISO 8601 with a zone. */
export const SeedFile = closed(
  {
    extends: Type.Optional(
      Type.Literal('demo', { description: 'Adds to the demo world; without it the world has what the file names.' }),
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
      closed(
        RailsBody.properties,
        'Which payment rails are online, and their maintenance; both are online unless said.',
      ),
    ),
    fees: Type.Optional(
      closed(FeesBody.properties, 'What a payment costs by rail, currency and amount, in minor units.'),
    ),
    limits: Type.Optional(closed(LimitsBody.properties, 'How much an account may send; no limits unless said.')),
    settle_ms: Type.Optional(SettleTimesBody),
    lenient_iban: Type.Optional(
      Type.Boolean({
        description:
          'true: IBANs may have wrong check digits, in the file and in what is added later; false: as the emulator was started.',
      }),
    ),
    fx: Type.Optional(closed(FxBody.properties, 'Upstream’s exchange rates; without a rate it drifts.')),
    rate_limit: optional(RateLimit, 'Requests a minute for each client and endpoint; null: no limit.'),
    deliveries: Type.Optional(
      closed(DeliverySettingsBody.properties, 'How webhooks are sent; as the emulator was started where not given.'),
    ),
    clock: Type.Optional(
      closed(
        {
          time: optional(Time, 'What the clock shows when the world is made, or reset.'),
          frozen: Type.Optional(Type.Boolean({ description: 'Whether it stands still.' })),
          speed: optional(ClockState.properties.speed, 'Seconds that pass in one of real time.'),
        },
        'The world’s clock; without a time it shows the machine’s.',
      ),
    ),
  },
  'What a world of the payctl emulator holds when it starts. Amounts are in minor units, times ISO 8601 with a zone.',
)
export type SeedFile = Static<typeof SeedFile>
