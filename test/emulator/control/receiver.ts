import { text } from 'node:stream/consumers'
import type { EventBody } from '../../../src/contract/index.ts'
import { serve } from '../../support/server.ts'

export interface Receiver {
  readonly url: string
  readonly received: EventBody[]
  /** Sets the status of the receiver's answers from now on; null: never answers. */
  answer(status: number | null): void
}

/** A webhook receiver, until the test ends. */
export async function startReceiver(): Promise<Receiver> {
  const received: EventBody[] = []
  let status: number | null = 200
  const url = await serve(async (request, response) => {
    received.push(JSON.parse(await text(request)))
    if (status !== null) response.writeHead(status).end('seen')
  })
  return {
    url: `${url}/hook`,
    received,
    answer(next) {
      status = next
    },
  }
}
