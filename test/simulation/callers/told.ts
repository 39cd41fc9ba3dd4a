import type { BatchReport } from '../../../src/payments/batch_plan.ts'
import type { PaymentOutcome } from '../../../src/payments/payment_outcome.ts'
import type { TailEvent } from '../../../src/webhooks/event.ts'
import { Killed } from '../machine/machine.ts'
import type { Place } from '../script/places.ts'

/** A result that a caller received, with the data to check the result. */
export type Told =
  | ({ readonly what: 'outcome'; readonly intent: string } & Asked & ToldOutcome)
  /** A row of a batch. `intent` is always the id of an intent. */
  | ({ readonly what: 'row' } & Omit<Asked, 'key'> & ToldRow)
  | { readonly what: 'batch'; readonly rows: number; readonly told: number; readonly report: BatchReport }
  | { readonly what: 'resumed'; readonly intent: string; readonly status: string }
  | { readonly what: 'ended'; readonly payment: string; readonly status: string }
  | { readonly what: 'pages'; readonly user: Place['user']; readonly ids: readonly string[] }
  | { readonly what: 'event'; readonly event: TailEvent; readonly isNew: boolean }
  | { readonly what: 'remark'; readonly text: string }
  | { readonly what: 'logged out' }

export interface Asked {
  readonly description: string
  readonly key: string
  readonly amount: number
}

type ToldOutcome =
  | { readonly outcome: 'accepted'; readonly payment: string }
  | { readonly outcome: Exclude<PaymentOutcome['outcome'], 'accepted'>; readonly error: unknown }

export interface ToldRow {
  readonly status: string
  readonly payment: string | null
  readonly intent: string
}

/** Formats results for the log. */
export const describe = (told: readonly Told[], error: unknown): string => {
  const ended = error instanceof Killed ? 'killed' : error instanceof Error ? error.message : ''
  return [...told.map(inWords), ended].filter((text) => text).join(', ')
}

function inWords(told: Told): string {
  switch (told.what) {
    case 'outcome':
      return `${told.outcome} ${told.description}`
    case 'row':
      return `${told.status} ${told.description}`
    case 'pages':
      return `${told.ids.length} rows`
    case 'resumed':
      return `${told.intent} ${told.status}`
    case 'ended':
      return told.status
    case 'event':
      return `${told.event.event} ${told.event.delivery_id ?? 'recovered'}`
    default:
      return told.what
  }
}
