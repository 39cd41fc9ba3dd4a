import { Type } from 'typebox'
import type { AuditLine } from '../../audit/audit.ts'
import { commandOrNull, count, flag, shapeOf, text, textOrNull, time, timeOrNull } from '../../cli/schema.ts'
import type { Ready } from '../../config/running_emulators.ts'
import { described, nullable } from '../../contract/schemas/scalars.ts'
import type { Payee } from '../../payees/payee.ts'
import type { PayeeListRow } from '../../payees/payee_list.ts'
import type { ErrorDocument } from '../../run/report.ts'
import type { Entry as Alias } from '../alias.ts'
import type { EndpointRow } from '../api/endpoints.ts'
import type { Paths } from '../config.ts'
import type { FindingRow } from '../doctor/finding.ts'
import type { BackedUp } from '../emulator/backup.ts'
import type { Restored } from '../emulator/restore.ts'
import type { Entry as Emulator } from '../emulator/running.ts'
import type { Answering } from '../emulator/wait.ts'
import type { Explanation } from '../explain.ts'
import type { LimitRow } from '../limits/rows.ts'
import type { LoginStatus } from '../login/outcome.ts'
import type { ImportedPayee } from '../payees/import.ts'
import type { Verdict } from '../payees/verify.ts'
import type { Entry as Profile } from '../profiles/list.ts'
import type { Status } from '../status.ts'

// Output of commands about this machine: errors, logins, profiles, payees, limits, emulators.

export const error = shapeOf<ErrorDocument>()(
  Type.Object({
    error: Type.Object({
      code: text('Kind of failure, more precise than the exit code'),
      message: text('The failure, for people'),
      status: Type.Union([Type.Integer(), Type.Null()], {
        description: 'HTTP status of the answer, if an answer came',
      }),
      errors: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String(), Type.Null()], {
        description: 'Messages by field, as the service sent them',
      }),
      hint: textOrNull('Advice for people'),
      next_command: commandOrNull,
      request_id: textOrNull('The service’s id of the request'),
      retryable: flag('True if the command may succeed later and can be repeated safely'),
      intent_id: textOrNull('Id of the payment’s intent on this machine'),
      payment_id: textOrNull('The service’s id of that payment'),
    }),
  }),
)

export const finding = shapeOf<FindingRow>()(
  Type.Object({
    check: text('Name of the check'),
    status: Type.Enum(['ok', 'warn', 'fail']),
    detail: text('Result of the check'),
    hint: textOrNull('Advice for people'),
    next_command: commandOrNull,
  }),
)

export const login = shapeOf<LoginStatus & { readonly user: object | null }>()(
  Type.Object({
    profile: text('Name of the profile'),
    base_url: text('The service'),
    auth_url: textOrNull('Its OAuth server'),
    kind: Type.Enum(['oauth', 'dashboard', 'given', 'emulator']),
    user: Type.Union([Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }), Type.Null()], {
      description: 'The user who is logged in; null if unknown',
    }),
    scopes: nullable(Type.Array(Type.String())),
    expires_at: timeOrNull('Expiry time of the token'),
    renewal: Type.Enum(['automatic', 'none', 'refused']),
    source: text('Source of the token: name of a flag or variable, path of a file, or `keyring`'),
  }),
)

export const accessToken = Type.Object({
  access_token: text('A secret'),
  token_type: Type.Literal('Bearer'),
  base_url: text('Base URL of the token’s service'),
})

export const profile = shapeOf<Profile>()(
  Type.Object({
    name: text('Name of the profile'),
    current: flag('True for the profile that payctl uses when no other is named'),
    built_in: flag('True if the profile is built into payctl'),
    base_url: textOrNull('The service'),
    auth_url: textOrNull('Its OAuth server'),
    client_id: textOrNull('Id of payctl’s OAuth client at the service'),
    fx_provider: textOrNull('Name of the upstream rate provider'),
    from: textOrNull('Account that pays by default'),
    key_life: textOrNull('Time for which the service remembers idempotency keys'),
    output: textOrNull('Output format'),
    lang: textOrNull('Language of notes, questions and errors'),
    live: flag('True if the profile is marked live: real money moves'),
  }),
)

const payeeFields = {
  name: text('Name of the payee'),
  service: text('Base URL of the payee’s service; `emulator` for the emulators of this machine'),
  holder: textOrNull('Name of the holder from the service; null before the first lookup'),
  bank: textOrNull('Bank of the holder'),
  currency: textOrNull('Currency of the account'),
  note: textOrNull('The user’s note'),
  verified_at: timeOrNull('Time at which the service last returned this holder'),
}

const verdictFields = {
  ...payeeFields,
  result: Type.Enum(['same', 'first', 'changed', 'not_found', 'not_told'], {
    description: 'Result of comparing the current holder with the saved holder; first: no holder was saved',
  }),
  holder_now: textOrNull('Name of the current holder from the service'),
}

const importedFields = {
  ...payeeFields,
  action: Type.Enum(['add', 'change', 'replace', 'keep', 'refuse'], {
    description: 'Effect of the import; replace: the saved name gets another IBAN or phone',
  }),
  reason: textOrNull('Description of the change, or reason why the payee is refused'),
}

