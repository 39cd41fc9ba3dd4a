import type { Prints } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { error } from './machine_shapes.ts'

/** What no record of a command says. */
export const outputs: Readonly<Record<string, Prints>> = {
  /** On stderr, of any command that fails. */
  error: object(() => error),
}
