import { onTestFinished } from 'vitest'
import { controlEndpoints, type WorldEvent } from '../../../src/contract/index.ts'

/** A connection to the events of a world, until the test ends. */
export interface EventStream {
  readonly response: Response
  /** Resolves with the events up to the first event that meets the condition; rejects if the stream ends before. */
  until(isLast: (event: WorldEvent) => boolean): Promise<readonly WorldEvent[]>
  /** Resolves with all further text when the connection has ended. */
  rest(): Promise<string>
  close(): void
}

/** Opens the events of the world at a control URL, with these headers. */
export async function openEvents(
  controlUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const url = `${controlUrl}${controlEndpoints['control.events'].path}`
  const response = await fetch(url, { headers, signal: stop.signal })
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const events = async function* () {
    for (;;) {
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [id, type, data] = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        if (id?.startsWith(':')) continue
        const event = JSON.parse(data?.slice('data: '.length) ?? '') as WorldEvent
        if (id !== `id: ${event.id}` || type !== `event: ${event.type}`) throw new Error(`${id} ${type} ${data}`)
        yield event
      }
      const { done, value } = (await chunks?.read()) ?? { done: true }
      if (done) return
      text += value
    }
  }
  const all = events()
  return {
    response,
    async until(isLast) {
      const seen: WorldEvent[] = []
      for (;;) {
        const { done, value } = await all.next()
        if (done) throw new Error(`The stream ended after ${seen.map(({ type }) => type).join(', ')}`)
        seen.push(value)
        if (isLast(value)) return seen
      }
    },
    async rest() {
      for (let next = await chunks?.read(); next && !next.done; next = await chunks?.read()) text += next.value
      return text
    },
    close: () => stop.abort(),
  }
}
