import type { Context } from '../../cli/command.ts'
import { adviceIn } from '../../cli/next_step.ts'
import { inOneLine, isWhole, shellWords } from '../../errors/advice.ts'
import type { Exit } from '../../errors/exit_codes.ts'
import { failureOf } from '../../errors/failure.ts'
import type { NextStep } from '../../errors/next_step.ts'
import { columnsOf, field, status } from '../../output/columns.ts'
import { wordsWrapped } from '../../run/cell_lines.ts'
import { printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import { loadPaint, type Tone, wantsColour } from '../../run/style.ts'
import { type Said, Text } from '../../words/text.ts'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** Advice, or the command to type. */
  readonly next: NextStep | Said | null
  /** For a failure: the exit code of commands that need the checked part. */
  readonly exit?: Exit
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail, next: null })

export const warn = (check: string, detail: string, next: NextStep | Said): Finding => ({
  check,
  status: 'warn',
  detail,
  next,
})

export function fail(check: string, detail: string, { exit, next }: { exit: Exit; next: NextStep | Said }): Finding {
  return { check, status: 'fail', detail, next, exit }
}

/** A failed check, with the message that a command would print. */
export function failedWith(check: string, error: unknown): Finding {
  const { message, hint = null, next = hint, exit } = failureOf(error, false)
  return { check, status: 'fail', detail: String(message), next, exit }
}

/** A finding as it is printed. */
export interface FindingRow extends Pick<Finding, 'check' | 'status' | 'detail'> {
  readonly hint: string | null
  readonly next_command: readonly string[] | null
}

export const columns = columnsOf<FindingRow>(
  'check',
  status('status'),
  'detail',
  'hint',
  field('next_command', (row) => row.next_command && shellWords(row.next_command)),
)

const tones: Readonly<Record<Finding['status'], Tone>> = { ok: 'good', warn: 'busy', fail: 'bad' }

/** Prints a line for each finding, with its advice below: a table would cut the advice. */
export async function report(findings: readonly Finding[], context: Context): Promise<void> {
  const { output, io, env, globals } = context
  const rows = findings.map((finding) => rowOf(finding, context))
  const isTable = globals.columns !== undefined || globals.sort !== undefined
  if (isTable || output.format !== 'table') return output.list(rows, columns)
  const paint = await loadPaint(wantsColour(globals, env, io.stdout.isTTY === true))
  const width = Math.max(...rows.map(({ check }) => check.length))
  const indent = ' '.repeat(width + 8)
  const room = Math.max(20, (io.stdout.columns ?? Number.POSITIVE_INFINITY) - indent.length)
  const wrapped = (text: string) => wordsWrapped(printable(text), room).join(`\n${indent}`)
  const lines = rows.map(({ check, status, detail, hint }) => {
    const line = `${paint.tone(tones[status], status.padEnd(4))}  ${check.padEnd(width)}  ${wrapped(detail)}\n`
    return hint === null ? line : `${line}${indent}${wrapped(hint)}\n`
  })
  await write(io.stdout, lines.join(''))
}

function rowOf({ check, status, detail, next }: Finding, context: Context): FindingRow {
  const advice =
    typeof next === 'object' && next && !(next instanceof Text) ? adviceIn(context, next) : { words: next ?? undefined }
  const { command } = advice
  const whole = command && isWhole(command) ? command : null
  return { check, status, detail, hint: inOneLine(advice)?.toString() ?? null, next_command: whole }
}
