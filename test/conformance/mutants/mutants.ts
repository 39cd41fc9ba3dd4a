import { amounts, shapes } from './answers.ts'
import { keys } from './keys.ts'
import { lists } from './lists.ts'
import type { Mutant } from './mutant.ts'
import { headers, oauthAnswers, refusals } from './refusals.ts'
import { events, subscriptions } from './webhooks.ts'

export const mutants: readonly Mutant[] = [
  ...shapes,
  ...amounts,
  ...lists,
  ...keys,
  ...refusals,
  ...headers,
  ...oauthAnswers,
  ...subscriptions,
  ...events,
]

/** Name of the unchanged service. */
export const noMutant = 'no mutant'

/** The file of the case that catches a mutant. */
export const fileOf = ({ caughtBy }: Mutant): string => caughtBy.split(' > ', 1)[0] ?? ''
