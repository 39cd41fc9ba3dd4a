import { Clock } from '../clock.ts'
import { EmulatorRefusal } from '../options.ts'
import { type ReadOptions, worldOptions } from '../worlds/world_options.ts'
import { seedContext } from './fill.ts'
import { checkSeed, seedInFile } from './resolve.ts'

interface Seeded extends ReadOptions {
  readonly seedFile?: string
}

/**
 * Checks the seed of the options, or the one in the named file, and returns the options with it. Throws a SeedRefusal.
 */
export async function withSeed({ seedFile, ...options }: Seeded): Promise<ReadOptions> {
  const { seed } = options
  if (seedFile !== undefined && seed !== undefined) {
    throw new EmulatorRefusal('A seed and a seed file are given.', 'Leave one of them out; a file can extend the demo.')
  }
  const context = () => seedContext(worldOptions(options), new Clock().now())
  if (seedFile !== undefined) return { ...options, seed: await seedInFile(seedFile, context()) }
  if (typeof seed !== 'object') return options
  const copy = structuredClone(seed)
  checkSeed(copy, context())
  return { ...options, seed: copy }
}
