import {
  badJson,
  type Endpoint,
  type ErrorStatus,
  httpErrors,
  messageFor,
  messagePattern,
} from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'

/** Media type of request bodies; content type of answers. */
export const jsonType = 'application/json'
export const json = `${jsonType}; charset=utf-8`

/** Matches the escape of a surrogate: JSON can contain a lone surrogate, but UTF-8 and the database can't. */
const halfCharacter = /\\u[dD][89a-fA-F]/

const whole = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)

/**
 * Parses a JSON body. Throws a 400 refusal for invalid JSON. An empty body counts as `{}`. Lone surrogates become
 * U+FFFD, like bytes that are not UTF-8.
 */
export function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text, halfCharacter.test(text) ? whole : undefined)
  } catch {
    throw new Refusal(400, { message: badJson })
  }
}

type Params = Readonly<Record<string, string>>

/** `params` are the parameters in the request's path. */
type Encode = (data: unknown, params: Params) => string

/**
 * Makes an encoder of an endpoint's success answers. For each answer it serializes the data, and the message only if
 * the message has parameters.
 */
export function successEncoder({ success: { message } }: Endpoint): Encode {
  const prefixFor = (params?: Params) =>
    `{"success":true,"message":${JSON.stringify(messageFor(message, params))},"data":`
  if (messagePattern(message) !== null) return (data, params) => `${prefixFor(params)}${JSON.stringify(data)}}`
  const prefix = prefixFor()
  return (data) => `${prefix}${JSON.stringify(data)}}`
}

/** Body of an error answer; `errors` is always an object. */
export const errorBody = (message: string, errors: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ success: false, message, data: null, errors })

/**
 * Message of an error answer: the refusal's own message, or else the endpoint's message for the status, or else the
 * message of the first field, or else the usual message of the status.
 */
export function refusalMessage(refusal: Refusal, row: Endpoint | undefined, params: Params): string {
  const { status } = refusal
  return refusal.message || rowMessage(status, row, params) || firstMessage(refusal) || statusMessage(status)
}

/** The endpoint's own message for a status. */
const rowMessage = (status: ErrorStatus, row: Endpoint | undefined, params: Params): string | undefined =>
  messageFor(row?.errors[status] ?? '', params) || undefined

export const statusMessage = (status: ErrorStatus): string =>
  (httpErrors as Readonly<Partial<Record<number, string>>>)[status] ?? httpErrors[500]

/** The first message of the first field. */
export function firstMessage({ errors }: Refusal): string | undefined {
  const [first] = Object.values(errors)
  return Array.isArray(first) ? String(first[0]) : undefined
}
