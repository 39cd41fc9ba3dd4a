import { isObject } from './decode.ts'
import type { Outgoing, Reply } from './exchange.ts'
import type { Headers } from './header.ts'

/** Maximum length of a displayed body, in characters. */
const longestBody = 4096

/** Maximum length of a body that is searched for secrets, in characters; of a longer body, only the length is shown. */
const longestRead = 2 ** 20

/** Writes requests and answers as lines, without secrets. `elapsed` is in milliseconds. */
interface Trace {
  request(url: string, outgoing: Outgoing): void
  reply(reply: Reply, elapsed: number): void
  loss(reason: string, elapsed: number): void
}

export const silent: Trace = { request() {}, reply() {}, loss() {} }

/** Creates a trace that hides `secrets` in every line. */
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

function bodyLine(body: string, secrets: Secrets): string {
  if (body.length > longestRead) return `(${body.length} characters, too long to show)`
  const line = redactBody(body, secrets).replace(/[\p{Cc}\s]+/gu, ' ')
  return line.length > longestBody ? `${line.slice(0, longestBody)}... (${line.length} characters)` : line
}

const names = [
  'access_token',
  'refresh_token',
  'id_token',
  'control_token',
  'client_secret',
  'code_verifier',
  'authorization',
  'password',
  'secret',
  'token',
  'code',
].join('|')
const secretName = new RegExp(`^(${names})$`, 'i')
const secretPair = new RegExp(`((?:^|[?&;{,\\s"'])(?:${names})["']?\\s*[=:]\\s*["']?)[^&\\s"'#<>]+`, 'gi')

/**
 * User name and password in a URL. The pattern starts at `://`, because a search for the scheme would take quadratic
 * time.
 */
const credentials = /(:\/\/)[^\s/"'<>]*@/g

/** The `headers` of a webhook subscription, with which its receiver authenticates deliveries. */
const headersMember = /(["']headers["']\s*:\s*\{)[^}]*/gi

/** Names of headers that authenticate. An idempotency key does not authenticate. */
const secretHeader = /authorization|cookie|token|secret|password|signature|api-?key/i

/** Minimum length of a secret to look for, in characters: shorter secrets would match by chance. */
const shortestSecret = 6

/** The secrets to hide: one, several, or none. */
type Secrets = string | readonly string[] | undefined

/** Hides the secrets in a text, plain or with escapes of JSON or of URLs. */
export function hide(text: string, secrets: Secrets): string {
  let clear = text
  for (const secret of [secrets ?? []].flat()) {
    if (secret.length >= shortestSecret) clear = clear.replace(writtenAs(secret), '***')
  }
  return clear
}

/**
 * Pattern of a text in which each character may be escaped: `a/b` is also `a\/b`, `a\u002fb` and `a%2Fb`. Ignores case,
 * because hexadecimal digits have either case.
 */
function writtenAs(secret: string): RegExp {
  const known = patterns.get(secret)
  if (known) return known
  const pattern = new RegExp(Array.from(secret, (mark) => `(?:${anyForm(mark)})`).join(''), 'gi')
  patterns.set(secret, pattern)
  return pattern
}

/** Patterns by secret: a run has few secrets, and hides them in every string of a body. */
const patterns = new Map<string, RegExp>()

function anyForm(mark: string): string {
  const hex = (prefix: string, numbers: Iterable<number>, length: number) =>
    Array.from(numbers, (number) => prefix + number.toString(16).padStart(length, '0')).join('')
  const units = mark.split('').map((unit) => unit.charCodeAt(0))
  return `\\\\?${mark.replace(/\W/g, '\\$&')}|${hex('\\\\u', units, 4)}|${hex('%', Buffer.from(mark), 2)}`
}

/** Hides the secrets in any text, and the values of members and parameters whose names denote secrets. */
export const redactText = (text: string, secrets: Secrets): string =>
  hide(text, secrets).replace(headersMember, '$1***').replace(credentials, '$1***@').replace(secretPair, '$1***')

/** Redacts a body: member by member in JSON, by patterns in other text. */
export function redactBody(text: string, secrets: Secrets): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (secretName.test(name)) return '***'
      if (name.toLowerCase() === 'headers' && isObject(value)) {
        return Object.fromEntries(Object.keys(value).map((header) => [header, '***']))
      }
      if (typeof value !== 'string') return value
      const text = hide(value, secrets)
      return text.includes('://') ? redactText(text, undefined) : text
    })
  } catch {
    return redactText(text, secrets)
  }
}

/** Redacts the value of a header; an authorization shows only its scheme. */
export function redactHeader(name: string, value: string, secrets: Secrets): string {
  if (/^(proxy-)?authorization$/i.test(name)) return value.replace(/^(\w+ )?.*$/, '$1***')
  return secretHeader.test(name) ? '***' : redactText(value, secrets)
}
