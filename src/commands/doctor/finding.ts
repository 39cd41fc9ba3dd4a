import type { Exit } from '../../errors/exit_codes.ts'
import { failureOf } from '../../errors/failure.ts'
import { field, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { loadPaint, type Tone, wantsColour } from '../../run/colour.ts'
import { printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import type { Context } from '../context.ts'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about it. */
  readonly hint: string | null
  /** For a failure: the exit code of a command that needs this. */
  readonly exit?: Exit
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail, hint: null })

export const warn = (check: string, detail: string, hint: string): Finding => ({ check, status: 'warn', detail, hint })

export function fail(check: string, detail: string, { exit, hint }: { exit: Exit; hint: string }): Finding {
  return { check, status: 'fail', detail, hint, exit }
}

/** The message that a command would print. */
export function failedWith(check: string, error: unknown): Finding {
  const { message, hint = null, exit } = failureOf(error, false)
  return { check, status: 'fail', detail: message, hint, exit }
}

type Row = Omit<Finding, 'exit'>

const columns: readonly Column<Row>[] = [
  field('check', ({ check }) => check),
  status('status', (row) => row.status),
  field('detail', ({ detail }) => detail),
  field('hint', ({ hint }) => hint),
]

const tones: Readonly<Record<Finding['status'], Tone>> = { ok: 'good', warn: 'busy', fail: 'bad' }

/** For people a line each, with what to do below it; a table would cut that. */
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
