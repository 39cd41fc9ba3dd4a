import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { factsOf, type TailEvent } from '../../webhooks/event.ts'

interface Shown {
  readonly body: boolean
  readonly forward: boolean
}

/** For csv and tsv. */
export const eventColumns = ({ body, forward }: Shown): readonly Column<TailEvent>[] => [
  field('received_at', (event) => event.received_at),
  field('event', ({ event }) => event),
  field('recovered', ({ recovered }) => recovered),
  field('payment_id', (event) => factsOf(event).id),
  field('status', (event) => factsOf(event).status),
  field('channel', (event) => factsOf(event).channel),
  field('transfer_type', (event) => factsOf(event).transferType),
  field('amount', (event) => factsOf(event).amount),
  field('currency', (event) => factsOf(event).currency),
  field('counterparty', (event) => factsOf(event).counterparty),
  field('error', (event) => factsOf(event).error),
  field('delivery_id', ({ delivery_id }) => delivery_id),
  field('attempt', ({ attempt }) => attempt),
  ...(forward ? forwardColumns : []),
  ...(body ? [field<TailEvent>('body', ({ raw, data }) => raw ?? JSON.stringify(data))] : []),
]

const forwardColumns: readonly Column<TailEvent>[] = [
  field('forward_status', ({ forward }) => forward?.status),
  field('forward_ms', ({ forward }) => forward?.duration_ms),
  field('forward_error', ({ forward }) => forward?.error),
]
