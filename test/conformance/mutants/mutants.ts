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

/** The service as it is. */
export const noMutant = 'no mutant'

/** The file of cases that has the one that catches it. */
export const fileOf = ({ caughtBy }: Mutant): string => caughtBy.split(' > ', 1)[0] ?? ''
