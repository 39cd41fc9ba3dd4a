import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { createClient } from '../../../src/client/index.ts'
import type { ControlId, ControlInputOf } from '../../../src/contract/control.ts'
import {
  controlEndpoints,
  idempotencyHeader,
  type Scope,
  type WebhookSubscription,
} from '../../../src/contract/index.ts'
import { crcAccount, machine } from '../../e2e/machine.ts'
import { listen } from '../../support/server.ts'

/** Payees of the demo world, by the outcome of payments to them. */
export const payees = { completed: '87000001', failed: '87000006', timeout: '87000007' } as const

/** An emulator on a port, and a machine with the built payctl. Payments move only when the clock is moved. */
export async function rig(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', clock: 'running', rateLimit: null, ...options })
  onTestFinished(() => emulator.close())
  const { home, env, start } = await machine(emulator)
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, strict: true })
  onTestFinished(() => client.close())

  async function steer<Id extends ControlId>(id: Id, input: Partial<Record<string, unknown>> & ControlInputOf<Id>) {
    const { method, path } = controlEndpoints[id]
    const body = JSON.stringify((input as { body?: unknown }).body ?? {})
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${emulator.baseUrl}${path}`, { method, headers, body })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }

  return {
    emulator,
    client,
    home,
    env,
    steer,
    run: async (args: readonly string[], more: { env?: Record<string, string>; input?: string } = {}) => {
      const { exitCode, stdout, stderr } = await start(args, { ...more, env: { ...env, ...more.env } })
      return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
    },
    tail: (args: readonly string[] = [], more: { env?: Record<string, string>; process?: boolean } = {}) =>
      new Tail(start(['webhooks', 'tail', ...args], { buffer: false, ...more, env: { ...env, ...more.env } })),
    /** Makes a payment and returns its id. */
    pay: async (to: string = payees.completed, amount = 1000): Promise<string> => {
      const body = { source_account_id: crcAccount(emulator), amount, recipient_phone: to }
      return (await client.call('payments.create', { headers: { [idempotencyHeader]: randomUUID() }, body })).id
    },
    credit: async (amount: number) => {
      const body = { to: crcAccount(emulator), amount, from_phone: payees.completed }
      return String((await steer('control.credits.create', { body })).id)
    },
    token: async (...scopes: Scope[]) => String((await steer('control.tokens.mint', { body: { scopes } })).token),
    subscriptions: async (): Promise<WebhookSubscription[]> => (await client.call('webhooks.list')).data,
    /** Moves the clock until all payments have ended and all their events have been delivered. */
    settle: () => emulator.control.advanceClock(60_000),
  }
}

type Running = ReturnType<Awaited<ReturnType<typeof machine>>['start']>

/** A line of NDJSON from tail. */
export interface Line {
  readonly received_at: string
  readonly recovered: boolean
  readonly delivery_id: string | null
  readonly attempt: number | null
  readonly event: string | null
  readonly data: { readonly id: string; readonly status: string } | null
  readonly raw?: string
  readonly forward?: {
    readonly url: string | null
    readonly status: number | null
    readonly error: string | null
    readonly duration_ms: number
    readonly answer: string | null
  }
}

/** A running tail, and its output so far. */
export class Tail {
  stdout = ''
  stderr = ''
  readonly finished: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>
  readonly #process: Running
  readonly #checks = new Set<() => void>()

  constructor(running: Running) {
    this.#process = running
    running.stdout?.setEncoding('utf8').on('data', (text: string) => this.#note(() => (this.stdout += text)))
    running.stderr?.setEncoding('utf8').on('data', (text: string) => this.#note(() => (this.stderr += text)))
    this.finished = running.then(({ exitCode, signal }) => ({ code: exitCode, signal }))
    onTestFinished(async () => {
      running.kill('SIGKILL')
      await this.finished
    })
  }

  /** Resolves when the output matches; rejects if the process ends before. */
  until(fits: (tail: Tail) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!fits(this)) return
        this.#checks.delete(check)
        resolve()
      }
      this.#checks.add(check)
      this.finished.then(() => {
        check()
        reject(new Error(`It has ended. stdout: ${this.stdout} stderr: ${this.stderr}`))
      })
      check()
    })
  }

  async listening(): Promise<this> {
    await this.until(({ stderr }) => stderr.includes('Ctrl-C stops.'))
    return this
  }

  get lines(): Line[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1)
    return whole.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Line)))
  }

  /** Resolves with the events once there are this many. */
  async events(count: number): Promise<Line[]> {
    await this.until(() => this.lines.length >= count)
    return this.lines
  }

  async stop(signal: NodeJS.Signals = 'SIGINT') {
    this.#process.kill(signal)
    return this.finished
  }

  /** Stops reading the output of the tail, until the returned function is called. */
  stall(): () => void {
    this.#process.stdout?.pause()
    return () => void this.#process.stdout?.resume()
  }

  #note(take: () => void): void {
    take()
    for (const check of this.#checks) check()
  }
}

export interface Post {
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

type Answer = (response: ServerResponse, post: Post, request: IncomingMessage) => void

/** A real HTTP server that saves its requests, byte for byte. */
export async function target(answer: Answer = (response) => response.writeHead(204).end()) {
  const posts: Post[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const post = { rawHeaders: request.rawHeaders, body: Buffer.concat(chunks) }
    posts.push(post)
    answer(response, post, request)
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/hook`, posts, server }
}

/** Forwards to an emulator a request that a target received. */
export function passOn(
  { baseUrl }: Pick<Emulator, 'baseUrl'>,
  { method = '', url = '', headers }: IncomingMessage,
  { body }: Post,
): Promise<Response> {
  const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' }
  return fetch(`${baseUrl}${url}`, { method, headers: sent, ...(method === 'POST' && { body: new Uint8Array(body) }) })
}

/** Headers of the message, without the headers of the connection. */
export function ofTheMessage({ rawHeaders }: Post): [string, string][] {
  const own = ['host', 'connection', 'content-length']
  return rawHeaders
    .flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
    .filter(([name]) => !own.includes(name.toLowerCase()))
}

/** URL and headers of the only subscription: with them a test can deliver like the service. */
export async function addressOf(subscriptions: () => Promise<WebhookSubscription[]>) {
  const [subscription] = await subscriptions()
  if (!subscription) throw new Error('There is no subscription.')
  const { url, headers } = subscription
  return {
    url,
    deliver: (body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json', ...more }, body }),
    /** Delivers with one line for each value of a header; fetch would join the values. Returns the status. */
    deliverLines: async (body: string, more: Record<string, readonly string[]>): Promise<number> => {
      const lines = { ...headers, 'Content-Type': 'application/json', ...more }
      const sending = request(url, { method: 'POST', headers: lines, agent: false }).end(body)
      const [answer] = (await once(sending, 'response')) as [IncomingMessage]
      answer.resume()
      return answer.statusCode ?? 0
    },
  }
}
