import '../install.ts'
import type { Found } from './hunt.ts'

// Runs seeds from 1 on until one fails; prints which, and what it breaks.

const { simulate } = await import('../simulate.ts')
const seeds = Number(process.argv[2])

for (let seed = 1; seed <= seeds; seed += 1) {
  const { failure } = await simulate(seed)
  if (!failure) continue
  const found: Found = { seeds: seed, by: failure.invariant, message: failure.message }
  console.log(JSON.stringify(found))
  break
}
