import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { worldBase } from '../frame/session.ts'

type Sent = Pick<
  ControlOutputOf<'control.requests.get'>,
  'method' | 'path' | 'query' | 'idempotency_key' | 'user' | 'body'
>

/** Header of idempotency keys. */
export const keyHeader = 'X-Idempotency-Key'

export const pathOf = ({ path, query }: Pick<Sent, 'path' | 'query'>): string => {
  const search = new URLSearchParams(query).toString()
  return `${path}${search === '' ? '' : `?${search}`}`
}

/** The request as a curl command. The token is a variable, so that the command contains no secret. */
export function asCurl(sent: Sent): string {
  const { method, idempotency_key: key, user, body } = sent
  const parts = [
    'curl -sS',
    method === 'GET' ? '' : `-X ${quoted(method)}`,
    quoted(`${location.origin}${worldBase}${pathOf(sent)}`),
    user === null ? '' : '-H "Authorization: Bearer $PAYCTL_TOKEN"',
    key === null ? '' : `-H ${quoted(`${keyHeader}: ${key}`)}`,
    body === undefined ? '' : "-H 'Content-Type: application/json'",
    body === undefined ? '' : `--data-raw ${quoted(JSON.stringify(body))}`,
  ]
  return parts.filter(Boolean).join(' \\\n  ')
}

/** The request as a command of payctl. */
export function asApiCommand(sent: Sent): string {
  const { method, idempotency_key: key, body } = sent
  const command = [
    'payctl',
    `--base-url ${quoted(`${location.origin}${worldBase}`)}`,
    `api ${quoted(method)} ${quoted(pathOf(sent))}`,
    key === null ? '' : `--header ${quoted(`${keyHeader}: ${key}`)}`,
    body === undefined ? '' : '--input -',
  ]
  const line = command.filter(Boolean).join(' ')
  return body === undefined ? line : `printf %s ${quoted(JSON.stringify(body))} | ${line}`
}

/** A word for a POSIX shell: in single quotes unless it is plain. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
