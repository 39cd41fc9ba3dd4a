import { styleText } from 'node:util'
import { progressOn } from '../output/progress.ts'
import { hanging, textWidth, wordsWrapped } from '../run/cell_lines.ts'
import type { Reporter } from '../run/reporter.ts'
import { printable } from '../run/sanitise.ts'
import { wantsColour } from '../run/style.ts'
import type { Said } from '../words/text.ts'
import type { Context } from './command.ts'
import { withHint } from './next_step.ts'

/**
 * Prints an engine's notes on stderr and asks its questions there. The run ends unless the user answers yes, or types
 * the required text.
 */
export function reporterOf(context: Context): Reporter {
  const { translate } = context
  const progress = progressOn(context)
  const fact = (said: Said) =>
    void context.io.stderr.write(`${factLines(printable(translate(said)), context).join('\n')}\n`)
  return {
    remark(text, next) {
      // A dry run shows the facts of a payment as notes, which --quiet omits.
      if (liveMark.test(String(text)) && !context.globals.quiet) fact(text)
      else context.output.note(withHint(text, next, context.globals, translate))
    },
    progress,
    translate,
    fact,
    linesOf: (facts) => columns(facts.map((fact) => fact.map(translate) as [string, string, string])),
    async ask(question) {
      const { requireYes } = await import('./prompts.ts')
      // Hides the progress bar, which would be drawn over the question.
      progress(null)
      await requireYes(question, context)
      return true
    },
    async askToType(question, isRight) {
      const { requireTyped } = await import('./prompts.ts')
      progress(null)
      await requireTyped({ message: question, isRight }, context)
      return true
    },
  }
}

function factLines(text: string, { io: { stderr }, globals, env }: Context): readonly string[] {
  const lines = stderr.isTTY === true ? hanging(text, stderr.columns || 80) : [text]
  if (!wantsColour(globals, env, stderr.isTTY === true)) return lines
  return lines.map((line) =>
    line.replace(liveMark, (before) =>
      before.replace(/LIVE|REAL$/, (word) => styleText(['bold', 'red'], word, { validateStream: false })),
    ),
  )
}

/** The mark `LIVE`, in Spanish `REAL`, beside the service, or below the service if both do not fit on one line. */
const liveMark = /^ {2}(?:(?:At|En) {8,}.* {3}| {10,})(?:LIVE|REAL)(?=,)/

/** Maximum width of the first of two columns, in terminal cells. A longer text moves the second column to the right. */
const firstColumn = 36

/** Width of the text after a label, in terminal cells, in a line of 80 cells. */
const room = 68

/** A line for each fact; the details are beside the fact. */
function columns(facts: readonly (readonly [label: string, text: string, besides: string])[]): readonly string[] {
  const widths = facts.filter(([, , besides]) => besides !== '').map(([, text]) => textWidth(text))
  const width = Math.min(firstColumn, Math.max(...widths))
  return facts.flatMap(([label, text, besides]) => {
    const beside = `${text}${' '.repeat(Math.max(0, width - textWidth(text)))}   ${besides}`.trimEnd()
    const parts = textWidth(beside) <= room ? [beside] : [text, besides].flatMap((part) => wordsWrapped(part, room))
    return parts.map((part, at) => `  ${(at === 0 ? label : '').padEnd(10)}${part}`.trimEnd())
  })
}
