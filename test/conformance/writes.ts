import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { EndpointId } from '../../src/contract/index.ts'

/** Counts of the writes that a run sends to a service, or that its dry run would send. */
export interface Writes {
  /** Number of payment requests. */
  readonly payments: number
  /** Sum of all payment requests, in minor units by currency: the largest sum that may have moved, without fees. */
  readonly asked: Readonly<Record<string, number>>
  /** Number of accepted payment requests. */
  readonly accepted: number
  /** Number of payment requests without an answer: each may have moved money. */
  readonly unanswered: number
  readonly accounts: number
  readonly subscriptions: number
}

/** A write request. */
export interface Write {
  readonly endpoint: EndpointId
  /** Amount of a payment. */
  readonly asked?: { readonly minor: number; readonly currency: string }
}

type Line = ({ readonly sent: number } & Write) | { readonly answered: number; readonly status: number }

/**
 * Records each write in a file before the request is sent, and the status of the answer, so that the record survives an
 * interrupted run.
 */
export class WriteJournal {
  readonly #file: string
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  sent(write: Write): number {
    this.#count += 1
    this.#append({ sent: this.#count, ...write })
    return this.#count
  }

  answered(sent: number, status: number): void {
    this.#append({ answered: sent, status })
  }

  #append(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }
}

export function readWrites(file: string): Writes {
  const lines: Line[] = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
  const status = new Map(lines.flatMap((line) => ('answered' in line ? [[line.answered, line.status]] : [])))
  const sent = lines.flatMap((line) => ('sent' in line ? [line] : []))
  const of = (endpoint: EndpointId) => sent.filter((write) => write.endpoint === endpoint)
  const payments = of('payments.create')
  const asked: Record<string, number> = {}
  for (const { asked: money } of payments) {
    if (money) asked[money.currency] = (asked[money.currency] ?? 0) + money.minor
  }
  return {
    payments: payments.length,
    asked,
    accepted: payments.filter(({ sent }) => status.get(sent) === 201).length,
    unanswered: payments.filter(({ sent }) => !status.has(sent)).length,
    accounts: of('accounts.create').length,
    subscriptions: of('webhooks.create').length,
  }
}
