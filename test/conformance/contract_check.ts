import { AssertionError } from 'node:assert'
import { Ajv, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { expect } from 'vitest'
import {
  type Endpoint,
  ErrorEnvelope,
  endpoints,
  httpErrors,
  RowMessage,
  SuccessEnvelope,
} from '../../src/contract/index.ts'
import { plainMoney } from '../contract/plain_money.ts'
import { showsAnswer, showsMessage } from './documented.ts'
import type { Reply, World } from './target.ts'

export type EndpointId = keyof typeof endpoints

/** A body that `checkReply` accepted. */
export interface Body {
  readonly success: boolean
  readonly message: string
  // biome-ignore lint/suspicious/noExplicitAny: cases read what the schema has already vouched for
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly errors?: any
}

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
const compiled = new Map<TSchema, ValidateFunction>()

/** Statuses of HTTP itself, possible on any path, and the status of an internal error. */
const ofHttp = [400, 404, 405, 413, 415, 421, 429, 431, 500]

/** Finds the endpoint of a request. */
export function endpointOf(method: string, url: string): EndpointId | undefined {
  const path = url.split('?', 1)[0] as string
  const ids = Object.keys(endpoints) as EndpointId[]
  return ids.find((id) => {
    const row: Endpoint = endpoints[id]
    return row.method === method && new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  })
}

/**
 * Checks every answer against the contract: status, message, envelope, exact fields. For a service that is not an
 * emulator, checks only what the interface shows.
 */
export function checkReply(id: EndpointId | undefined, reply: Reply, { emulated }: Pick<World, 'emulated'>): Body {
  expect(reply.headers['content-type'] ?? 'no Content-Type').toMatch(/^application\/json(;|$)/)
  const body = JSON.parse(reply.text)
  const row: Endpoint | undefined = id && endpoints[id]
  if (row && reply.status === row.success.status) {
    if (emulated || (id && showsAnswer(id))) conform(successSchema(row), body)
    checkMoney(body.data)
    return body
  }
  conform(ErrorEnvelope, body)
  expect(body.message).not.toBe('')
  if (emulated || (id && showsMessage(id, reply.status))) checkErrorMessage(row, reply.status, body.message)
  return body
}

function checkErrorMessage(row: Endpoint | undefined, status: number, message: string): void {
  const constants: Partial<Record<number, string | null>> = { ...row?.errors }
  const declared = status in constants
  if (!declared) expect(ofHttp, `${row?.summary ?? 'no endpoint'} answered ${status}: ${message}`).toContain(status)
  const constant = declared ? constants[status] : (httpErrors as Partial<Record<number, string>>)[status]
  // Does not check the message of a 400, which depends on the fault: a bad body, or a bad request.
  if (constant && status !== 400) conform(RowMessage(constant), message)
}

const successSchemas = new Map<Endpoint, TSchema>()

function successSchema(row: Endpoint): TSchema {
  const schema = successSchemas.get(row) ?? closed(SuccessEnvelope(row.success.message, row.success.data))
  successSchemas.set(row, schema)
  return schema
}

function conform(schema: TSchema, body: unknown): void {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(body)) return
  const faults = (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const { additionalProperty, allowedValue, allowedValues = allowedValue } = params
    const what = additionalProperty ?? (allowedValues === undefined ? undefined : JSON.stringify(allowedValues))
    return [instancePath || '/', message, what].filter(Boolean).join(' ')
  })
  throw new AssertionError({
    message: `Not what the interface shows: ${faults.join('; ')}`,
    expected: faults.join('; '),
    actual: JSON.stringify(body),
  })
}

/** The schema, changed so that it allows no unnamed fields. */
function closed(schema: TSchema): TSchema {
  if (Array.isArray(schema)) return schema.map(closed) as unknown as TSchema
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value as TSchema)]))
  return ('properties' in schema ? { ...inner, additionalProperties: false } : inner) as TSchema
}

/** The two amounts in anything that looks like Money must agree. */
function checkMoney(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) checkMoney(inner)
  const { formatted, currency } = value as { formatted?: string; currency?: string }
  if (formatted === undefined || currency === undefined) return
  const amount = (value as { value?: number; balance?: number }).value ?? (value as { balance: number }).balance
  const plain = plainMoney(amount, currency)
  // Long lists have thousands of amounts, and each assertion costs more than the comparison.
  if (formatted !== plain) expect(formatted).toBe(plain)
}
