import type {
  ControlId,
  ControlInputOf,
  ControlOutputOf,
  EndpointId,
  InputOf,
  OutputOf,
} from '../../../src/contract/index.ts'
import { routes } from './routes.ts'
import { access, token, worldBase } from './session.ts'

/** An answer that is not a success. Status 0: no answer. */
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
  readonly headers?: Readonly<Record<string, string>>
}

interface CallOptions {
  /** URL of another world; by default the page's own. */
  readonly base?: string
  readonly signal?: AbortSignal
}

/** Calls a control endpoint. Throws AnswerError. */
export const control = <Id extends ControlId>(
  id: Id,
  input: ControlInputOf<Id> | Record<never, never> = {},
  options?: CallOptions,
): Promise<ControlOutputOf<Id>> => call(id, input as Parts, token.value, options) as Promise<ControlOutputOf<Id>>

/** Calls an endpoint of the service as the user of an access token. Throws AnswerError. */
export const service = <Id extends EndpointId>(
  id: Id,
  input: InputOf<Id>,
  accessToken: string,
  options?: CallOptions,
): Promise<OutputOf<Id>> => call(id, input as Parts, accessToken, options) as Promise<OutputOf<Id>>

/** URL of an endpoint, relative to the origin. */
export function urlOf(id: ControlId | EndpointId, { params = {}, query = {} }: Parts, base = worldBase): string {
  const [, template] = routes[id]
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
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
      ...parts.headers,
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
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
    throw new AnswerError(0, 'The emulator did not answer.')
  }
}
