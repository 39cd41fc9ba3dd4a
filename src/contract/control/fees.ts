import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable } from '../schemas/scalars.ts'

const Amount = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Minor units' })

/** Fee of payments up to `up_to` minor units; null: of all larger amounts. */
const FeeBand = closed({
  up_to: described(
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    'Largest amount of the band in minor units; null in the last band',
  ),
  fee: described(Amount, 'What a payment of the band costs, in minor units'),
})
export type FeeBand = Static<typeof FeeBand>

const Fee = Type.Union([Amount, Type.Array(FeeBand, { minItems: 1, maxItems: 20 })])
export type Fee = Static<typeof Fee>

const properties = {
  pin: described(Fee, 'Over PIN from an account in CRC: minor units, or bands by amount'),
  pin_usd: described(Fee, 'Over PIN from an account in USD: minor units, or bands by amount'),
  sinpe_movil: described(Fee, 'Over SINPE Móvil, which carries CRC only: minor units, or bands by amount'),
  own_accounts: Type.Enum(['same', 'free'], {
    description: 'Between two accounts of one user: the same as to anybody, or free',
  }),
}

/** Fees for the payer, by rail, currency and amount. */
export const Fees = Type.Object(properties)
export type Fees = Static<typeof Fees>

/** Absent members don't change. */
export const FeesBody = closed({
  pin: Type.Optional(properties.pin),
  pin_usd: Type.Optional(properties.pin_usd),
  sinpe_movil: Type.Optional(properties.sinpe_movil),
  own_accounts: Type.Optional(properties.own_accounts),
})

export const feeEndpoints = {
  'control.fees.get': endpoint({
    method: 'GET',
    path: '/_emulator/fees',
    summary: 'What a payment costs',
    description: 'By rail, currency and amount, in minor units of the payment’s currency.',
    access: 'control',
    success: { status: 200, message: 'Fees read', data: Fees },
    errors: controlErrors,
  }),
  'control.fees.set': endpoint({
    method: 'POST',
    path: '/_emulator/fees',
    summary: 'Set what a payment costs from now on',
    description: 'Payments under way keep their fee. What is left out stays as it is.',
    access: 'control',
    body: FeesBody,
    success: { status: 200, message: 'Fees set', data: Fees },
    errors: controlBodyErrors,
  }),
} as const