const address = { iban: text('Costa Rican IBAN'), phone: text('Eight digits') }
const absent = Type.Optional(Type.Never())

export const payee = shapeOf<Payee>()(
  Type.Union([
    Type.Object({ ...payeeFields, iban: address.iban, phone: absent }),
    Type.Object({ ...payeeFields, phone: address.phone, iban: absent }),
  ]),
)

export const importedPayee = shapeOf<Payee & Pick<ImportedPayee, 'action'> & { readonly reason: string | null }>()(
  Type.Union([
    Type.Object({ ...importedFields, iban: address.iban, phone: absent }),
    Type.Object({ ...importedFields, phone: address.phone, iban: absent }),
  ]),
)

export const listedPayee = shapeOf<PayeeListRow>()(
  Type.Object({
    name: text('Name of the payee'),
    to: text('IBAN or phone'),
    holder: textOrNull('Name of the holder from the service; null before the first lookup'),
    note: textOrNull('The user’s note'),
  }),
)

export const verdict = shapeOf<Verdict>()(
  Type.Union([
    Type.Object({ ...verdictFields, iban: address.iban, phone: absent }),
    Type.Object({ ...verdictFields, phone: address.phone, iban: absent }),
  ]),
)

const received = Type.Object({
  value: count('Minor units'),
  currency: text('CRC or USD'),
  formatted: text('For people'),
})

const moneyOrNull = (description: string) => nullable(described(received, description))

export const limit = shapeOf<LimitRow>()(
  Type.Object({
    profile: text('Profile of the limit'),
    limit: text('Kind of limit: per_payment, per_day, ...'),
    currency: textOrNull('Currency of a limit on amounts'),
    payee: textOrNull('Payee who was paid today, for a limit that applies to each payee'),
    payee_name: textOrNull('Name under which that payee is saved'),
    most: moneyOrNull('Largest amount that the limit allows'),
    used: moneyOrNull('Amount that already counts towards the limit'),
    left: moneyOrNull('Amount that the limit still allows'),
    frees_at: timeOrNull('Time at which the used amount no longer counts'),
    allowed: textOrNull('Allowed hours or payees, for a limit on hours or payees'),
    payees: nullable(
      Type.Array(Type.Object({ address: text('IBAN or phone'), name: textOrNull('Name of the saved payee') }), {
        description: 'Allowed payees',
      }),
    ),
  }),
)

const paymentSum = {
  count: count('Number of payments'),
  amounts: Type.Array(received, { description: 'Sums of the payments, one for each currency' }),
}

export const status = shapeOf<Status>()(
  Type.Object({
    profile: text('Profile of the run'),
    base_url: text('Service'),
    user: textOrNull('Email address or id of the user, as the service returns it'),
    live: Type.Boolean({ description: 'True if the profile is marked as live' }),
    emulator: Type.Boolean({ description: 'True if an emulator answers: no real money' }),
    accounts: nullable(
      Type.Array(
        Type.Object({ id: textOrNull('Id of the account'), iban: textOrNull('IBAN'), balance: nullable(received) }),
        {
          description: 'Accounts of the first page; null if the token is not allowed to read them',
        },
      ),
    ),
    account_count: nullable(count('Number of all accounts, including those on later pages')),
    under_way: nullable(
      Type.Object(
        {
          ...paymentSum,
          read: count('Number of outgoing payments that were read, newest first'),
          total: nullable(count('Number of all outgoing payments in the history')),
        },
        { description: 'Outgoing payments in progress; null if the token is not allowed to read them' },
      ),
    ),
    in_doubt: Type.Object(paymentSum, { description: 'Payments of this machine whose outcome is not known' }),
    not_sent: Type.Object(paymentSum, {
      description: 'Payments of this machine that were not sent, or were sent with a token that the service refused',
    }),
    limits: Type.Array(limit),
  }),
)

export const auditLine = shapeOf<AuditLine>()(
  Type.Object({
    time: time('Time of the event'),
    event: Type.Enum(['asked', 'outcome', 'refused', 'loosened']),
    profile: text('Profile of the run'),
    service: textOrNull('Base URL'),
    user: textOrNull('Id of the payer'),
    amount: Type.Union([Type.Integer(), Type.Null()], { description: 'Minor units' }),
    currency: textOrNull('Currency of the amount'),
    payee: textOrNull('IBAN or phone'),
    key: textOrNull('Idempotency key'),
    intent: textOrNull('Id of the intent'),
    payment: textOrNull('Id of the payment'),
    decided_by: Type.Union([Type.Enum(['terminal', 'typed', 'flag', 'earlier']), Type.Null()], {
      description:
        'Form of consent. terminal: a person answered; typed: a person typed the amount; flag: --yes; earlier: consent to the first attempt',
    }),
    what: textOrNull('Outcome of the payment, message of the refusal, or description of the change to limits'),
  }),
)

export const paths = shapeOf<Paths>()(
  Type.Object({
    config: text('File of profiles'),
    credentials: text('File of logins; lists only the profiles if the logins are in the keyring'),
    state: text('Folder of the journal, the audit file and the records of running emulators'),
    journal: text('File of intents'),
    limits: text('File of limits'),
    audit: text('File of payments, refusals and loosened limits, with who agreed'),
  }),
)

