import { version } from '../../version.ts'
import { bodyText, type Exchange, gapsIn, headersOf, titleOf } from './sent_requests.ts'

// Requests of a world as documents for other tools. The token and the secrets of a form are variables in double braces.

/** HTTP Archive 1.2. The archive contains requests and statuses; contents and headers of answers are left out. */
export const harOf = (exchanges: readonly Exchange[], baseUrl: string): object => ({
  log: {
    version: '1.2',
    creator: { name: 'payctl', version },
    comment: 'The emulator saves only the statuses of answers, not the answers. Times follow the clock of the world.',
    entries: exchanges.map((exchange) => entryOf(exchange, baseUrl)),
  },
})

/** Values for sizes that are unknown (HAR 1.2). */
const unknownSizes = { headersSize: -1, bodySize: -1 }

function entryOf(exchange: Exchange, baseUrl: string): object {
  const { logged, sent } = exchange
  const { id, at, duration_ms, method, query, status, endpoint, user, payment_id, fault, message } = logged
  const { path, body } = sent
  return {
    startedDateTime: at,
    time: duration_ms,
    request: {
      method,
      url: `${baseUrl}${path}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(sent),
      queryString: Object.entries(query).map(([name, value]) => ({ name, value })),
      ...(body && { postData: { mimeType: body.type, text: bodyText(body) } }),
      ...unknownSizes,
      ...(gapsIn(exchange).length > 0 && { comment: gapsIn(exchange).join(' ') }),
    },
    response: {
      // Browsers write 0 for a request without an answer.
      status: status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'application/json', comment: 'The log has no answers.' },
      redirectURL: '',
      ...unknownSizes,
      ...(message !== null && { comment: message }),
    },
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: titleOf(logged),
    _payctl: { id, endpoint, user, payment_id, fault },
  }
}

/** Postman collection 2.1: the requests in their order. */
export function postmanOf(exchanges: readonly Exchange[], baseUrl: string): object {
  const tokens = [...new Set(exchanges.map(({ sent }) => sent.bearer))].filter((name) => name !== null)
  const secrets = exchanges.flatMap(({ sent: { body } }) =>
    body?.type === 'application/x-www-form-urlencoded'
      ? body.form.flatMap(([name, value]) => (value === null ? [name] : []))
      : [],
  )
  return {
    info: {
      name: 'Requests to a world of the payctl emulator',
      description: 'Fill in the variables before you send a request: the log of the emulator has no secrets.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'base_url', value: baseUrl },
      ...[...tokens, ...new Set(secrets)].map((key) => ({ key, value: '' })),
    ],
    item: exchanges.map(itemOf),
  }
}

function itemOf(exchange: Exchange): object {
  const { logged, sent } = exchange
  const { method, path, body } = sent
  const headers = headersOf(sent).filter(({ name }) => name !== 'Authorization')
  return {
    name: titleOf(logged),
    request: {
      method,
      // `noauth` sends no token, not even the token of the collection.
      auth:
        sent.bearer === null
          ? { type: 'noauth' }
          : { type: 'bearer', bearer: [{ key: 'token', value: `{{${sent.bearer}}}`, type: 'string' }] },
      header: headers.map(({ name, value }) => ({ key: name, value })),
      url: `{{base_url}}${path}`,
      ...(body && { body: { mode: 'raw', raw: bodyText(body) } }),
      ...(gapsIn(exchange).length > 0 && { description: gapsIn(exchange).join(' ') }),
    },
    response: [],
  }
}
