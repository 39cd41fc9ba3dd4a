import type { Outgoing, Reply } from './exchange.ts'
import type { Headers } from './header.ts'
import { redactBody, redactText } from './redaction.ts'

/** Longest body shown, in characters. */
const longestBody = 4096

/** Writes requests and answers as lines, without secrets. `elapsed` is in milliseconds. */
export interface Trace {
  request(url: string, outgoing: Outgoing): void
  reply(reply: Reply, elapsed: number): void
  loss(reason: string, elapsed: number): void
}

export const silent: Trace = { request() {}, reply() {}, loss() {} }

/** `token`: the access token of the request, hidden wherever it turns up. */
export function createTrace(write: (line: string) => void, token: string | undefined): Trace {
  const lines = (mark: string, headers: Headers, body: string | undefined) => {
    for (const [name, value] of Object.entries(headers)) write(`${mark} ${name}: ${headerValue(name, value, token)}`)
    if (body) write(`${mark} ${shorten(oneLine(redactBody(body, token)))}`)
  }
  return {
    request(url, { method, headers, body }) {
      write(`> ${method} ${redactText(url, token)}`)
      lines('>', headers, body)
    },
    reply({ status, headers, text }, elapsed) {
      write(`< ${status} ${elapsed}ms`)
      lines('<', headers, text)
    },
    loss(reason, elapsed) {
      write(`< no answer after ${elapsed}ms: ${reason}`)
    },
  }
}

function headerValue(name: string, value: string, token: string | undefined): string {
  if (/^(proxy-)?authorization$/i.test(name)) return value.replace(/^(\w+ )?.*$/, '$1***')
  return /^(set-)?cookie$/i.test(name) ? '***' : redactText(value, token)
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ')

const shorten = (text: string): string =>
  text.length > longestBody ? `${text.slice(0, longestBody)}... (${text.length} characters)` : text
