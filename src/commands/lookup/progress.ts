import type { Context } from '../context.ts'

export interface Progress {
  show(text: string): void
  stop(): void
}

const none: Progress = { show() {}, stop() {} }

/** A line on stderr that is redrawn, for a person who watches. It makes room for what else is written. */
export async function startProgress({ io, env, globals }: Context): Promise<Progress> {
  const { stderr } = io
  if (stderr.isTTY !== true || env.TERM === 'dumb' || globals.quiet || globals.verbose) return none
  const { default: ora } = await import('ora')
  const spinner = ora({ stream: stderr, isEnabled: true, discardStdin: false, color: false })
  return {
    show(text) {
      spinner.text = text
      if (!spinner.isSpinning) spinner.start()
    },
    stop: () => spinner.stop(),
  }
}
