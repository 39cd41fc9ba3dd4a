import type {
  ControlId,
  ControlInputOf,
  ControlOutputOf,
  EndpointId,
  InputOf,
  OutputOf,
} from '../../../src/contract/index.ts'
import { text } from './language.ts'
import { routes } from './routes.ts'
import { access, token, worldBase } from './session.ts'

/** An answer that is not a success. Status 0: no answer came. */
export class AnswerError extends Error {
  readonly status: number
  readonly errors: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, errors: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Content of a file, instead of a JSON body. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
}

interface CallOptions {
  /** URL of the called world; by default, of the page's own world. */
  readonly base?: string
  readonly signal?: AbortSignal
}

/** Input for a control endpoint. Checks the names of the input's parts, unlike `{}` as a type. */
export type ControlInput<Id extends ControlId> = ControlInputOf<Id> | Readonly<Record<string, never>>

/** Calls a control endpoint. Throws AnswerError. */
export const control = <Id extends ControlId>(
  id: Id,
  input: ControlInput<Id> = {},
  options?: CallOptions,
): Promise<ControlOutputOf<Id>> => call(id, input as Parts, token.value, options) as Promise<ControlOutputOf<Id>>

/** Calls an endpoint of the service as the user of an access token. Throws AnswerError. */
export const service = <Id extends EndpointId>(
  id: Id,
  input: InputOf<Id>,
  accessToken: string,
  options?: CallOptions,
): Promise<OutputOf<Id>> => call(id, input as Parts, accessToken, options) as Promise<OutputOf<Id>>

/** Acts as a user, with a token that is made for this purpose and revoked afterwards. */
export async function asUser<T>(user: string, work: (accessToken: string) => Promise<T>): Promise<T> {
  const { id, token } = await control('control.tokens.mint', { body: { user } })
  try {
    return await work(token)
  } finally {
    await control('control.tokens.revoke', { params: { id: String(id) } })
  }
}

/** Saves the file that a control endpoint answers with. Throws AnswerError. */
export async function download(id: ControlId, name: string): Promise<void> {
  const answer = (await call(id, {}, token.value)) as Response
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/** Sends a file to a control endpoint. Throws AnswerError. */
export const upload = (id: ControlId, file: Blob): Promise<unknown> => call(id, { file }, token.value)

/** URL of an endpoint, relative to the origin. */
export function urlOf(id: ControlId | EndpointId, { params = {}, query = {} }: Parts, base = worldBase): string {
  const [, template] = routes[id]
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const search = new URLSearchParams(
    given.flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)])),
  ).toString()
  return `${base}${path}${search === '' ? '' : `?${search}`}`
}

async function call(id: ControlId | EndpointId, parts: Parts, bearer: string | null, options: CallOptions = {}) {
  const { base, signal } = options
  const [method] = routes[id]
  const answer = await request(urlOf(id, parts, base), {
    method,
    ...(signal && { signal }),
    headers: {
      ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
      ...(parts.body !== undefined && { 'Content-Type': 'application/json' }),
      ...(parts.file && { 'Content-Type': 'application/vnd.sqlite3' }),
      ...parts.headers,
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
    ...(parts.file && { body: parts.file }),
  })
  const content = answer.headers.get('content-type')?.startsWith('application/json') ? await answer.json() : null
  if (answer.ok) return content === null ? answer : content.data
  if (answer.status === 401 && id.startsWith('control.')) access.value = bearer === null ? 'asking' : 'wrong'
  throw new AnswerError(answer.status, content?.message ?? `HTTP ${answer.status}`, content?.errors)
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { cache: 'no-store', credentials: 'omit', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new AnswerError(0, text('state.noAnswer'))
  }
}
