import fc from 'fast-check'
import { Difference } from '../model/matching.ts'
import { ModelledWorld } from '../sequences/modelled_world.ts'
import { Receiver } from '../sequences/receiver.ts'
import { steps } from '../sequences/sequences.ts'
import type { Step } from '../sequences/steps.ts'
import { trySeeds } from './try_seeds.ts'

// A seed is a sequence of random requests, sent without the simulation's callers: right requests, wrong ones, and
// requests out of order.

const receiver = new Receiver()
await receiver.listen()

await trySeeds(async (seed) => {
  const [taken = []] = fc.sample(steps({ minLength: 40, maxLength: 120 }), { seed, numRuns: 1 })
  const error = await broken(taken)
  if (!error) return undefined
  return {
    invariant: error instanceof Difference ? error.invariant : 'no fault',
    message: error.stack ?? String(error),
  }
})
receiver.close()

async function broken(steps: readonly Step[]): Promise<Error | undefined> {
  let world: ModelledWorld | undefined
  try {
    world = await ModelledWorld.open(receiver)
    for (const step of steps) await world.take(step)
    await world.finish()
  } catch (error) {
    return error as Error
  } finally {
    await world?.close()
  }
}
