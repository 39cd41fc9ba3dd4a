import { type Endpoint, type ErrorStatus, httpErrors } from '../src/contract/index.ts'
import type { Refusal } from './domain/refusal.ts'

export type Encode = (data: unknown) => string

/** Serializes success answers of an endpoint; all but the data is the same every time. */
export function successEncoder({ success }: Endpoint): Encode {
  const prefix = `{"success":true,"message":${JSON.stringify(success.message)},"data":`
  return (data) => `${prefix}${JSON.stringify(data)}}`
}

/** The body of an error answer. `errors` is an object also when there is nothing to add. */
export const errorBody = (message: string, errors: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ success: false, message, data: null, errors })

/** The refusal's own message, else the endpoint's for that status, else the first field message, else the status's. */
export function refusalMessage(refusal: Refusal, row?: Endpoint): string {
  return refusal.message || row?.errors[refusal.status] || firstMessage(refusal) || statusMessage(refusal.status)
}

export const statusMessage = (status: ErrorStatus): string =>
  (httpErrors as Readonly<Partial<Record<number, string>>>)[status] ?? httpErrors[500]

/** What is wrong with the first of the fields. */
export function firstMessage({ errors }: Refusal): string | undefined {
  const [first] = Object.values(errors)
  return Array.isArray(first) ? String(first[0]) : undefined
}
