import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors } from '../errors.ts'
import { described, Uuid } from '../schemas/scalars.ts'

/** Most ids that a part finds. */
export const mostIds = 10

export const IdQuery = Type.Object({
  kind: Type.Enum(['payment', 'account', 'subscription', 'user', 'scheduled_credit'], {
    description: 'Kind of thing that has the id',
  }),
  part: Type.String({
    pattern: '^(last|[0-9A-Fa-f-]{4,36}|CR[0-9]{20})$',
    'x-messages': { pattern: 'The part field must be at least 4 characters of an id, an IBAN, or last.' },
    description:
      'At least four characters of the id. An account also goes by its IBAN or the end of it; `last` is the newest payment',
  }),
})

export const FoundId = Type.Object({
  id: described(Uuid, 'Whole id'),
  about: Type.String({ description: 'Facts that distinguish it, for people: amount, status and time of a payment' }),
})
export type FoundId = Static<typeof FoundId>

export const idEndpoints = {
  'control.ids.find': endpoint({
    method: 'GET',
    path: '/_emulator/ids',
    summary: 'Ids that a part of one fits',
    description: `At most ${mostIds}, of every user. Payments and scheduled credits come newest first, the others oldest first.`,
    access: 'control',
    query: IdQuery,
    success: { status: 200, message: 'Ids found', data: Type.Array(FoundId) },
    errors: { ...controlErrors, 422: null },
  }),
} as const
