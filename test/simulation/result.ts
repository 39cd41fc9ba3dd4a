import type { Script } from './script/script.ts'

// What a run of a script comes to.

/** Something that must be true was not. */
export interface Failure {
  /** Its name. */
  readonly invariant: string
  readonly message: string
  readonly script: Script
}

/** Time that passed while nothing was in flight. */
export interface Idle {
  readonly virtualMs: number
  readonly cpuMs: number
}

export interface Result {
  readonly seed: string
  readonly operations: number
  /** Statements, requests and changes of files: where a process can die. */
  readonly steps: number
  /** Virtual time, milliseconds, without that of the idle world. */
  readonly virtualMs: number
  readonly idle: Idle
  /** Faults that have happened, by name. */
  readonly faults: Readonly<Record<string, number>>
  readonly requests: number
  readonly failure?: Failure
  /** All that happened. */
  readonly log: readonly string[]
}
