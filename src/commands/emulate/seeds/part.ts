import process from 'node:process'
import type { Context } from '../../../cli/command.ts'
import type { Ended } from '../chaos.ts'
import type { SecretOptions } from '../start.ts'

// A process that runs the command with one of many seeds, for the payctl that started the process.

/**
 * Environment variable that passes the work to a process that runs the command with one seed. The variable may contain
 * secrets, because other users can't read it.
 */
export const seedRunVariable = 'PAYCTL_SEED_RUN'

/** The part of the work that is not in the flags of the payctl that starts the process. */
export interface Handover {
  readonly seed: number
  /** File with the chaos profile; undefined: the profile that the flags name. */
  readonly profile?: string
  /** Secrets, which must not be in the command line. */
  readonly secrets: SecretOptions
}

/** Work from the payctl that started this process; undefined if a user started the process. */
export const seedRunOf = ({ env }: Context): Handover | undefined => {
  const { [seedRunVariable]: text } = env
  return text === undefined || !process.send ? undefined : (JSON.parse(text) as Handover)
}

/** Runs the command, and answers the payctl that started this process. Ends the command if that payctl is killed. */
export async function answerWith(run: () => Promise<Ended>, { signal }: Context): Promise<void> {
  const orphaned = () => void process.kill(process.pid, 'SIGTERM')
  process.once('disconnect', orphaned)
  const ended = await run()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  process.send?.({ ended, isInterrupted: signal.aborted }, undefined, undefined, resolve)
  await promise
  process.off('disconnect', orphaned)
  process.disconnect?.()
}
