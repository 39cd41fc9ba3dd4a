import type { SeedFile } from '../../src/contract/index.ts'
import { SeedRefusal, shapeProblems } from './problems.ts'
import { readYamlFile } from './read.ts'

/** Reads a seed file and checks its shape only: the emulator that gets it checks names and values. */
export const seedShapeInFile = (file: string): Promise<SeedFile> =>
  checkedFile(file, (seed) => {
    const problems = shapeProblems(seed)
    if (problems.length > 0) throw new SeedRefusal(problems)
  })

/** Reads a seed file; adds line and column to the problems that `check` throws. Throws a SeedRefusal. */
export async function checkedFile(file: string, check: (seed: unknown) => void): Promise<SeedFile> {
  const { content: seed, locate } = await readYamlFile(file, { kind: 'a seed file', Refusal: SeedRefusal })
  try {
    check(seed)
    return seed as SeedFile
  } catch (error) {
    throw error instanceof SeedRefusal ? new SeedRefusal(locate(error.problems), file) : error
  }
}
