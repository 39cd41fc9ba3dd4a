import type { Script } from './script/script.ts'

// Result of a script's run.

/** A broken invariant. */
export interface Failure {
  /** The invariant. */
  readonly invariant: string
  readonly message: string
  readonly script: Script
}

/** Virtual time that passed with nothing in flight, and the CPU time that it took. */
export interface Idle {
  readonly virtualMs: number
  readonly cpuMs: number
}

export interface Result {
  readonly seed: string
  readonly operations: number
  /** Number of statements, requests and changes of files: the points at which a process can die. */
  readonly steps: number
  /** Duration in virtual milliseconds, without the time of the idle world. */
  readonly virtualMs: number
  readonly idle: Idle
  /** Number of faults that happened, by name. */
  readonly faults: Readonly<Record<string, number>>
  readonly requests: number
  readonly failure?: Failure
  /** All events of the run. */
  readonly log: readonly string[]
}
