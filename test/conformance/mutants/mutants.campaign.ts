import { told } from '../campaign.ts'
import { conformance } from '../conformance.ts'
import { fileOf, mutants, noMutant } from './mutants.ts'
import { mutated } from './mutated.ts'

/**
 * Parameters of this file: names of mutants. Each mutant is tested with all cases of one file: the file of the case
 * that must catch the mutant.
 */
export type Orders = readonly string[]

const orders = told().orders as Orders
const chosen = mutants.filter(({ name }) => orders.includes(name))

conformance(
  mutated(noMutant, () => ({ deliveries: (delivery) => [delivery] })),
  [...new Set(chosen.map(fileOf))],
)
for (const mutant of chosen) conformance(mutated(mutant.name, mutant.start), [fileOf(mutant)])
