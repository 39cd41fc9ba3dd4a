import { told } from '../campaign.ts'
import { conformance } from '../conformance.ts'
import { fileOf, mutants, noMutant } from './mutants.ts'
import { mutated } from './mutated.ts'

/** What this file is told: names of mutants. Each gets the cases of the file that has the one that is to catch it. */
export type Orders = readonly string[]

const orders = told().orders as Orders
const chosen = mutants.filter(({ name }) => orders.includes(name))

conformance(
  mutated(noMutant, () => ({ deliveries: (delivery) => [delivery] })),
  [...new Set(chosen.map(fileOf))],
)
for (const mutant of chosen) conformance(mutated(mutant.name, mutant.start), [fileOf(mutant)])
