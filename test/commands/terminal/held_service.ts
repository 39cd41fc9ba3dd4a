import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { serve } from '../../support/server.ts'

/** A service whose answers take as long as a test wants. */
interface HeldService {
  readonly url: string
  /** Answers the requests whose URL contains the text, including later requests. */
  release(text: string): void
  /** Resolves once a request whose URL contains the text waits for its answer. */
  asked(text: string): Promise<void>
}

/** A proxy of another service. The proxy holds each answer until the test releases the answer. */
export async function holdAnswers(target: string): Promise<HeldService> {
  const released: string[] = []
  const requests = new EventEmitter()
  let waiting: { readonly url: string; readonly pass: () => void }[] = []
  const passReleased = () => {
    const due = waiting.filter(({ url }) => released.some((text) => url.includes(text)))
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { pass } of due) pass()
  }
  const url = await serve(async (incoming, response) => {
    const { method, url = '/', headers } = incoming
    const body = await buffer(incoming)
    const pass = () =>
      request(new URL(url, target), { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }).end(body)
    waiting.push({ url, pass })
    requests.emit('request', url)
    passReleased()
  })
  return {
    url,
    release(text) {
      released.push(text)
      passReleased()
    },
    async asked(text) {
      while (!waiting.some(({ url }) => url.includes(text))) await once(requests, 'request')
    },
  }
}
