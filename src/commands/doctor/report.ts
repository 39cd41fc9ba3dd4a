import { field, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Tone } from '../../run/colour.ts'
import { loadPaint, wantsColour } from '../../run/colour.ts'
import { printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import type { Context } from '../context.ts'
import type { Finding } from './finding.ts'

type Row = Omit<Finding, 'exit'>

const columns: readonly Column<Row>[] = [
  field('check', ({ check }) => check),
  status('status', (row) => row.status),
  field('detail', ({ detail }) => detail),
  field('hint', ({ hint }) => hint),
]

const tones: Readonly<Record<Finding['status'], Tone>> = { ok: 'good', warn: 'busy', fail: 'bad' }

/** People get a line for each, and what to do below it: nothing of that may be cut short to fit a table. */
export async function report(findings: readonly Finding[], { output, io, env, globals }: Context): Promise<void> {
  const rows = findings.map(({ exit: _, ...row }) => row)
  if (output.format !== 'table') return output.list(rows, columns)
  const paint = await loadPaint(wantsColour(globals, env, io.stdout.isTTY === true))
  const width = Math.max(...rows.map(({ check }) => check.length))
  const lines = rows.map(({ check, status, detail, hint }) => {
    const line = `${paint.tone(tones[status], status.padEnd(4))}  ${check.padEnd(width)}  ${printable(detail)}\n`
    return hint === null ? line : `${line}${' '.repeat(width + 8)}${printable(hint)}\n`
  })
  await write(io.stdout, lines.join(''))
}
