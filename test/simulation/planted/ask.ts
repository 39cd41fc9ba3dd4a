import fc from 'fast-check'
import { Difference } from '../model/matching.ts'
import { ModelledWorld, Receiver } from '../modelled_world.ts'
import { step } from '../steps.ts'
import type { Found } from './hunt.ts'

// The same with sequences of requests that no caller of the simulation sends: right, wrong and out of order.

const seeds = Number(process.argv[2])
const receiver = new Receiver()
await receiver.listen()

for (let seed = 1; seed <= seeds; seed += 1) {
  const [steps = []] = fc.sample(fc.array(step, { minLength: 40, maxLength: 120, size: 'max' }), { seed, numRuns: 1 })
  const error = await broken(steps)
  if (!error) continue
  const by = error instanceof Difference ? error.invariant : 'no fault'
  const found: Found = { seeds: seed, by, message: String(error.message) }
  console.log(JSON.stringify(found))
  break
}
receiver.close()

async function broken(steps: readonly Parameters<ModelledWorld['take']>[0][]): Promise<Error | undefined> {
  const world = await ModelledWorld.open(receiver)
  try {
    for (const step of steps) await world.take(step)
    await world.finish()
  } catch (error) {
    return error as Error
  } finally {
    await world.close()
  }
}
