import { constants } from 'node:os'
import type { Context } from '../../cli/command.ts'
import { type ChildEnd, type ChildOptions, runChild } from './child.ts'

/** A command that chaos kills at some of its requests, and that is then run again. */
export class KilledCommand {
  readonly #output: Context['output']
  #kill: (() => void) | undefined
  #ended: Promise<ChildEnd> | undefined
  #isHit = false

  constructor({ output }: Pick<Context, 'output'>) {
    this.#output = output
  }

  /**
   * Kills the command with all its processes; resolves when the processes are gone, with false if the command had
   * already ended on its own.
   */
  kill = async (): Promise<boolean> => {
    this.#isHit = true
    this.#kill?.()
    return wasKilled(await this.#ended)
  }

  /** Runs the command again after each kill, until the command ends on its own or a signal ends it. */
  async run(child: readonly string[], options: ChildOptions): Promise<ChildEnd> {
    for (let run = 1; ; run += 1) {
      this.#isHit = false
      this.#ended = runChild(child, {
        ...options,
        onStart: (kill) => {
          this.#kill = kill
        },
      })
      const ended = await this.#ended
      if (!this.#isHit || !wasKilled(ended) || options.signal.aborted) return ended
      this.#output.note(`Killed, as --chaos-kill asks. Run ${run + 1} of the command:`)
    }
  }
}

const wasKilled = (ended: ChildEnd | undefined): boolean => ended?.code === 128 + constants.signals.SIGKILL
