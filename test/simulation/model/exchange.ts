import { both, differenceOf, type Lessons, Matcher, matching, someText } from './matching.ts'

/** A request that reached the service. */
export interface Request {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Headers, with their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Text of the body; undefined if there is none. */
  readonly body?: string | undefined
  /** The service's time when it handled the request, in epoch milliseconds. */
  readonly at: number
  /** The client's address. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** Body of the answer, parsed if it is JSON. */
  readonly body: unknown
}

/** An answer that the interface allows; `learn` updates the model after it. */
export interface Expected {
  readonly status: number
  readonly body: unknown
  /** A header whose value is null must be absent. */
  readonly headers?: Readonly<Record<string, unknown>>
  readonly learn?: () => void
}

export type Fields = Readonly<Record<string, unknown>>

export const success = (
  message: string,
  data: unknown,
  { status = 200, ...others }: Partial<Expected> = {},
): Expected => ({
  status,
  body: { success: true, message, data },
  ...others,
})

/** Messages by field; null: any message. */
export type Problems = Readonly<Record<string, string | null>>

/**
 * A refusal that names fields. The message of the refusal is that of the first field, unless the endpoint has its own
 * message.
 */
export function invalid(status: 400 | 422, problems: Problems, message?: string): Expected {
  const errors = Object.fromEntries(
    Object.entries(problems).map(([field, problem]) => [
      field,
      matching(problem === null ? 'a list of messages' : `a list with '${problem}'`, (value) => {
        return isTexts(value) && (problem === null || value.includes(problem))
      }),
    ]),
  )
  const body = new Matcher((actual) => {
    const { errors, message: said } = actual as { errors: Record<string, readonly string[]>; message: string }
    return said === (message ?? Object.values(errors)[0]?.[0]) ? null : `the message is '${said}'`
  })
  return { status, body: both({ success: false, message: someText, data: null, errors }, body) }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string' && text !== '')

export const refused = (status: number, message: string, { errors = {}, ...others }: Refusal = {}): Expected => ({
  status,
  body: { success: false, message, data: null, errors },
  ...others,
})

interface Refusal extends Omit<Partial<Expected>, 'status' | 'body'> {
  readonly errors?: unknown
}

/** Thrown by the first check that a request fails, in the order of the service's checks. */
export class Refused {
  readonly expected: Expected

  constructor(expected: Expected) {
    this.expected = expected
  }
}

/** Fields of the body. A value other than an object counts as an empty object. Throws 400 or 415. */
export function fieldsOf({ headers, body }: Request): Fields {
  if (body === undefined) return {}
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Refused(refused(415, 'Unsupported Media Type.'))
  const read = parsed(body)
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Fields) : {}
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Refused(refused(400, 'The request body is not valid JSON.'))
  }
}

/** Describes the first wrong header of an answer; null: none. */
export function headersDiffer(expected: Fields, actual: Fields, lessons: Lessons): string | null {
  for (const [name, value] of Object.entries(expected)) {
    const given = actual[name]
    const text = typeof given === 'number' ? String(given) : given
    if (value === null && given !== undefined) return `the header ${name} is there`
    const difference = value === null ? null : differenceOf(value, text, lessons, `header ${name}`)
    if (difference !== null) return difference
  }
  return null
}
