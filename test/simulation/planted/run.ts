import { bugs } from './bugs.ts'
import { hunt, printHunt, printHunted } from './hunt.ts'

/**
 * Hunts the planted bugs with these names, or all bugs, and prints a line for each. Exits with 1 if a bug is not found.
 */
export async function runPlanted(names: readonly string[], seeds: number): Promise<void> {
  const chosen = bugs.filter(({ name }) => names.length === 0 || names.includes(name))
  const hunted = await hunt(chosen, { seeds, onEnd: (one) => console.log(printHunted(one)) })
  console.log(printHunt(hunted))
  if (hunted.some(({ found }) => found === null)) process.exitCode = 1
}
