import { full } from './full.ts'
import { type Running, type RunOptions, startMain, startProcess } from './running.ts'

export interface StartOptions extends RunOptions {
  /** Even in the quick tests: for what only a process has, as signals that end it, modes and descriptors. */
  readonly process?: boolean
}

/** What a run in this process does as a process does it. */
const common = ['env', 'input', 'stdin', 'stripFinalNewline', 'maxBuffer', 'buffer']

/** Starts payctl: in the full tests the built one as a process, in the quick ones `main` in this process where that shows the same. */
export function startRun(args: readonly string[], { process, ...options }: StartOptions): Running {
  const asProcess = process ?? (full || Object.keys(options).some((name) => !common.includes(name)))
  return asProcess ? startProcess(args, options) : startMain(args, options)
}