export const explanation = shapeOf<Explanation>()(
  Type.Object({
    kind: text('Kind of the value: `exit code`, `payment status`, `IBAN`'),
    value: text('The value in its usual form'),
    meaning: text('Explanation'),
    next: textOrNull('Next step, if there is one'),
    next_command: commandOrNull,
  }),
)

export const alias = shapeOf<Alias>()(
  Type.Object({
    name: text('The short form'),
    command: text('The full command, without payctl'),
    built_in: flag('True if the short form is built into payctl'),
  }),
)

export const endpointRow = shapeOf<EndpointRow>()(
  Type.Object({
    id: text('Id of the endpoint: `payments.get`'),
    method: text('HTTP method'),
    path: text('Path template'),
    scopes: Type.Array(Type.String(), { description: 'Scopes of the endpoint; a token needs one of them' }),
    summary: text('Summary of the endpoint'),
  }),
)

export const outputRow = Type.Object({
  command: text('Command, with the flag or argument that changes the output'),
  shape: text('array, object, lines, text or nothing'),
})

export const topicRow = Type.Object({ name: text('Name of a variable or a file'), meaning: text('Purpose') })

export const exitCode = Type.Object({
  code: count('Exit code of a run'),
  name: text('The `code` of an error'),
  meaning: text('Meaning of the code'),
})

export const eventRow = Type.Object({
  event: text('Name of the event'),
  meaning: text('Occasion on which the event is sent'),
})

export const ready = shapeOf<Ready>()(
  Type.Object(
    {
      event: Type.Literal('ready'),
      base_url: text('Base URL of the emulated service'),
      auth_url: text('Its OAuth server'),
      token: text('An access token of the first user'),
      client_id: text('Id of an OAuth client'),
      client_secret: text('Secret of that client'),
      control_url: text('URL of the emulator’s control endpoints'),
      local_url: text('URL of the emulator on this machine'),
      host: text('Listening address'),
      pid: count('Process id'),
      version: text('Version of payctl'),
      name: Type.Optional(text('Name from emulate --name')),
      world: text('Id of the world at the start'),
      user_id: text('Id of the token’s user'),
      accounts: Type.Array(Type.Object({ id: Type.String(), iban: Type.String(), currency: Type.String() }), {
        description: 'The user’s accounts at the start, oldest first',
      }),
    },
    { description: 'An emulator that has started' },
  ),
)

export const emulator = shapeOf<Emulator>()(
  Type.Object({
    name: textOrNull('Name from emulate --name'),
    base_url: text('Base URL'),
    pid: count('Process id'),
    status: Type.Enum(['ready', 'silent', 'stopped'], {
      description: 'silent: the emulator does not answer, or another program has its port',
    }),
    since: timeOrNull('Start time; null if the payctl that started the emulator did not record the time'),
    version: text('Version of payctl that runs the emulator'),
    worlds: nullable(count('Number of worlds')),
    world_names: nullable(Type.Array(Type.String())),
  }),
)

export const answering = shapeOf<Answering>()(
  Type.Object({ base_url: text('Base URL'), world: text('Id of the emulator’s current world') }),
)

const names = (description: string) => Type.Array(Type.String(), { description })

export const backedUp = shapeOf<BackedUp>()(
  Type.Object({
    folder: text('Folder of the backup'),
    worlds: count('Worlds in the backup'),
    copied: count('Worlds that this run has copied'),
    unchanged: count('Worlds whose copies are from earlier runs'),
    left_out: Type.Array(Type.Object({ name: text('Name of the world'), problem: text('Reason') }), {
      description: 'Worlds that could not be copied; the backup keeps the last copy of each, if there is one',
    }),
    snapshots: count('Snapshots in the backup'),
    snapshots_copied: count('Snapshots that this run has copied'),
    snapshots_left_out: Type.Array(Type.Object({ name: text('Name of the snapshot'), problem: text('Reason') }), {
      description: 'Snapshots that could not be copied; the backup keeps the last copy of each, if there is one',
    }),
    size_bytes: count('Size of all copies'),
    taken_at: time('Time when the backup was complete'),
  }),
)

export const restoredWorlds = shapeOf<Restored>()(
  Type.Object({
    folder: text('Folder of the backup'),
    restored: names('Worlds that did not exist and were made from their copies'),
    replaced: names('Existing worlds that were replaced by their copies'),
    existing: names('Existing worlds that were not changed'),
    snapshots: Type.Object(
      {
        restored: names('Snapshots that did not exist and were made from their copies'),
        replaced: names('Existing snapshots that were replaced by their copies'),
        existing: names('Existing snapshots that were not changed'),
      },
      { description: 'Snapshots of the backup' },
    ),
  }),
)

export const teamKey = Type.Object({
  team: text('Name of the team'),
  name: text('Name of the key'),
  key: text('The key, which is shown only once'),
})

export const exportedFile = Type.Object({
  file: text('Path of the written file'),
  size_bytes: count('Size of the file'),
})
