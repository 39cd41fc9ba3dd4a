import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { full } from '../../support/full.ts'
import { ModelledWorld } from './modelled_world.ts'
import { Receiver } from './receiver.ts'
import { steps } from './sequences.ts'

describe('the emulator and the model of its interface', () => {
  const receiver = new Receiver()
  beforeAll(() => receiver.listen())
  afterAll(() => receiver.close())

  test(
    'give the same answer to every request, whatever came before',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps({ minLength: 1, maxLength: 60 }), async (steps) => {
          const world = await ModelledWorld.open(receiver)
          try {
            for (const step of steps) await world.take(step)
            await world.finish()
          } finally {
            await world.close()
          }
        }),
        { numRuns: full ? 150 : 20 },
      )
    },
    full ? 600_000 : 60_000,
  )
})
