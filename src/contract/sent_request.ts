import { idempotencyHeader } from './headers.ts'
import { shellWord } from './shell_word.ts'

// Prepares requests of an emulator's log for sending again. The emulator's page loads this file too, so the file
// imports no schemas.

/** A logged request, as `control.requests.get` returns it. */
export interface LoggedParts {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly endpoint: string | null
  readonly user: string | null
  readonly idempotency_key: string | null
  readonly body?: unknown
}

/**
 * A logged request in the form in which it can be sent again. The token and the secrets of a form are variables,
 * because the log does not contain secrets; in JSON a secret stays `***`.
 */
export interface SentRequest {
  readonly method: string
  /** Path and query, after the base URL. */
  readonly path: string
  /** Variable that contains the access token; null if the request had no token. */
  readonly bearer: string | null
  readonly key: string | null
  readonly body: SentBody | null
}

export type SentBody =
  | { readonly type: 'application/json'; readonly json: unknown }
  /** A null value means a secret: its variable is named after the field. */
  | { readonly type: 'application/x-www-form-urlencoded'; readonly form: readonly FormField[] }

type FormField = readonly [name: string, value: string | null]

/** Text that the log shows in place of a secret. */
const hidden = '***'

/** `bearer`: the variable that contains the token of the request's user. */
export function sentRequest(logged: LoggedParts, bearer: string): SentRequest {
  const { method, path, query, user, idempotency_key: key } = logged
  const search = new URLSearchParams(query).toString()
  return {
    method,
    path: `${inAscii(path)}${search === '' ? '' : `?${search}`}`,
    bearer: user === null ? null : bearer,
    key,
    body: bodyOf(logged),
  }
}

const inAscii = (path: string): string => path.toWellFormed().replace(/[^\x21-\x7e]+/gu, encodeURIComponent)

function bodyOf({ body, endpoint }: LoggedParts): SentBody | null {
  if (body === undefined || body === hidden) return null
  if (!endpoint?.startsWith('oauth.') || typeof body !== 'object') return { type: 'application/json', json: body }
  const form = Object.entries(body ?? {}).map(
    ([name, value]): FormField => [name, value === hidden && /^\w+$/.test(name) ? null : String(value)],
  )
  return { type: 'application/x-www-form-urlencoded', form }
}

/** Writes a curl command for a POSIX shell. The variables are in the environment: `$PAYCTL_TOKEN`. */
export function asCurl({ method, path, bearer, key, body }: SentRequest, baseUrl: string): string {
  const url = `${baseUrl}${path}`
  const parts = [
    // Without -g, curl expands brackets and braces in URLs.
    /[[\]{}]/.test(url) ? 'curl -gsS' : 'curl -sS',
    ...(method === 'GET' && body === null ? [] : [method === 'HEAD' ? '--head' : `-X ${shellWord(method)}`]),
    shellWord(url),
    ...(bearer === null ? [] : [`-H "Authorization: Bearer ${shellVariable(bearer)}"`]),
    ...(key === null ? [] : [`-H ${shellWord(`${idempotencyHeader}: ${key}`)}`]),
    ...(body === null ? [] : curlBody(body)),
  ]
  return parts.join(' \\\n  ')
}

function curlBody(body: SentBody): readonly string[] {
  if (body.type === 'application/json') {
    return [`-H ${shellWord(`Content-Type: ${body.type}`)}`, `--data-raw ${shellWord(JSON.stringify(body.json))}`]
  }
  return body.form.map(([name, value]) =>
    value === null
      ? `--data-urlencode "${name}=${shellVariable(name)}"`
      : `--data-urlencode ${shellWord(`${name}=${value}`)}`,
  )
}

const shellVariable = (name: string): string => `$PAYCTL_${name.toUpperCase()}`
