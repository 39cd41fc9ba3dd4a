import { Type } from 'typebox'
import { count, flag, shapeOf, text, textOrNull, time } from '../../cli/schema.ts'
import { InitiatedPayment, Payment, SendPaymentBody } from '../../contract/index.ts'
import { IbanInformation, PhoneInformation } from '../../contract/schemas/lookup.ts'
import { Money, nullable } from '../../contract/schemas/scalars.ts'
import { type Intent, intentStatuses } from '../../journal/intent.ts'
import type { ResultRow } from '../../payments/batch_result.ts'
import type { Summary } from '../../payments/batch_summary.ts'
import type { TailEvent } from '../../webhooks/event.ts'
import type { PlacedIntent } from '../payments/intent_worlds.ts'
import type { Row as Replayed } from '../webhooks/run_replay.ts'

// Output about payments and events that is not an answer of the service.

const intentFields = {
  id: text('Names the intent on this machine: `int_` and twelve characters'),
  created_at: time('When it was written down'),
  updated_at: time('When it last changed'),
  profile: text('Profile of the run that made it'),
  base_url: text('Where it is sent'),
  user: textOrNull('Who pays: the service’s id of the user, or a stand-in; null in an intent of an older payctl'),
  world: textOrNull('World of the emulator; null for a service'),
  idempotency_key: text('The key by which the service makes the payment once'),
  body: SendPaymentBody,
  currency: textOrNull('Of the account that pays; null until the service has told it'),
  expected_names: nullable(
    Type.Array(Type.Object({ name: text('As the holder is called'), payee: Type.Optional(text('Saved payee')) }), {
      description: 'Names that the holder of the payee must have when it is sent',
    }),
  ),
  batch: textOrNull('Batch that it is a row of'),
  line: nullable(count('Line of the file')),
  reference: textOrNull('The caller’s text for the row'),
  columns: nullable(Type.Record(Type.String(), Type.String(), { description: 'Other columns of the caller’s file' })),
  retry_of: textOrNull('Intent whose failed payment it repeats'),
  status: Type.Enum([...intentStatuses], {
    description:
      'prepared: the service has not taken it. sent, unknown: money may have moved. settled: the service named the payment. rejected: no money moved',
  }),
  payment_id: textOrNull('The payment; null until the service has named it'),
  payment_status: textOrNull('Its status when it was last read'),
  error: textOrNull('Why it was refused, or is in doubt'),
  in_doubt_since: textOrNull('Time of the first request whose answer is not known; null if there is none'),
}

export const intent = shapeOf<Intent>()(
  Type.Object(intentFields, { description: 'A payment that this machine was asked to make' }),
)

export const placedIntent = shapeOf<PlacedIntent>()(
  Type.Object(
    {
      ...intentFields,
      world_status: Type.Union([Type.Enum(['live', 'gone', 'not_running']), Type.Null()], {
        description: 'State of the emulator’s world; null for services, and for worlds of other machines',
      }),
    },
    { description: 'A payment that this machine was asked to make' },
  ),
)

/** The payment as the service sent it, and what is on disk of it. */
export const sentPayment = Type.Intersect([
  Type.Union([InitiatedPayment, Payment]),
  Type.Object({ intent: nullable(intent) }),
])

/** Output of `payments resume` without an id. */
export const resumedPayment = Type.Object({
  id: textOrNull('The payment; null while it is in doubt'),
  status: textOrNull('Its status; null while it is in doubt'),
  idempotency_key: text('The key by which the service makes the payment once'),
  intent,
})

/** With amounts as the service promises them. */
type PromisedRow = ResultRow & { readonly amount: Money | { readonly value: number; readonly currency?: never } }

export const resultRow = shapeOf<PromisedRow>()(
  Type.Object(
    {
      line: nullable(count('Line of the file')),
      reference: textOrNull('The caller’s text for the row'),
      to: text('IBAN or phone'),
      amount: Type.Union([Money, Type.Object({ value: Type.Integer() })], {
        description: 'In minor units; without a currency where that of the account is not known',
      }),
      status: text('That of the payment, or rejected, unknown (money may have moved), not_sent'),
      payment_id: textOrNull('The payment; null if the service has not named one'),
      intent: text('Id of the intent'),
      error: textOrNull('What went wrong'),
      columns: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: 'Other columns of the caller’s file' }),
      ),
    },
    { description: 'Outcome of a row of a batch' },
  ),
)

const amountOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const batchSummary = shapeOf<Summary>()(
  Type.Object(
    {
      batch: text('Id of the batch'),
      rows: count('Rows of the file'),
      sent_before: count('Rows that earlier runs have sent'),
      to_send: count('Rows to send'),
      in_doubt: count(
        'Of those to send: may have been sent; the history is read before they are sent again, with their own keys',
      ),
      payees: count('Different payees of the rows to send'),
      debits: Type.Array(
        Type.Object({
          account_id: text('Account that pays'),
          iban: textOrNull('Its IBAN'),
          owner_name: textOrNull('Its owner'),
          currency: textOrNull('Its currency'),
          rows: count('Rows that it pays'),
          amount: Type.Integer({ description: 'Their sum in minor units, without fees' }),
          estimated_fees: amountOrNull('Minor units; null where it is not known'),
          balance: amountOrNull('Minor units; null where it is not known'),
        }),
        { description: 'What each account is to pay' },
      ),
      warnings: Type.Array(Type.String(), { description: 'What a person should look at' }),
      known: Type.Object(
        {
          rows: count('How many'),
          first: textOrNull('When the first was sent'),
          last: textOrNull('When the last was sent'),
          elsewhere: count('How many of them another batch sent'),
        },
        { description: 'Rows that were sent before' },
      ),
    },
    { description: 'What a batch would pay' },
  ),
)

export const receipt = Type.Object({
  is_proof: flag('Whether the money has arrived, at a service that is no emulator'),
  is_emulator: flag('Whether an emulator made the payment'),
  payment: Payment,
})

const reason = (key: 'phone_number' | 'iban') =>
  Type.Object(
    {
      [key]: text('As it was given'),
      status: Type.Enum(['not_found', 'invalid']),
      reason: text('Why there is no holder'),
    },
    { description: 'A value without a holder' },
  )

export const phoneRow = Type.Union([PhoneInformation, reason('phone_number')])
export const ibanRow = Type.Union([IbanInformation, reason('iban')])

export const fileLookup = Type.Object({
  file: text('What was written'),
  rows: count('Rows of the file'),
  found: count('Values with a holder'),
  not_found: count('Values that nobody holds'),
  invalid: count('Values that are not a phone or an IBAN'),
  failed: count('Values for which the service failed'),
  remembered: count('Different values whose answers were there before'),
})

const status = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const tailEvent = shapeOf<TailEvent>()(
  Type.Object(
    {
      received_at: time('When it came, UTC'),
      recovered: flag('Whether it was read from the history, because no delivery came'),
      delivery_id: textOrNull('The service’s id of the delivery, the same for all attempts'),
      attempt: status('Which attempt'),
      event: textOrNull('Which event; null if the body is none'),
      timestamp: textOrNull('When it happened, by the service'),
      data: Type.Unknown({ description: 'The payment, as the service sent it' }),
      raw: Type.Optional(text('The body, if it is not an event')),
      forward: Type.Optional(
        Type.Object(
          {
            url: textOrNull('Where it was posted, without its query'),
            status: status('HTTP status of the answer; null without one'),
            error: textOrNull('Why there is no answer'),
            duration_ms: Type.Number(),
            answer: textOrNull('First line of the answer’s body'),
          },
          { description: 'With --forward-to' },
        ),
      ),
    },
    { description: 'An event that came, or was read from the history' },
  ),
)

export const replayed = shapeOf<Replayed>()(
  Type.Object({
    line: count('Line of the file'),
    received_at: text('When it came'),
    event: textOrNull('Which event'),
    delivery_id: textOrNull('The service’s id of the delivery'),
    payment_id: textOrNull('The payment that it is about'),
    status: status('HTTP status of the answer; null without one'),
    duration_ms: Type.Number(),
    error: textOrNull('Why it was not accepted'),
    answer: textOrNull('First line of the answer’s body'),
  }),
)
