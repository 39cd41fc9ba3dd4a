import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { RequestGate } from '../../src/client/retry.ts'
import { ApiError } from '../../src/errors/service_errors.ts'
import { lookUpFile } from '../../src/lookups/file_lookup.ts'
import type { Holder } from '../../src/lookups/lookups.ts'
import { silent } from '../../src/run/reporter.ts'
import { readSheet } from '../../src/sheets/read_sheet.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const statuses: Readonly<Record<string, number>> = { 80000001: 404, 80000002: 500, 80000003: 422 }

async function find(phone: string): Promise<Holder> {
  const status = statuses[phone] ?? (phone.startsWith('85') ? 500 : undefined)
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

interface LookupOptions {
  readonly cacheMs?: number
  readonly hasState?: boolean
  /** Name of the sheet, as if the file were a workbook. */
  readonly sheet?: string
  readonly folder?: string
}

/** Looks up the phones of a file; `contents`: content of the file at each reading, of which the last is repeated. */
async function lookUp(
  contents: readonly string[],
  { cacheMs = 0, hasState = true, sheet, folder: given }: LookupOptions = {},
) {
  const folder = given ?? (await temporaryDirectory())
  const { signal } = new AbortController()
  let readings = 0
  const open = (onBytes: (bytes: Uint8Array) => void) => {
    const bytes = Buffer.from(contents[readings] ?? contents.at(-1) ?? '')
    readings += 1
    onBytes(bytes)
    return readSheet(Readable.from([bytes]), { header: false })
  }
  const states: unknown[] = []
  const remarks: string[] = []
  const path = join(folder, 'out.csv')
  const sample = await readSheet(Readable.from([Buffer.from(contents[0] ?? '')]), { header: false })
  await writeFile(join(folder, 'file'), '')
  const error = await lookUpFile({
    open,
    sample: {
      ...sample,
      ...(sheet !== undefined && {
        xlsx: { sheet, others: [], hiddenRows: 0, hiddenColumns: [], recalculates: false },
      }),
    },
    columns: [{ at: 0, name: 'A', kind: 'phone' }],
    expected: {},
    target: { path, force: false },
    find: { phone: find, iban: find },
    client: {} as Client,
    gate: new RequestGate(signal),
    concurrency: 1,
    signal,
    stateDir: hasState ? folder : join(folder, 'file'),
    asker: 'test',
    cacheMs,
    reporter: {
      ...silent,
      progress: (state) => states.push(JSON.parse(JSON.stringify(state))),
      remark: (text) => remarks.push(String(text)),
    },
  }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { path, states, remarks, error }
}

it('reports the result of each value while it runs', async () => {
  const { states, path } = await lookUp(['80000000\n80000001\n80000002\n80000003\n'])
  expect(states.at(-2)).toEqual({ done: 4, total: 4, detail: '1 found   1 not registered   1 refused   1 failed' })
  expect(await readFile(path, 'utf8')).toContain('80000002,,,,,failed,It is 500.')
})

it.each([
  [{ cacheMs: 0 }, []],
  [{ cacheMs: 1000 }, ['The answers are saved. Run the command again: it asks only for the values without an answer.']],
  [{ cacheMs: 1000, hasState: false }, [expect.stringContaining('an interrupted run must start from the beginning')]],
])('calls the answers for a file that changes saved only if another run can use them: %j', async (options, said) => {
  const { error, remarks } = await lookUp(['80000000\n', '80000000\n80000004\n'], options)
  expect(error).toBe('The file changed while its values were looked up.')
  expect(remarks).toEqual(said)
})

const failing = ['80000000', '85000001', '85000002', '85000003', '85000004', '85000005', ''].join('\n')

it.each([
  [true, ['Stopped with 1 of 6 answered. Run the command again: it continues from there.']],
  [false, [expect.stringContaining('an interrupted run must start from the beginning')]],
])('says where another run continues, if the answers can be saved: %s', async (hasState, said) => {
  const { error, remarks } = await lookUp([failing], { hasState })
  expect(error).toBe('It is 500.')
  expect(remarks).toEqual(said)
})

it('continues an interrupted run only with the same sheet of a workbook', async () => {
  const folder = await temporaryDirectory()
  const stopped = 'Stopped with 1 of 6 answered. Run the command again: it continues from there.'
  expect((await lookUp([failing], { folder, sheet: 'March' })).remarks).toEqual([stopped])
  expect((await lookUp([failing], { folder, sheet: 'April' })).remarks).toEqual([stopped])
  expect((await lookUp([failing], { folder, sheet: 'March' })).remarks).toEqual([
    'Continuing where a run stopped. Values already answered: 1 of 6.',
    stopped,
  ])
})
