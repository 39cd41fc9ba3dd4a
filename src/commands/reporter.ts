import type { Ora } from 'ora'
import type { Reporter } from '../run/reporter.ts'
import type { Context } from './context.ts'
import { withHint } from './next_step.ts'

/** Prints remarks of an engine on stderr and asks its questions there; anything but a yes ends the run. */
export const reporterOf = (context: Context): Reporter => ({
  remark: (text, next) => context.output.note(withHint(text, next, context.globals)),
  progress: progressLine(context),
  async ask(question) {
    const { requireYes } = await import('./prompts.ts')
    await requireYes(question, context)
    return true
  },
})

/** A progress line on stderr. It is removed while other text is written. */
function progressLine({ io, env, globals }: Context): Reporter['progress'] {
  const { stderr } = io
  if (stderr.isTTY !== true || env.TERM === 'dumb' || globals.quiet || globals.verbose) return () => {}
  let shown: string | null = null
  let line: Ora | undefined
  let isLoading = false
  const draw = () => {
    if (shown === null) return line?.stop()
    if (!line) return void load()
    line.text = shown
    if (!line.isSpinning) line.start()
  }
  const load = async () => {
    if (isLoading) return
    isLoading = true
    const { default: ora } = await import('ora')
    line = ora({ stream: stderr, isEnabled: true, discardStdin: false, color: false })
    draw()
  }
  return (text) => {
    shown = text
    draw()
  }
}
