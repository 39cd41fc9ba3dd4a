import type { Context } from '../context.ts'
import { type Candidate, candidateOf } from './candidate.ts'
import { follow } from './cursor.ts'

/** What `payctl help` can explain below the command that the words name. */
export async function topicsBelow(words: readonly string[], context: Context): Promise<readonly Candidate[]> {
  const { command, operands } = await follow(words, context)
  if (operands.length > 0) return []
  const verbs = command.commands.map(candidateOf)
  return command.parent ? verbs : [...verbs, { value: 'exit-codes', about: 'what an exit code means' }]
}
