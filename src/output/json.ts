import { originalOf } from '../client/decode.ts'
import { escapeHidden } from '../run/sanitise.ts'
import type { Renderer } from './renderer.ts'

const pretty = (data: unknown): string => escapeHidden(JSON.stringify(originalOf(data), null, 2))

const whole = (data: unknown): string => `${pretty(data)}\n`

export const json: Renderer = {
  record: whole,
  whole,
  async *rows(rows) {
    let count = 0
    for await (const row of rows) {
      yield `${count === 0 ? '[' : ','}\n  ${pretty(row).replaceAll('\n', '\n  ')}`
      count += 1
    }
    yield count === 0 ? '[]\n' : '\n]\n'
  },
}

const line = (data: unknown): string => `${escapeHidden(JSON.stringify(originalOf(data)))}\n`

export const ndjson: Renderer = {
  record: line,
  async *rows(rows) {
    for await (const row of rows) yield line(row)
  },
}
