import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { EndpointId } from '../../src/contract/index.ts'

/** What a run has written at a service, or would write there. */
export interface Writes {
  /** Requests for payments. */
  readonly payments: number
  /** All that they asked for, in minor units by currency: most that can have moved, fees apart. */
  readonly asked: Readonly<Record<string, number>>
  /** Of these requests, those that were answered as accepted. */
  readonly accepted: number
  /** Those without an answer: each may have moved money. */
  readonly unanswered: number
  readonly accounts: number
  readonly subscriptions: number
}

/** A request that writes. */
export interface Write {
  readonly endpoint: EndpointId
  /** Of a payment. */
  readonly asked?: { readonly minor: number; readonly currency: string }
}

type Line = ({ readonly sent: number } & Write) | { readonly answered: number; readonly status: number }

/** Keeps what is written in a file, a line each, before the request leaves: it outlives a run that is broken off. */
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
