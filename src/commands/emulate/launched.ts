import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import process, { pid } from 'node:process'
import type { Context } from '../../cli/command.ts'
import { CliError } from '../../errors/cli_error.ts'
import type { Shown } from './ready.ts'

/** Environment variable that passes secrets to a detached emulator; other users can't read it. */
export const handoverVariable = 'PAYCTL_DETACHED'

/** Values passed by the payctl that starts the emulator. */
export interface Handover<Options> {
  readonly log: string
  /** Options that hold secrets. */
  readonly options: Options
}

/** The emulator's answer when it is ready. */
export type Started = Required<Shown>

/** Connection to the payctl that started this process as an emulator; undefined if there is none. */
export function launched<Options>({ env }: Context): Launched<Options> | undefined {
  const { [handoverVariable]: text } = env
  return text === undefined || !process.send ? undefined : new Launched(JSON.parse(text) as Handover<Options>)
}

/** Size of a log at which its older half is dropped, in bytes. */
const longestLog = 8 * 1024 * 1024

export class Launched<Options> {
  readonly options: Options
  #log: string
  #length = 0

  constructor({ options, log }: Handover<Options>) {
    this.options = options
    this.#log = log
  }

  /** Answers the waiting payctl, and returns a function that removes the log. Throws if payctl has stopped waiting. */
  async tell(started: Shown): Promise<() => void> {
    const log = join(this.#log, '..', `${pid}.log`)
    renameSync(this.#log, log)
    this.#log = log
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    process.send?.({ ...started, log } satisfies Started, undefined, undefined, resolve)
    if (await promise) throw new CliError('interrupted', 'The payctl that started this emulator has ended.')
    return () => rmSync(log, { force: true })
  }

  /** Writes lines with `write`, and limits the size of the log. */
  readonly bounded =
    (write: (line: string) => void) =>
    (line: string): void => {
      this.#length += line.length
      if (this.#length > longestLog / 2) {
        const newest = readFileSync(this.#log).subarray(-longestLog / 2)
        truncateSync(this.#log)
        appendFileSync(this.#log, newest)
        this.#length = 0
      }
      write(line)
    }
}
