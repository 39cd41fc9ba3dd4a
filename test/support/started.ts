import { full } from './full.ts'
import { type Running, type RunOptions, startMain, startProcess } from './running.ts'

export interface StartOptions extends RunOptions {
  /** True: runs a process even in the quick tests, because the test needs fatal signals, file modes or descriptors. */
  readonly process?: boolean
}

/** Options that mean the same for a run in this process and for a process. */
const common = ['env', 'input', 'stdin', 'stripFinalNewline', 'maxBuffer', 'buffer']

/**
 * Starts payctl: in the full tests the built payctl as a process, in the quick tests `main` in this process if the
 * options allow it.
 */
export function startRun(args: readonly string[], { process, ...options }: StartOptions): Running {
  const asProcess = process ?? (full || Object.keys(options).some((name) => !common.includes(name)))
  return asProcess ? startProcess(args, options) : startMain(args, options)
}
