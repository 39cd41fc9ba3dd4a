import { originalOf } from '../client/decode.ts'
import type { Io } from '../run/invocation.ts'
import { escapeHidden, printableLines } from '../run/sanitise.ts'
import { write } from '../run/sink.ts'
import { withNoteIfEmpty } from './create_output.ts'
import { type Jq, type JqOutput, jqFailure } from './jq.ts'
import type { Output } from './output.ts'
import { batches, type Rows } from './renderer.ts'
import { json, ndjson } from './text_formats.ts'

/** Number of rows that one call of jq receives. */
const batchSize = 100

interface FilterOptions {
  readonly io: Io
  readonly signal: AbortSignal
  readonly jq: Jq
  /** The output for everything except JSON. */
  readonly output: Output
  /** True if the service has carried out a change in this run, or may have done so. */
  readonly hasChanged: () => boolean
}

/**
 * An output that filters its JSON through jq: prints strings bare, other values as compact JSON, one per line. Filters
 * ndjson row by row in bounded memory, and json as one document. If the jq program fails on the answer to a change, or
 * on rows that no later run prints, the values are printed unfiltered: a typing error must not hide a payment.
 */
export function filteredOutput({ io, signal, jq, output, hasChanged }: FilterOptions): Output {
  const { stdout } = io
  const bare = (text: string) => (stdout.isTTY ? printableLines(text) : text)
  const lineOf = (value: string) => (value.startsWith('"') ? bare(JSON.parse(value)) : escapeHidden(value))
  const print = async ({ values, notes }: JqOutput) => {
    for (const note of notes) output.note(note)
    for (const value of values) await write(stdout, `${lineOf(value)}\n`, signal)
  }

  const document = async (data: unknown, isOnce = false) => {
    const mustShow = () => isOnce || hasChanged()
    let filtered: JqOutput
    try {
      filtered = await jq.run(JSON.stringify(originalOf(data)))
    } catch (error) {
      if (mustShow()) await write(stdout, json.record(data, []), signal)
      throw error
    }
    const { fault } = filtered
    if (fault === undefined) return print(filtered)
    if (mustShow()) await write(stdout, json.record(data, []), signal)
    else await print(filtered)
    throw jqFailure(fault, hasChanged(), true)
  }

  const rowByRow = async <Row>(rows: Rows<Row>, isOnce = false) => {
    let firstFault: string | undefined
    for await (const batch of batches(rows, batchSize)) {
      const filtered = await jq.run(batch.rows.map((row) => JSON.stringify(originalOf(row))).join('\n'))
      if (isOnce && filtered.fault !== undefined) {
        for (const row of batch.rows) await write(stdout, ndjson.record(row, []), signal)
      } else await print(filtered)
      firstFault ??= filtered.fault
    }
    if (firstFault !== undefined) throw jqFailure(firstFault, hasChanged())
  }

  const collected = async <Row>(rows: Rows<Row>, isOnce = false) => {
    const all: unknown[] = []
    for await (const row of rows) all.push(originalOf(row))
    await document(all, isOnce)
  }

  const stream = output.format === 'ndjson' ? rowByRow : collected
  return {
    ...output,
    record: (data) => document(data),
    async list(rows, _, { data, none } = {}) {
      await (output.format === 'ndjson' || data === undefined ? stream(rows) : document(data))
      if (rows.length === 0 && none !== undefined) output.note(none)
    },
    stream: (rows, _, { none, isOnce } = {}) => stream(withNoteIfEmpty(rows, none, output.note), isOnce),
  }
}
