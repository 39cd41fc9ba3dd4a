import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/client/index.ts'
import { serve } from '../support/server.ts'

type Change = (value: unknown) => unknown

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Replaces every leaf. */
const leaves = (data: unknown, change: Change): unknown => {
  if (Array.isArray(data)) return data.map((item) => leaves(item, change))
  if (!isTree(data)) return change(data)
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, leaves(value, change)]))
}

/** Changes every object and list that is a member of an object, the innermost first. */
const branches = (data: unknown, change: Change): unknown => {
  if (!isTree(data) || Array.isArray(data)) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, isTree(value) ? change(branches(value, change)) : value]),
  )
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** Changes to the data of a correct answer. */
export const damages: Readonly<Record<string, Change>> = {
  'no data': () => null,
  'a list': () => [],
  'a list of nothing': () => [null, 7, 'x', [], {}],
  'an empty object': () => ({}),
  'a number': () => 7,
  'a text': () => 'x',
  'fields of null': (data) => leaves(data, () => null),
  'fields that are numbers': (data) => leaves(data, () => 1.5),
  'fields that are texts': (data) => leaves(data, () => '\u001b[31m=x\n\u202ey'),
  'fields that hide': (data) => leaves(data, () => 'paid\r\u001b]8;;x\u0007fail\u{e0041}\u200bed\u0085'),
  'fields that are objects': (data) => leaves(data, () => ({ toString: 'x', length: -1 })),
  'fields that are lists': (data) => leaves(data, () => [[]]),
  'fields that are true': (data) => leaves(data, () => true),
  'huge numbers': (data) => leaves(data, () => 1e308),
  'members of null': (data) => branches(data, () => null),
  'lists for objects': (data) => branches(data, () => []),
  'texts for objects': (data) => branches(data, () => 'x'),
  'names of the language': (data) => leaves(data, () => '__proto__'),
}

let packed: Buffer | undefined

/** 100 MiB of spaces, compressed. */
const bomb = (): Buffer => {
  packed ??= gzipSync(Buffer.alloc(100 * 1024 * 1024, 0x20), { level: 1 })
  return packed
}

/** Replacements for a whole answer. */
export const breakages: Readonly<Record<string, (response: ServerResponse, body: string) => void>> = {
  'an empty body': (response) => response.writeHead(200).end(),
  'a page': (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>\u001b[31mLog in</h1>'),
  'half of it': (response, body) => response.writeHead(200).end(body.slice(0, body.length / 2)),
  'a wrong length': (response, body) => response.writeHead(200, { 'Content-Length': body.length + 99 }).write(body),
  'no bottom': (response) => response.writeHead(200).end(`{"success":true,"message":"","data":${nested(50_000)}}`),
  'a bomb': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb()),
  'too many headers': (response) =>
    response
      .writeHead(200, Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`X-${n}`, 'y'.repeat(500)])))
      .end(),
  'a redirect': (response) => response.writeHead(302, { Location: 'http://evil.example/steal' }).end(),
  'early hints': (response) => {
    response.writeContinue()
    response.writeProcessing()
    response.writeEarlyHints({ link: '</x>; rel=preload' })
    response.writeHead(503).end('{"success":false}')
  },
  'an odd status': (response) => response.writeHead(299).end('{"success":"maybe","data":'),
  'a refusal of nonsense': (response) =>
    response.writeHead(422).end('{"message":{"a":1},"errors":[[["x"]],{"y":null}],"success":0}'),
  'not HTTP': (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'),
}

export interface HostileService {
  readonly url: string
  readonly token: string
  readonly account: string
  readonly payment: string
  readonly subscription: string
  /** Path of a file of payments. */
  readonly rows: string
}

/** A customer of another bank in the demo seed. */
export const payee = '87000006'

type Answer = (response: ServerResponse, body: string) => void

/** An emulator behind a server that changes the emulator's answers with `damage`, which a test can replace. */
export async function startHostile(): Promise<HostileService & { damage: Answer }> {
  const emulator = await startEmulator({ settle: 0 })
  const account = emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, strict: true })
  const { id } = await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'first' },
    body: { source_account_id: account, amount: 100, recipient_phone: payee },
  })
  const body = { url: 'http://127.0.0.1:9/hook', events: ['payment.failed' as const] }
  const { id: subscription } = await client.call('webhooks.create', { body })
  await client.close()
  const folder = await mkdtemp(join(tmpdir(), 'payctl-hostile-'))
  const rows = join(folder, 'rows.csv')
  await writeFile(rows, `to,amount,description,from\n${payee},1,,${account}\n`)
  const damage = undefined as unknown as Answer
  const hostile = { url: '', token: emulator.token, account, payment: id, subscription, rows, damage }
  const url = await serve(
    async (request, response) => hostile.damage(response, await forward(request, emulator.baseUrl)),
    { until: afterAll },
  )
  afterAll(async () => {
    await emulator.close()
    await rm(folder, { recursive: true })
  })
  return Object.assign(hostile, { url })
}

async function forward(request: IncomingMessage, base: string): Promise<string> {
  const { method = 'GET', url = '/', headers } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const passed = ['authorization', 'content-type', 'x-idempotency-key'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null
  const answer = await fetch(`${base}${url}`, { method, headers: passed, body })
  return await answer.text()
}
