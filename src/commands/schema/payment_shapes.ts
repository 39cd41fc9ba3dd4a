import { Type } from 'typebox'
import { count, flag, shapeOf, text, textOrNull, time } from '../../cli/schema.ts'
import { InitiatedPayment, Payment, SendPaymentBody } from '../../contract/index.ts'
import { IbanInformation, PhoneInformation } from '../../contract/schemas/lookup.ts'
import { Money, nullable } from '../../contract/schemas/scalars.ts'
import { type Intent, intentStatuses } from '../../journal/intent.ts'
import type { ResultRow } from '../../payments/batch_result.ts'
import type { SummaryData } from '../../payments/batch_summary.ts'
import type { TailEvent } from '../../webhooks/event.ts'
import type { PlacedIntent } from '../payments/intent_worlds.ts'
import type { Row as Replayed } from '../webhooks/run_replay.ts'

// Output about payments and events that is not an answer of the service.

const intentFields = {
  id: text('Id of the intent on this machine: `int_` and twelve characters'),
  created_at: time('Time at which the intent was recorded'),
  updated_at: time('Time of the last change'),
  profile: text('Profile of the run that made the intent'),
  base_url: text('Base URL of the service'),
  user: textOrNull('Payer: the service’s id of the user, or a surrogate; null in an intent from an older payctl'),
  world: textOrNull('World of the emulator; null for a service'),
  idempotency_key: text('Key with which the service makes the payment only once'),
  body: SendPaymentBody,
  currency: textOrNull('Currency of the account that pays; null until the service has returned it'),
  expected_names: nullable(
    Type.Array(Type.Object({ name: text('Name of the holder'), payee: Type.Optional(text('Saved payee')) }), {
      description: 'Names with which the payee’s holder is compared before the payment is sent',
    }),
  ),
  expected_document: textOrNull('Identity document that the payee’s holder must have when the payment is sent'),
  batch: textOrNull('Batch that the payment belongs to; null for a single payment'),
  line: nullable(count('Line number in the file')),
  reference: textOrNull('The caller’s own reference for the row, from the file'),
  columns: nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'Cells of the row in columns that payctl does not read, by heading',
    }),
  ),
  retry_of: textOrNull('Id of the intent whose failed payment this intent repeats'),
  status: Type.Enum([...intentStatuses], {
    description:
      'prepared: the service has not accepted the payment. sent, unknown: money may have moved. settled: the service has the payment. rejected: no money moved',
  }),
  payment_id: textOrNull('Id of the payment; null until the service has returned it'),
  payment_status: textOrNull('Status of the payment when it was last read'),
  error: textOrNull('Reason why the payment was refused, failed or is in doubt'),
  in_doubt_since: textOrNull('Time of the first request without a known answer; null if there is none'),
}

export const intent = shapeOf<Intent>()(
  Type.Object(intentFields, { description: 'A payment that a user requested on this machine' }),
)

export const placedIntent = shapeOf<PlacedIntent>()(
  Type.Object(
    {
      ...intentFields,
      world_status: Type.Union([Type.Enum(['live', 'gone', 'not_running']), Type.Null()], {
        description: 'State of the emulator’s world; null for services, and for emulators on other machines',
      }),
    },
    { description: 'A payment that a user requested on this machine' },
  ),
)

const { fee, payer, payee, created_at, submitted_at, completed_at, error_message, description } = Payment.properties

/**
 * The payment as the service sent it, and its intent on disk. Members that are missing in the answer to the request
 * come from the intent, or are null. With `--wait`, payctl also reads the payment, which fills these members.
 */
export const sentPayment = Type.Object({
  ...InitiatedPayment.properties,
  source_account_id: nullable(InitiatedPayment.properties.source_account_id),
  description,
  transfer_type: Payment.properties.transfer_type,
  fee,
  payer: nullable(payer),
  payee: nullable(payee),
  sinpe_reference: textOrNull('The rail’s reference: 25 digits; null until the rail gives it'),
  error_message,
  created_at: nullable(created_at),
  submitted_at,
  completed_at,
  intent: nullable(intent),
})

/** Output of `payments resume` without an id. */
export const resumedPayment = Type.Object({
  id: textOrNull('Id of the payment; null while the payment is in doubt'),
  status: textOrNull('Status of the payment; null while the payment is in doubt'),
  idempotency_key: text('Key with which the service makes the payment only once'),
  intent,
})

/** A row whose amount has the form that the interface promises. */
type PromisedRow = ResultRow & { readonly amount: Money | { readonly value: number; readonly currency?: never } }

export const resultRow = shapeOf<PromisedRow>()(
  Type.Object(
    {
      line: nullable(count('Line number in the file')),
      reference: textOrNull('The caller’s own reference for the row, from the file'),
      to: text('IBAN or phone'),
      amount: Type.Union([Money, Type.Object({ value: Type.Integer() })], {
        description: 'Amount in minor units; without a currency if the account’s currency is unknown',
      }),
      status: text('Status of the payment, or rejected, unknown (money may have moved) or not_sent'),
      payment_id: textOrNull('Id of the payment; null if the service has not returned one'),
      intent: text('Id of the intent'),
      error: textOrNull('Reason why the payment was refused, failed or is in doubt'),
      columns: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Cells of the row in columns that payctl does not read, by heading',
        }),
      ),
    },
    { description: 'Outcome of a row of a batch' },
  ),
)

const amountOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const batchSummary = shapeOf<SummaryData>()(
  Type.Object(
    {
      batch: text('Name of the batch'),
      rows: count('Rows of the file'),
      sent_before: count('Rows that earlier runs sent'),
      to_send: count('Rows to send'),
      in_doubt: count(
        'Rows to send that may have been sent before: payctl first searches the payment history for them, then sends each missing row again with its original key',
      ),
      payees: count('Number of different payees in the rows to send'),
      debits: Type.Array(
        Type.Object({
          account_id: text('Account that pays'),
          iban: textOrNull('Its IBAN'),
          owner_name: textOrNull('Its owner'),
          currency: textOrNull('Its currency'),
          rows: count('Number of rows to pay from the account'),
          amount: Type.Integer({ description: 'Sum of these rows in minor units, without fees' }),
          estimated_fees: amountOrNull('Minor units; null if unknown'),
          balance: amountOrNull('Minor units; null if unknown'),
        }),
        { description: 'Rows and sums by account' },
      ),
      warnings: Type.Array(Type.String(), { description: 'Warnings for a person' }),
      unusual: Type.Array(
        Type.Object({
          kind: Type.Enum(['other_address', 'large_amount', 'paid_lately', 'new_payee'], {
            description:
              'other_address: this name was paid before at another account or phone; large_amount: more than twice the usual amount from this account to this payee; paid_lately: same account, payee and amount as a payment in the last 8 days; new_payee: a payee that has never been paid before',
          }),
          rows: count('Number of rows; for new_payee, number of payees'),
          lines: Type.Array(Type.Integer(), { description: 'Line numbers of the first 20 rows' }),
          text: text('In words'),
        }),
        { description: 'Rows that are unusual, compared with earlier payments in the journal of this machine' },
      ),
      known: Type.Object(
        {
          rows: count('Number of rows'),
          first: textOrNull('Earliest time at which the journal last changed one of these rows'),
          last: textOrNull('Latest time at which the journal last changed one of these rows'),
          elsewhere: count('Number of rows that another batch sent'),
        },
        { description: 'Rows that were sent before' },
      ),
    },
    { description: 'Payments that a batch would make' },
  ),
)

export const receipt = Type.Object({
  is_proof: flag('True if the money has arrived, and the service is not an emulator'),
  is_emulator: flag('True if an emulator made the payment'),
  payment: Payment,
})

const reason = (key: 'phone_number' | 'iban') =>
  Type.Object(
    {
      [key]: text('Value of the argument'),
      status: Type.Enum(['not_found', 'invalid']),
      reason: text('Reason why no holder was found'),
    },
    { description: 'A value without a holder' },
  )

export const phoneRow = Type.Union([PhoneInformation, reason('phone_number')])
export const ibanRow = Type.Union([IbanInformation, reason('iban')])
export const lookupRow = Type.Union([PhoneInformation, IbanInformation, reason('phone_number'), reason('iban')])

const fits = (what: string) =>
  Type.Union(
    [
      Type.Object({
        yes: count('Rows that match'),
        partly: count('Rows that match in part'),
        no: count('Rows that do not match'),
        not_compared: count('Rows for which the service hides the value or does not give it'),
      }),
      Type.Null(),
    ],
    { description: `${what} of the file, compared with those of the holders; null if they are not compared` },
  )

export const fileLookup = Type.Object({
  file: text('Path of the written file'),
  rows: count('Rows of the file'),
  found: count('Values with a holder'),
  not_found: count('Values without a holder'),
  invalid: count('Values that are not a phone or an IBAN, or that the service refused'),
  failed: count('Values for which the service failed'),
  remembered: count('Distinct values whose answers an earlier run saved'),
  names: fits('Names'),
  documents: fits('Documents'),
})

const status = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const tailEvent = shapeOf<TailEvent>()(
  Type.Object(
    {
      received_at: time('Time of arrival, UTC'),
      recovered: flag('True if the event was read from the history, because no delivery came'),
      delivery_id: textOrNull(
        'The service’s id of the delivery, the same for all attempts; null if the service sends none',
      ),
      attempt: status('Number of the attempt'),
      event: textOrNull('Name of the event; null if the body is not an event'),
      timestamp: textOrNull('Time of the event, as the service reports it'),
      data: Type.Unknown({ description: 'The payment, as the service sent it' }),
      raw: Type.Optional(text('Body of the delivery, if it is not an event')),
      forward: Type.Optional(
        Type.Object(
          {
            url: textOrNull('URL of the target, without its query'),
            status: status('HTTP status of the answer; null without an answer'),
            error: textOrNull('Reason why no answer came'),
            duration_ms: Type.Number(),
            answer: textOrNull('First line of the answer’s body'),
          },
          { description: 'With --forward-to' },
        ),
      ),
    },
    { description: 'An event that was received, or that was recovered from the history' },
  ),
)

export const replayed = shapeOf<Replayed>()(
  Type.Object({
    line: count('Line number in the file'),
    received_at: text('Time of arrival'),
    event: textOrNull('Name of the event'),
    delivery_id: textOrNull('The service’s id of the delivery'),
    payment_id: textOrNull('Id of the event’s payment'),
    status: status('HTTP status of the answer; null without an answer'),
    duration_ms: Type.Number(),
    error: textOrNull('Reason why no answer came, or why a redirect was not accepted; null for other answers'),
    answer: textOrNull('First line of the answer’s body'),
  }),
)
