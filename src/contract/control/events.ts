import { type Static, Type } from 'typebox'
import { Payment, PaymentStatus } from '../schemas/payment.ts'
import { described, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { ClockState } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { Delivery, DeliveryAttempt, EmulatedSubscription } from './deliveries.ts'
import { LedgerEntry, LoggedRequest } from './requests.ts'
import { MadeFrom, WorldName } from './worlds.ts'

/** Creates the member that distinguishes the kinds of events. */
const kind = <const Name extends string>(name: Name) =>
  Type.Literal(name, { description: 'Name of the kind of event, as in the `event` line' })

const common = {
  id: Type.String({ description: 'Id of the event, for `Last-Event-ID`' }),
  at: described(Timestamp, 'Time of the event, UTC by the clock of the world'),
}

const AnyWorld = Type.Object(
  {
    name: WorldName,
    id: described(Uuid, 'Value of `X-Emulator-World` in the world’s answers; a reset changes the id'),
  },
  { description: 'A world of the emulator, not necessarily the world of the stream' },
)

export const StreamOpened = Type.Object(
  {
    type: kind('open'),
    ...common,
    world: AnyWorld,
    resumed: Type.Boolean({ description: 'True if the stream continues after the event of `Last-Event-ID`' }),
  },
  { description: 'The stream has begun: later changes of the world follow as events' },
)

export const RequestAnswered = Type.Object(
  {
    type: kind('request'),
    ...common,
    request: described(LoggedRequest, 'The request as the log has it, with breaches of the contract'),
  },
  { description: 'A request was answered, or its answer was lost' },
)

export const PaymentStepped = Type.Object(
  {
    type: kind('payment'),
    ...common,
    payment: described(Payment, 'The payment with its new status'),
    from: described(nullable(PaymentStatus), 'Previous status; null for a new payment'),
    account_id: described(Uuid, 'Account of this world that sends or receives the money'),
  },
  { description: 'A payment was made, or its status changed' },
)

export const EntriesBooked = Type.Object(
  {
    type: kind('entries'),
    ...common,
    payment_id: described(nullable(Uuid), 'Payment that moved the money; null for funding'),
    entries: Type.Array(LedgerEntry, { description: 'All entries of one movement; they add up to 0' }),
  },
  { description: 'Money was moved in the ledger' },
)

const ofDelivery = {
  payment_id: described(Uuid, 'Payment of the webhook event'),
  url: Type.String({ description: 'URL of the subscription' }),
}

export const DeliveryQueued = Type.Object(
  { type: kind('queued'), ...common, delivery: described(Delivery, 'The delivery, with its due time'), ...ofDelivery },
  { description: 'A delivery of a webhook was queued, or queued again on request' },
)

export const DeliveryTried = Type.Object(
  {
    type: kind('delivery'),
    ...common,
    delivery: described(Delivery, 'The delivery after the attempt'),
    ...ofDelivery,
    attempt: described(DeliveryAttempt, 'Result of the attempt'),
  },
  { description: 'An attempt to deliver a webhook ended' },
)

const SubscriptionChange = Type.Enum(['created', 'suspended', 'resumed', 'deleted'], {
  description:
    '`resumed`: the waiting deliveries of the subscription are due at once; `deleted`: the deliveries of the subscription are removed too',
})
export type SubscriptionChange = Static<typeof SubscriptionChange>

export const SubscriptionChanged = Type.Object(
  {
    type: kind('subscription'),
    ...common,
    change: SubscriptionChange,
    subscription: described(
      EmulatedSubscription,
      'The subscription after the change; a deleted subscription as it was before',
    ),
  },
  { description: 'A webhook subscription was made, changed or removed, by a request or by failed deliveries' },
)

export const ClockChanged = Type.Object(
  {
    type: kind('clock'),
    ...common,
    clock: described(ClockState, 'State after the change'),
    moved_ms: Type.Integer({ description: 'Milliseconds by which the clock was moved; 0 for any other change' }),
  },
  { description: 'The clock was moved, stopped or resumed, or its speed changed' },
)

export const WorldMade = Type.Object(
  {
    type: kind('world_made'),
    ...common,
    world: AnyWorld,
    made_from: described(MadeFrom, 'Origin of the world, to which a reset goes back'),
  },
  { description: 'The emulator made a world. A reset makes another world of the same name' },
)

export const EndReason = Type.Enum(['reset', 'restored', 'deleted', 'expired', 'moved', 'stopped'], {
  description:
    '`reset`, `restored`: another world of the same name follows; `moved`: another emulator has the world now; `stopped`: the emulator ended',
})
export type EndReason = Static<typeof EndReason>

export const WorldEnded = Type.Object(
  { type: kind('world_ended'), ...common, world: AnyWorld, ended_by: EndReason },
  { description: 'Another world of the emulator ended' },
)

export const StreamResync = Type.Object(
  {
    type: kind('resync'),
    ...common,
    reason: Type.Enum(['behind', 'slow'], {
      description: '`behind`: the event of `Last-Event-ID` was dropped. `slow`: the reader was too slow for the events',
    }),
  },
  { description: 'Events are missing: read the state of the world again. The stream continues after this event' },
)

export const StreamEnded = Type.Object(
  { type: kind('end'), ...common, reason: EndReason },
  { description: 'The world of the stream has ended: no event follows' },
)

export const WorldEvent = Type.Union(
  [
    StreamOpened,
    RequestAnswered,
    PaymentStepped,
    EntriesBooked,
    DeliveryQueued,
    DeliveryTried,
    SubscriptionChanged,
    ClockChanged,
    WorldMade,
    WorldEnded,
    StreamResync,
    StreamEnded,
  ],
  { description: 'Data of one event of the stream' },
)
export type WorldEvent = Static<typeof WorldEvent>

/** Media type of a stream of server-sent events. */
export const eventStreamType = 'text/event-stream'

export const eventEndpoints = {
  'control.events': controlEndpoint({
    method: 'GET',
    path: '/_emulator/events',
    summary: 'All events of the world, live',
    description:
      'A stream of server-sent events that ends with the world. `id`, `event` and `data` of each message are the event’s id, type and JSON. A comment is sent every 15 s. To continue after an interruption, send the id of the last event as `Last-Event-ID`: the latest events are kept for a minute after the last reader has left. A reader that is too slow or too far behind gets `resync` instead of the missing events.',
    headers: Type.Object({
      'Last-Event-ID': Type.Optional(
        Type.String({ maxLength: 64, description: 'Id of the last event that the reader got' }),
      ),
    }),
    success: { status: 200, message: 'Events follow', data: WorldEvent, type: eventStreamType },
    stream: true,
  }),
} as const
