import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors } from '../errors.ts'
import { Payment, SendPaymentBody } from '../schemas/payment.ts'
import { closed, DocumentNumber, described, Iban, nullable, Phone } from '../schemas/scalars.ts'

const Words = Type.String({ minLength: 1, maxLength: 255 })

/**
 * Money from another bank. `to` is the id, the IBAN or the phone of an account of the world; `amount` is in minor
 * units of its currency. It comes over `pin` from `from_iban`, over `sinpe_movil` from `from_phone`; without either,
 * over the rail that `to` is an address of. Name and document of who sent it are made up where they are not given.
 */
export const CreditBody = closed({
  to: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Id, IBAN or phone of an account of the world',
  }),
  amount: SendPaymentBody.properties.amount,
  from_iban: Type.Optional(nullable(Iban)),
  from_phone: Type.Optional(nullable(Phone)),
  name: Type.Optional(described(nullable(Words), 'Who sends the money; made up where it is left out')),
  document_number: Type.Optional(nullable(DocumentNumber)),
  description: Type.Optional(
    described(nullable(Words), 'What it is for; the words of the channel where it is left out'),
  ),
})
export type CreditBody = Static<typeof CreditBody>

export const creditEndpoints = {
  'control.credits.create': endpoint({
    method: 'POST',
    path: '/_emulator/credits',
    summary: 'Let money arrive from another bank',
    description: 'Its receiver gets a payment of type `credit` and the event `transaction.received`.',
    access: 'control',
    body: CreditBody,
    success: { status: 201, message: 'Credit received', data: Payment },
    errors: { ...controlBodyErrors, 409: 'The payment rail is offline' },
  }),
} as const
