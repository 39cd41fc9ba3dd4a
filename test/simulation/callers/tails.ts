import { join } from 'node:path'
import type { Client } from '../../../src/client/client.ts'
import { silent } from '../../../src/run/reporter.ts'
import type { QueuedEvent } from '../../../src/webhooks/delivery_handler.ts'
import { type TailEvent, withForward } from '../../../src/webhooks/event.ts'
import { type TailOptions, tail } from '../../../src/webhooks/tail.ts'
import { machine, type Process } from '../machine/machine.ts'
import type { Operation } from '../script/script.ts'
import { forwardUrl } from '../service/receivers.ts'
import type { Told } from './told.ts'

// Watches the events of payments, like `payctl webhooks tail`.

export type Tailing = Extract<Operation, { readonly do: 'tail' }>

interface Watching {
  readonly baseUrl: string
  readonly folder: string
  readonly process: Process
  readonly client: Client
  readonly connect: (options: { readonly signal: AbortSignal }) => Promise<Client>
  readonly tell: (told: Told) => void
}

/** Milliseconds between two checks of the history. */
export const lookMs = 30_000

/** File that a tail saves deliveries to. */
export const savedBy = (folder: string, { id }: Tailing): string => join(folder, `saved-${id}.ndjson`)

export async function watchEvents(operation: Tailing, watching: Watching): Promise<void> {
  const { baseUrl, folder, process, client, connect, tell } = watching
  const { forwardTo, limit, save } = operation
  const options: TailOptions = {
    ...(forwardTo !== undefined && { forwardTo: forwardUrl(forwardTo) }),
    ...(save && { save: savedBy(folder, operation) }),
    ...(limit !== undefined && { limit }),
    ...{ tailTimeout: operation.for, recover: true, recoverInterval: lookMs },
  }
  const remark = (text: string) => {
    machine.log(`${process.name}: ${text}`)
    tell({ what: 'remark', text })
  }
  const print = (events: AsyncIterable<QueuedEvent>, onPrinted: (event: TailEvent) => boolean) =>
    show(events, { ...operation, tell, onPrinted })
  await tail(options, {
    ...{ baseUrl, client, clientUntil: (signal) => connect({ signal }), stateDir: folder },
    ...{ signal: process.interruption.signal, reporter: { ...silent, remark }, print },
  })
}

interface Showing extends Pick<Tailing, 'slow'> {
  readonly tell: (told: Told) => void
  readonly onPrinted: (event: TailEvent) => boolean
}

/** Prints events as data, for a reader that may be slow. */
async function show(events: AsyncIterable<QueuedEvent>, { slow, tell, onPrinted }: Showing): Promise<void> {
  for await (const { event, isNew, forward } of events) {
    if (slow !== undefined) await machine.sleep(slow)
    const shown = forward ? withForward(event, await forward) : event
    tell({ what: 'event', event: shown, isNew })
    if (isNew && !onPrinted(shown)) return
  }
}
