import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import type { Quotas } from '../../../emulator/teams/teams_schema.ts'
import { type ControlId, type CreatedWorld, controlEndpoints, type Endpoint } from '../../../src/contract/index.ts'

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** `data` of the envelope. */
  readonly data: never
  readonly message: string
}

export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  /** Bytes of a file. */
  readonly file?: Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Member {
  readonly key: string
  readonly url: string
  /** Calls a control endpoint, of a world or of the emulator. */
  ask(id: ControlId, input?: Input, world?: string): Promise<Answered>
  make(body?: Readonly<Record<string, unknown>>): Promise<CreatedWorld>
}

export const newKey = (team: string): string => `${team}.${randomBytes(32).toString('base64url')}`
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

export const adminKey = 'administrator-of-these-tests-0123456789'

export interface Teams {
  readonly [team: string]: { keys: Record<string, string>; quotas?: Quotas }
}

/** Milliseconds in which even a very busy machine looks at the teams file. */
const patience = 60_000

/** Options of tests that change the teams file while the emulator runs. */
export const changesTeams = { timeout: 3 * patience }

/** An emulator that two teams share, over a port, with its worlds in a folder. */
export async function startCompany(
  options: EmulatorOptions & { readonly quotas?: Quotas; readonly withoutKey?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-teams-'))
  const [file, auditLog] = [join(folder, 'teams.yaml'), join(folder, 'audit.jsonl')]
  const keys = { payments: newKey('payments'), risk: newKey('risk') }
  const { quotas, withoutKey = false, ...given } = options
  const teams: Teams = {
    payments: { keys: { ci: digestOf(keys.payments) } },
    risk: { keys: { ci: digestOf(keys.risk) } },
  }
  const write = (content: object = { teams, ...(quotas && { quotas }) }) => {
    // As a whole: the emulator may look at any time.
    writeFileSync(`${file}.new`, JSON.stringify(content))
    renameSync(`${file}.new`, file)
  }
  write()
  const faults: unknown[] = []
  const notices: string[] = []
  const emulator = await startEmulator({
    worlds: join(folder, 'worlds'),
    teams: file,
    auditLog,
    ...(!withoutKey && { controlToken: adminKey }),
    rateLimit: 'off',
    onFault: (error) => faults.push(error),
    onNotice: (text) => notices.push(text),
    ...given,
  })
  onTestFinished(async () => {
    await emulator.close()
    rmSync(folder, { recursive: true })
  })
  const member = (key: string) => memberAt(emulator.baseUrl, key)
  /** Waits until the emulator, which looks at the teams file every second, has given this number of notices about it. */
  const noticed = async (count: number) => {
    const about = () => notices.filter((text) => text.includes(file)).length
    await expect.poll(about, { timeout: patience }).toBe(count)
  }
  return {
    emulator,
    baseUrl: emulator.baseUrl,
    folder,
    file,
    auditLog,
    faults,
    notices,
    noticed,
    keys,
    teams,
    write,
    member,
    admin: member(adminKey),
    payments: member(keys.payments),
    risk: member(keys.risk),
  }
}

export type Company = Awaited<ReturnType<typeof startCompany>>

export function memberAt(baseUrl: string, key: string): Member {
  const ask: Member['ask'] = (id, { params = {}, query = {}, body, file, headers }: Input = {}, world) => {
    const row: Endpoint = controlEndpoints[id]
    const path = row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? '1'))
    const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
    const search = new URLSearchParams(pairs).toString()
    const at = `${baseUrl}${world === undefined ? '' : `/w/${world}`}${path}${search === '' ? '' : `?${search}`}`
    const type = file ? row.upload?.type : body === undefined ? undefined : 'application/json'
    return exchange(at, {
      method: row.method,
      headers: {
        ...(key !== '' && { Authorization: `Bearer ${key}` }),
        ...(type && { 'Content-Type': type }),
        ...headers,
      },
      ...(row.method !== 'GET' && { body: file ?? (body === undefined ? null : JSON.stringify(body)) }),
    })
  }
  return {
    key,
    url: baseUrl,
    ask,
    async make(body = {}) {
      const { status, text, data } = await ask('control.worlds.create', { body })
      if (status !== 201) throw new Error(text)
      return data
    },
  }
}

/** Sends one request. Leaves the headers `date` and `keep-alive` out of the answer, so that answers can be compared. */
export async function exchange(url: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const { date: _, 'keep-alive': __, ...headers } = Object.fromEntries(response.headers)
  if (headers['content-type']?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, headers, text: '', data: null as never, message: '' }
  }
  const text = await response.text()
  let body: { data?: unknown; message?: string } = {}
  try {
    body = JSON.parse(text)
  } catch {
    // The answer is a page or a file, not JSON.
  }
  return { status: response.status, headers, text, data: body.data as never, message: body.message ?? '' }
}
