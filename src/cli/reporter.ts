import { progressOn } from '../output/progress.ts'
import { hanging, textWidth, wordsWrapped } from '../run/cell_lines.ts'
import type { Fact, Reporter } from '../run/reporter.ts'
import { printable } from '../run/sanitise.ts'
import type { Context } from './command.ts'
import { withHint } from './next_step.ts'

/** Prints remarks of an engine on stderr and asks its questions there; anything but a yes ends the run. */
export function reporterOf(context: Context): Reporter {
  const progress = progressOn(context)
  return {
    remark: (text, next) => context.output.note(withHint(text, next, context.globals)),
    progress,
    fact: (text) => void context.io.stderr.write(`${factLines(printable(text), context.io.stderr).join('\n')}\n`),
    linesOf: columns,
    async ask(question) {
      const { requireYes } = await import('./prompts.ts')
      // A bar would be drawn over the question.
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

const factLines = (text: string, { isTTY, columns }: Context['io']['stderr']): readonly string[] =>
  isTTY === true ? hanging(text, columns || 80) : [text]

/** Cells of the first of two columns, at most: longer texts push the second one on. */
const firstColumn = 36

/** Cells of a line of 80 behind its label. */
const room = 68

/** A line for each fact, and beside it what belongs to it. */
function columns(facts: readonly Fact[]): readonly string[] {
  const widths = facts.filter(([, , besides]) => besides !== '').map(([, text]) => textWidth(text))
  const width = Math.min(firstColumn, Math.max(...widths))
  return facts.flatMap(([label, text, besides]) => {
    const beside = `${text}${' '.repeat(Math.max(0, width - textWidth(text)))}   ${besides}`.trimEnd()
    const parts = textWidth(beside) <= room ? [beside] : [text, besides].flatMap((part) => wordsWrapped(part, room))
    return parts.map((part, at) => `  ${(at === 0 ? label : '').padEnd(10)}${part}`.trimEnd())
  })
}
