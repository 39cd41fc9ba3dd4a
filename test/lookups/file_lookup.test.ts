import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { RequestGate } from '../../src/client/retry.ts'
import { ApiError } from '../../src/errors/service_errors.ts'
import type { Answer } from '../../src/lookups/answers.ts'
import { lookUpFile } from '../../src/lookups/file_lookup.ts'
import { silent } from '../../src/run/reporter.ts'
import { readSheet } from '../../src/sheets/read_sheet.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const statuses: Readonly<Record<string, number>> = { 80000001: 404, 80000002: 500, 80000003: 422 }

async function find(phone: string): Promise<Answer> {
  const status = statuses[phone]
  if (status !== undefined)
    throw new ApiError({
      status,
      message: `It is ${status}.`,
      errors: null,
      requestId: undefined,
      retryable: false,
      fromService: true,
      retryAfter: undefined,
    })
  return { status: 'registered', name: 'Ana Vargas' }
}

it('reports the result of each value while it runs', async () => {
  const folder = await temporaryDirectory()
  const { signal } = new AbortController()
  const open = () =>
    readSheet(Readable.from([Buffer.from('80000000\n80000001\n80000002\n80000003\n')]), { header: false })
  const states: unknown[] = []
  const path = join(folder, 'out.csv')
  await lookUpFile({
    open,
    sample: await open(),
    columns: [{ at: 0, name: 'A', kind: 'phone' }],
    expected: {},
    target: { path, force: false },
    find: { phone: find, iban: find },
    client: {} as Client,
    gate: new RequestGate(signal),
    concurrency: 1,
    signal,
    stateDir: folder,
    asker: 'test',
    cacheMs: 0,
    reporter: { ...silent, progress: (state) => states.push(JSON.parse(JSON.stringify(state))) },
  })
  expect(states.at(-2)).toEqual({ done: 4, total: 4, detail: '1 found   1 not registered   1 refused   1 failed' })
  expect(await readFile(path, 'utf8')).toContain('80000002,,,,,failed,It is 500.')
})
