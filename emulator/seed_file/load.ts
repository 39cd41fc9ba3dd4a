import type { SeedFile } from '../../src/contract/index.ts'
import { Clock } from '../clock.ts'
import { atOnce } from '../slices.ts'
import { type ReadOptions, worldOptions } from '../worlds/world_options.ts'
import { seedContext } from './fill.ts'
import { SeedRefusal, shapeProblems } from './problems.ts'
import { readYamlFile } from './read.ts'
import { checkSeed } from './resolve.ts'

/**
 * Checks the seed of the options, or the seed in the named file, and returns the options with the seed. Throws a
 * SeedRefusal.
 *
 * @internal Keeps node:http and better-sqlite3, whose types users may lack, out of the declarations.
 */
export async function withSeed({
  seedFile,
  ...options
}: ReadOptions & { readonly seedFile?: string }): Promise<ReadOptions> {
  const { seed } = options
  const context = () => seedContext(worldOptions(options), new Clock().now())
  if (seedFile !== undefined) {
    const read = await checkedFile(seedFile, (content) => atOnce(checkSeed(content, context())))
    return { ...options, seed: read }
  }
  if (typeof seed !== 'object') return options
  const copy = structuredClone(seed)
  atOnce(checkSeed(copy, context()))
  return { ...options, seed: copy }
}

/** Reads a seed file and checks its shape only: the emulator that receives the seed checks names and values. */
export const seedShapeInFile = (file: string): Promise<SeedFile> =>
  checkedFile(file, (seed) => {
    const problems = shapeProblems(seed)
    if (problems.length > 0) throw new SeedRefusal(problems)
  })

/** Reads a seed file; adds line and column to the problems that `check` throws. Throws a SeedRefusal. */
async function checkedFile(file: string, check: (seed: unknown) => void): Promise<SeedFile> {
  const { content: seed, locate } = await readYamlFile(file, { kind: 'a seed file', Refusal: SeedRefusal })
  try {
    check(seed)
    return seed as SeedFile
  } catch (error) {
    throw error instanceof SeedRefusal ? new SeedRefusal(locate(error.problems), file) : error
  }
}
