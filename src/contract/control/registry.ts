import { type Static, Type } from 'typebox'
import { FailureText, StateCode } from '../events.ts'
import { terminalStatuses } from '../payment_names.ts'
import { IbanStatus } from '../schemas/lookup.ts'
import { Channel, PaymentStatus } from '../schemas/payment.ts'
import { Currency, closed, DocumentNumber, DocumentType, described, Iban, nullable, Phone } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/**
 * Result of payments to a recipient. `processing` never ends; `slow` completes, but takes ten times as long;
 * `fee_unknown` completes without a known fee.
 */
export const Outcome = Type.Enum([...terminalStatuses, 'processing', 'slow', 'fee_unknown'], {
  description:
    'How payments to a recipient end: `processing` never ends, `slow` takes ten times as long, `fee_unknown` completes with a fee of null',
})
export type Outcome = Static<typeof Outcome>

/**
 * A customer of another bank. `address`: an IBAN (channel `pin`) or the eight digits of a phone (`sinpe_movil`).
 * `state_code` and `error`: those of failing payments to it; `error` null: the code's usual text. `status`: the result
 * of looking up the IBAN.
 */
export const RegistryEntry = Type.Object({
  address: Type.String({ description: 'An IBAN (channel `pin`) or the eight digits of a phone (`sinpe_movil`)' }),
  channel: Channel,
  name: Type.String({ description: 'First and last names, or the name of a company' }),
  document_number: Type.String({ description: 'The holder’s identity document in raw form' }),
  document_type: DocumentType,
  currency: Currency,
  entity_name: Type.String({ description: 'Name of the bank' }),
  outcome: Outcome,
  state_code: nullable(StateCode),
  error: described(nullable(FailureText), 'What failed payments say; null: the usual text of the state code'),
  status: IbanStatus,
})
export type RegistryEntry = Static<typeof RegistryEntry>

/**
 * Exactly one of `phone` and `iban`, whose check digits must be right unless the world is lenient. Defaults:
 * `document_type` follows from the number, `currency` is CRC, `outcome` is `completed`, `status` is `active`, or
 * `closed` or `blocked` if payments fail for that. `state_code` and `error` require the outcome `failed`.
 */
export const RegistryBody = closed({
  iban: Type.Optional(nullable(Iban)),
  phone: Type.Optional(nullable(Phone)),
  name: Type.String({ minLength: 1, maxLength: 255, description: 'First and last names, or the name of a company' }),
  document_number: DocumentNumber,
  document_type: Type.Optional(nullable(DocumentType)),
  currency: Type.Optional(Currency),
  outcome: Type.Optional(Outcome),
  state_code: Type.Optional(nullable(StateCode)),
  error: Type.Optional(nullable(FailureText)),
  status: Type.Optional(IbanStatus),
})
export type RegistryBody = Static<typeof RegistryBody>

/**
 * A recipient whose payments do not simply complete. A payment reaches `status` after `after_ms` milliseconds of the
 * world's clock and stays in it with this `error_message`.
 */
export const Scenario = Type.Object({
  address: Type.String({ description: 'An IBAN (channel `pin`) or the eight digits of a phone (`sinpe_movil`)' }),
  channel: Channel,
  name: Type.String({ description: 'First and last names, or the name of a company' }),
  currency: Currency,
  outcome: Outcome,
  status: PaymentStatus,
  state_code: nullable(StateCode),
  error_message: described(nullable(Type.String()), 'What the payment says then; null if it completes'),
  after_ms: Type.Integer({
    description:
      'Milliseconds of the world’s clock until the payment is in that status; at most, if payments draw their times from a range',
  }),
})
export type Scenario = Static<typeof Scenario>

export const registryEndpoints = {
  'control.scenarios': controlEndpoint({
    method: 'GET',
    path: '/_emulator/scenarios',
    summary: 'The recipients whose payments do not simply complete, and what happens instead',
    description: 'Pay to one of them to see a failure, a timeout or a payment that never ends.',
    success: { status: 200, message: 'Scenarios listed', data: Type.Array(Scenario) },
  }),
  'control.registry.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/registry',
    summary: 'The customers of other banks',
    description: 'Those of the seed and those that were added: who can be paid besides the world’s own users.',
    success: { status: 200, message: 'Registry listed', data: Type.Array(RegistryEntry) },
  }),
  'control.registry.add': controlEndpoint({
    method: 'POST',
    path: '/_emulator/registry',
    summary: 'Add a customer of another bank',
    description: 'Look-ups find it and payments reach it at once.',
    body: RegistryBody,
    success: { status: 201, message: 'Registry entry added', data: RegistryEntry },
    errors: { 409: 'The registry has this address already; remove it first' },
  }),
  'control.registry.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/registry/{address}',
    summary: 'Remove a customer of another bank; payments under way to it go on',
    description: 'Look-ups and new payments don’t find it any more.',
    params: Type.Object({ address: Type.String({ description: 'An IBAN, or the eight digits of a phone' }) }),
    success: { status: 200, message: 'Registry entry removed', data: RegistryEntry },
    errors: { 404: 'Registry entry not found' },
  }),
} as const
