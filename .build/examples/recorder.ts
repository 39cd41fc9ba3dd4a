import inject from 'light-my-request'
import type { HttpServer } from '../../emulator/http/server.ts'
import { controlEndpoints, endpoints, oauthEndpoints, worldPath } from '../../src/contract/index.ts'

const rows = { ...endpoints, ...controlEndpoints, ...oauthEndpoints }
export type OperationId = keyof typeof rows

export interface Call {
  /** Name of the example; needed if an operation has several examples. */
  readonly name?: string
  /** World of the call; by default the default world. */
  readonly world?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** An object, an exact string, or a file. */
  readonly body?: object | string | Buffer
  /** Expected status; the success status by default. */
  readonly status?: number
  /** False for a call that only prepares other calls, and is not recorded as an example. */
  readonly isExample?: boolean
}

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: sessions read what the contract promises
  readonly body: any
  readonly location: string
  readonly bytes: Buffer
}

/** Recorded path parameters, requests and answers of one operation. */
export interface Recording {
  readonly parameters: Record<string, unknown>
  readonly request: Record<string, { readonly value: unknown }>
  readonly responses: Record<string, Record<string, { readonly value: unknown }>>
}

/** Calls operations of an emulator and records one request and answer for each name and status. */
export class Recorder {
  readonly #server: HttpServer
  readonly #token: string
  readonly #recordings: Record<string, Recording>

  /** `token` is the calls' default token. Recorders can share recordings. */
  constructor(server: HttpServer, token: string, recordings: Record<string, Recording>) {
    this.#server = server
    this.#token = token
    this.#recordings = recordings
  }

  async call(id: OperationId, call: Call = {}): Promise<Answer> {
    const { method, path, success } = rows[id]
    const { world, params = {}, query = {}, headers = {}, body } = call
    const prefix = world === undefined ? '' : `${worldPath}/${world}`
    const answer = await inject(this.#server.listener, {
      method,
      url: `${prefix}${path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '')}`,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)])),
      headers: {
        Host: '127.0.0.1:4010',
        ...(!(id in oauthEndpoints) && { Authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: body }),
    })
    const { status = success.status } = call
    if (answer.statusCode !== status) throw new Error(`${id} answered ${answer.statusCode}: ${answer.body}`)
    const isJson = answer.headers['content-type']?.toString().startsWith('application/json')
    const answered = isJson ? answer.json() : undefined
    if (call.isExample !== false) this.#keep(id, { ...call, status }, answered)
    return { body: answered, location: String(answer.headers.location), bytes: answer.rawPayload }
  }

  /** Records the body of a webhook as the example of an event. */
  keepRequest(id: string, value: unknown): void {
    this.#recording(id).request.example ??= { value }
  }

  #keep(id: OperationId, call: Call & { readonly status: number }, answered: unknown): void {
    const { status, name = 'example', params, query, headers, body } = call
    const recording = this.#recording(id)
    if (status === rows[id].success.status) {
      for (const [parameter, value] of Object.entries({ ...params, ...query, ...headers })) {
        recording.parameters[parameter] ??= value
      }
      if (body !== undefined && !Buffer.isBuffer(body)) recording.request[name] ??= { value: body }
    }
    if (answered === undefined) return
    recording.responses[status] ??= {}
    recording.responses[status][name] ??= { value: answered }
  }

  #recording(id: string): Recording {
    this.#recordings[id] ??= { parameters: {}, request: {}, responses: {} }
    return this.#recordings[id]
  }
}
