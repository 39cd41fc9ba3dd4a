import { type Static, Type } from 'typebox'
import { controlEndpoint } from './control_endpoint.ts'

/** Maximum number of matches that a search returns. */
export const mostMatches = 20

export const Match = Type.Object(
  {
    matched: Type.Enum(
      [
        'id',
        'request_id',
        'delivery_id',
        'event_id',
        'idempotency_key',
        'channel_reference',
        'sinpe_reference',
        'iban',
        'phone',
        'part_of_id',
        'text',
      ],
      {
        description:
          'Kind of the given text; `text`: part of a name, number or description of a payment, or its amount',
      },
    ),
    kind: Type.Enum(
      ['payment', 'request', 'delivery', 'account', 'user', 'subscription', 'scheduled_credit', 'registry_entry'],
      { description: 'Resource to open; for an event, its payment' },
    ),
    id: Type.String({ description: 'Id of the match; for a registry entry, its address' }),
    about: Type.String({
      description: 'Facts that distinguish the match, for people, such as amount, status and time of a payment',
    }),
  },
  { description: 'A resource with the given id, reference, key or address' },
)
export type Match = Static<typeof Match>

export const findEndpoints = {
  'control.find': controlEndpoint({
    method: 'GET',
    path: '/_emulator/find',
    summary: 'Find what an id, reference, key, IBAN or phone belongs to',
    description: `Takes the id of a payment, request, delivery, event, subscription, account, user or scheduled credit; a channel or SINPE reference; an idempotency key; an IBAN; or a phone. For an event, the match is the payment of the event. If nothing matches exactly, part of an id matches, or else part of a payment’s texts. Returns at most ${mostMatches} matches.`,
    query: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 255, description: 'Any id, reference, key, IBAN or phone' }),
    }),
    success: { status: 200, message: 'Search finished', data: Type.Array(Match) },
    errors: { 422: null },
  }),
} as const
