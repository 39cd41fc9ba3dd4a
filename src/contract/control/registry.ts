import { type Static, Type } from 'typebox'
import { FailureText, StateCode } from '../events.ts'
import { terminalStatuses } from '../payment_names.ts'
import { IbanStatus } from '../schemas/lookup.ts'
import { Channel, PaymentStatus } from '../schemas/payment.ts'
import { Currency, closed, DocumentNumber, DocumentType, described, Iban, nullable, Phone } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

export const Outcome = Type.Enum([...terminalStatuses, 'processing', 'slow', 'fee_unknown'], {
  description:
    'Result of payments to a recipient: `processing` never ends, `slow` takes ten times as long, `fee_unknown` completes with a fee of null',
})
export type Outcome = Static<typeof Outcome>

export const RegistryEntry = Type.Object({
  address: Type.String({ description: 'IBAN (channel `pin`), or the eight digits of a phone number (`sinpe_movil`)' }),
  channel: Channel,
  name: Type.String({ description: 'First and last names, or the name of a company' }),
  document_number: Type.String({ description: 'Identity document of the holder in raw form' }),
  document_type: DocumentType,
  currency: Currency,
  entity_name: Type.String({ description: 'Name of the bank' }),
  outcome: Outcome,
  state_code: nullable(StateCode),
  error: described(nullable(FailureText), 'Error text of failed payments; null for the usual text of the state code'),
  status: IbanStatus,
})
export type RegistryEntry = Static<typeof RegistryEntry>

export const RegistryBody = closed({
  iban: Type.Optional(
    described(
      nullable(Iban),
      'IBAN of the customer, with correct check digits unless the world is lenient; exactly one of `iban` and `phone` is required',
    ),
  ),
  phone: Type.Optional(described(nullable(Phone), 'Phone of the customer: eight digits, with or without 506')),
  name: Type.String({ minLength: 1, maxLength: 255, description: 'First and last names, or the name of a company' }),
  document_number: DocumentNumber,
  document_type: Type.Optional(
    described(nullable(DocumentType), 'SINPE’s number for the type of document. Default: derived from the number'),
  ),
  currency: Type.Optional(described(Currency, 'Currency of the account. Default: CRC')),
  outcome: Type.Optional(described(Outcome, 'Result of payments to the customer. Default: `completed`')),
  state_code: Type.Optional(described(nullable(StateCode), 'Code of the failure, only with the outcome `failed`')),
  error: Type.Optional(
    described(nullable(FailureText), 'Human-readable reason for the failure; only with the outcome `failed`'),
  ),
  status: Type.Optional(
    described(
      IbanStatus,
      'Status of the account in look-ups. Default: `active`, or the status that belongs to the state code',
    ),
  ),
})
export type RegistryBody = Static<typeof RegistryBody>

export const Scenario = Type.Object({
  address: Type.String({ description: 'IBAN (channel `pin`), or the eight digits of a phone number (`sinpe_movil`)' }),
  channel: Channel,
  name: Type.String({ description: 'First and last names, or the name of a company' }),
  currency: Currency,
  outcome: Outcome,
  status: PaymentStatus,
  state_code: nullable(StateCode),
  error_message: described(nullable(Type.String()), 'Error text of the payment; null if it completes'),
  after_ms: Type.Integer({
    description:
      'Milliseconds of the world’s clock until the payment has that status; the longest time if payments draw theirs from a range',
  }),
})
export type Scenario = Static<typeof Scenario>

export const registryEndpoints = {
  'control.scenarios': controlEndpoint({
    method: 'GET',
    path: '/_emulator/scenarios',
    summary:
      'Recipients to which payments fail, hang, are slow or have an unknown fee, with the result for each recipient',
    description: 'Pay to one of these addresses to see a failure, a timeout or a payment that never ends.',
    success: { status: 200, message: 'Scenarios listed', data: Type.Array(Scenario) },
  }),
  'control.registry.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/registry',
    summary: 'Customers of other banks',
    description: 'Recipients besides the world’s own users: customers in the seed, and added customers.',
    success: { status: 200, message: 'Registry listed', data: Type.Array(RegistryEntry) },
  }),
  'control.registry.add': controlEndpoint({
    method: 'POST',
    path: '/_emulator/registry',
    summary: 'Add a customer of another bank',
    description: 'From then on, look-ups find the customer, and payments can be sent to the customer.',
    body: RegistryBody,
    success: { status: 201, message: 'Registry entry added', data: RegistryEntry },
    errors: { 409: 'The registry already has this address; remove it first' },
  }),
  'control.registry.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/registry/{address}',
    summary: 'Remove a customer of another bank; payments in progress continue',
    description: 'Look-ups and new payments then do not find the customer.',
    params: Type.Object({ address: Type.String({ description: 'IBAN, or the eight digits of a phone number' }) }),
    success: { status: 200, message: 'Registry entry removed', data: RegistryEntry },
    errors: { 404: 'Registry entry not found' },
  }),
} as const
