import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import { expect, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import type { ArgumentsOf } from '../../../src/client/client.ts'
import { createClient, type StrictClient } from '../../../src/client/index.ts'
import {
  type ControlId,
  type ControlInputOf,
  type ControlOutputOf,
  type CreatedWorld,
  controlEndpoints,
  type Endpoint,
  type InitiatedPayment,
} from '../../../src/contract/index.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly message: string
    readonly data: unknown
    readonly errors: Readonly<Record<string, unknown>>
  }
}

type Loose = { readonly [part: string]: Readonly<Record<string, unknown>> }

/** One world of an emulator, over a real port. */
export interface WorldUnderTest {
  /** Client of the seeded user. */
  readonly client: StrictClient
  readonly colones: string
  readonly dollars: string
  /** Calls a control endpoint that must succeed; returns its data. */
  steer<Id extends ControlId>(id: Id, ...input: ArgumentsOf<ControlInputOf<Id>>): Promise<ControlOutputOf<Id>>
  /** Calls a control endpoint with any input; returns any answer. */
  ask(id: ControlId, input?: Loose, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Pays from the account in colones, or from another account. */
  pay(to: Recipient, amount?: number, from?: string): Promise<InitiatedPayment>
}

/** An emulator and its default world, until the test ends. */
export interface World extends WorldUnderTest {
  readonly emulator: Emulator
  /** Makes another world, until the test ends. */
  make(body?: ControlInputOf<'control.worlds.create'>['body']): Promise<WorldUnderTest & { made: CreatedWorld }>
}

type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

export async function startWorld(options: EmulatorOptions = {}): Promise<World> {
  const emulator = await startEmulator({
    settle: 'manual',
    clock: 'running',
    onFault: (error) => expect.fail(`fault: ${error}`),
    ...options,
  })
  onTestFinished(() => emulator.close())
  const world = worldAt(emulator.baseUrl, { token: emulator.token, accounts: emulator.accounts() })
  return {
    ...world,
    emulator,
    async make(body = {}) {
      const made = await world.steer('control.worlds.create', { body })
      return { ...worldAt(made.base_url, made), made }
    },
  }
}

interface Seeded {
  readonly token: string
  readonly accounts: readonly { readonly id: string; readonly currency: string }[]
}

export function worldAt(baseUrl: string, { token, accounts }: Seeded): WorldUnderTest {
  const client = createClient({ baseUrl, token, retries: 0, strict: true })
  onTestFinished(() => client.close())
  const ask: World['ask'] = (id, input = {}, headers = {}) => exchange(baseUrl, { id, input, headers })
  const accountIn = (currency: string) => accounts.find((account) => account.currency === currency)?.id ?? ''
  const [colones, dollars] = [accountIn('CRC'), accountIn('USD')]
  return {
    client,
    colones,
    dollars,
    ask,
    async steer(id, ...[input]) {
      const { status, body } = await ask(id, input as Loose | undefined)
      expect(status, JSON.stringify(body)).toBe(controlEndpoints[id].success.status)
      return body.data as never
    },
    pay: (to, amount = 1000, from = colones) =>
      client.call('payments.create', {
        headers: { 'X-Idempotency-Key': randomUUID() },
        body: { source_account_id: from, amount, ...to },
      }),
  }
}

interface Question {
  readonly id: ControlId
  readonly input: Loose
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request to a control endpoint. Checks that the table of endpoints lists the answer. */
async function exchange(controlUrl: string, { id, input, headers }: Question): Promise<Answer> {
  const row: Endpoint = controlEndpoints[id]
  const path = row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input.params?.[name])))
  const query = new URLSearchParams(input.query as Record<string, string>).toString()
  const payload = input.body === undefined ? undefined : JSON.stringify(input.body)
  const { hostname, port, pathname } = new URL(controlUrl)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const type = payload === undefined ? {} : { 'Content-Type': 'application/json' }
    const target = {
      hostname,
      port,
      method: row.method,
      path: `${pathname.replace(/\/$/, '')}${path}${query && `?${query}`}`,
    }
    const outgoing = request({ ...target, headers: { ...type, ...headers } }, resolve)
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
  const answer = { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(await text(response)) }
  checkAgainst(row, answer)
  return answer
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })

function checkAgainst({ success, errors }: Endpoint, { status, body }: Answer): void {
  if (status !== success.status) {
    expect(Object.keys(errors), JSON.stringify(body)).toContain(String(status))
    expect(body).toMatchObject({ success: false, data: null, errors: expect.any(Object) })
    const message = errors[status as 404]
    if (message) expect(body.message).toBe(message)
    return
  }
  expect(body).toMatchObject({ success: true, message: success.message })
  ajv.validate(success.data, body.data)
  expect(ajv.errors ?? [], JSON.stringify(body.data)).toEqual([])
}
