import type { TSchema } from 'typebox'
import { type Endpoint, type EndpointId, endpoints, idempotencyHeader } from '../../src/contract/index.ts'
import type { Call, Recorder, Recording } from './recorder.ts'

type Recordings = Readonly<Record<string, Recording>>

/** Statuses with the same answer for every endpoint: one example is enough. */
const shared = [401, 403, 429]

/**
 * Records examples of the answers that no session covered. Inputs come from the endpoint's row and the recordings;
 * errors come from fault rules of the emulator.
 */
export async function recordOthers(recorder: Recorder, recordings: Recordings): Promise<void> {
  for (const id of Object.keys(endpoints) as EndpointId[]) {
    const { success, errors }: Endpoint = endpoints[id]
    const isOpen = (status: number): boolean => recordings[id]?.responses[status] === undefined
    if (isOpen(success.status)) await recordSuccess(id, recorder, recordings)
    for (const status of Object.keys(errors).map(Number).filter(isOpen)) {
      if (shared.includes(status)) continue
      await recorder.call('control.faults.add', { body: { endpoint: id, status }, isExample: false })
      await recorder.call(id, { ...inputOf(id, recordings), status })
    }
  }
}

async function recordSuccess(id: EndpointId, recorder: Recorder, recordings: Recordings): Promise<void> {
  try {
    await recorder.call(id, inputOf(id, recordings))
  } catch (cause) {
    const remedy =
      'Call it in .build/examples/service_session.ts, with input that succeeds and with its usual mistakes.'
    throw new Error(`No example of ${id} can be derived: ${(cause as Error).message}. ${remedy}`, { cause })
  }
}

/** Input for an example: the body of a recorded success, or else the smallest input that the row allows. */
function inputOf(id: EndpointId, recordings: Recordings): Call {
  const row: Endpoint = endpoints[id]
  const params = Object.fromEntries(
    Object.keys(row.params?.properties ?? {}).map((name) => [name, recordedParameter(name, row, recordings)]),
  )
  const [recorded] = Object.values(recordings[id]?.request ?? {})
  const body = recorded?.value ?? (row.body && smallest(row.body))
  return {
    params,
    ...(row.query && { query: smallest(row.query) }),
    ...(row.headers && { headers: { [idempotencyHeader]: 'example-of-a-key' } }),
    ...(body !== undefined && { body: body as object }),
  }
}

/** Value from a recorded call to an endpoint of the same resource. */
function recordedParameter(name: string, { path }: Endpoint, recordings: Recordings): string {
  const rows: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints)
  const start = path.slice(0, path.indexOf(`{${name}}`) + name.length + 2)
  for (const [id, row] of rows) {
    const value = row.path.startsWith(start) ? recordings[id]?.parameters[name] : undefined
    if (value !== undefined) return String(value)
  }
  throw new Error(`no endpoint was called with a value of {${name}}`)
}

interface ObjectSchema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, TSchema>>
}

/** Required members, each with the first value that its schema allows. */
const smallest = ({ required = [], properties }: ObjectSchema): Readonly<Record<string, unknown>> =>
  Object.fromEntries(required.map((name) => [name, firstValue(name, properties[name] as Constraints)]))

interface Constraints {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
}

function firstValue(name: string, { type, enum: values, minimum = 0 }: Constraints): unknown {
  if (values) return values[0]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return minimum
  throw new Error(`${name} has too many possible types`)
}
