import type { Outgoing, Reply } from './exchange.ts'
import type { Headers } from './header.ts'
import { redactBody, redactHeader, redactText, type Secrets } from './redaction.ts'

/** Limit of a displayed body, in characters. */
const longestBody = 4096

/** Limit of a body that is searched for secrets, in characters; a longer one is shown only by its length. */
const longestRead = 2 ** 20

/** Writes requests and answers as lines, without secrets. `elapsed` is in milliseconds. */
interface Trace {
  request(url: string, outgoing: Outgoing): void
  reply(reply: Reply, elapsed: number): void
  loss(reason: string, elapsed: number): void
}

export const silent: Trace = { request() {}, reply() {}, loss() {} }

/** Hides the request's `secrets` everywhere. */
export function createTrace(write: (line: string) => void, secrets: Secrets): Trace {
  const lines = (mark: string, headers: Headers, body: string | Uint8Array | undefined) => {
    for (const [name, value] of Object.entries(headers)) write(`${mark} ${name}: ${redactHeader(name, value, secrets)}`)
    if (typeof body === 'string' && body) write(`${mark} ${bodyLine(body, secrets)}`)
    if (body instanceof Uint8Array) write(`${mark} (${body.length} bytes)`)
  }
  return {
    request(url, { method, headers, body }) {
      write(`> ${method} ${redactText(url, secrets)}`)
      lines('>', headers, body)
    },
    reply({ status, headers, text, bytes }, elapsed) {
      write(`< ${status} ${elapsed}ms`)
      lines('<', headers, bytes ?? text)
    },
    loss(reason, elapsed) {
      write(`< no answer after ${elapsed}ms: ${reason}`)
    },
  }
}

const bodyLine = (body: string, secrets: Secrets): string =>
  body.length > longestRead
    ? `(${body.length} characters, too long to show)`
    : shorten(oneLine(redactBody(body, secrets)))

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ')

const shorten = (text: string): string =>
  text.length > longestBody ? `${text.slice(0, longestBody)}... (${text.length} characters)` : text
