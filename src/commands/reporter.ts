import { progressOn } from '../output/progress.ts'
import { wordsWrapped } from '../run/cell_lines.ts'
import type { Reporter } from '../run/reporter.ts'
import { printable } from '../run/sanitise.ts'
import type { Context } from './context.ts'
import { withHint } from './next_step.ts'

/** Prints remarks of an engine on stderr and asks its questions there; anything but a yes ends the run. */
export function reporterOf(context: Context): Reporter {
  const progress = progressOn(context)
  return {
    remark: (text, next) => context.output.note(withHint(text, next, context.globals)),
    progress,
    fact: (text) => void context.io.stderr.write(`${factLines(printable(text), context.io.stderr).join('\n')}\n`),
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

/** Cells before the second line of a fact: those of its label. */
const labelWidth = 12

/** On a terminal a fact goes on below itself, not below its label. */
function factLines(text: string, { isTTY, columns = 80 }: Context['io']['stderr']): readonly string[] {
  if (isTTY !== true || text.length <= columns) return [text]
  const [first, ...more] = wordsWrapped(text.trimStart(), columns - labelWidth)
  return [`${/^ */.exec(text)?.[0]}${first}`, ...more.map((line) => `${' '.repeat(labelWidth)}${line.trimStart()}`)]
}
