import type { ChaosBody } from '../../contract/control/faults.ts'
import { chaosProfileNames } from '../../contract/emulator_names.ts'
import type { SeedFile } from '../../contract/seed_file.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { refusalAsUsageError } from './refusal.ts'

// Files for a world of an emulator that runs elsewhere. payctl reads and checks these files itself, so that errors name
// lines and columns.

/** Flags of a command that creates a world with chaos. */
interface ChaosFlags {
  readonly chaos?: number | undefined
  readonly chaosProfile?: string | undefined
}

/** Chaos of a new world. Throws UsageError for wrong flags or a wrong file. */
export async function chaosBody({ chaos: seed, chaosProfile: given }: ChaosFlags): Promise<ChaosBody | undefined> {
  if (seed === undefined && given !== undefined) {
    throw new UsageError('--chaos-profile works only with --chaos.', 'Add --chaos 1')
  }
  if (seed === undefined) return undefined
  const profile = chaosProfileNames.find((name) => name === given)
  if (profile !== undefined || given === undefined) return { seed, ...(profile && { profile }) }
  const { chaosOf } = await import('../../../emulator/index.ts')
  const { profile: own } = await sayingRefusals(chaosOf({ seed, profileFile: given }))
  return { seed, profile: own }
}

/**
 * Reads a seed from a file; the emulator resolves the names in the seed. Throws UsageError for a file that is not a
 * seed.
 */
export async function seedBody(file: string): Promise<SeedFile> {
  const { seedShapeInFile } = await import('../../../emulator/index.ts')
  return sayingRefusals(seedShapeInFile(file))
}

/**
 * Checks the file of a world as an import would. Returns the flaw of the file, such as `is damaged`; null if the file
 * can be imported.
 */
export async function flawOf(file: Uint8Array): Promise<string | null> {
  const [{ openCopy }, { UnusableFile }] = await Promise.all([
    import('../../../emulator/store/data_file.ts'),
    import('../../../emulator/store/file_checks.ts'),
  ])
  try {
    openCopy(file).close()
    return null
  } catch (error) {
    if (error instanceof UnusableFile) return error.flaw
    throw error
  }
}

const sayingRefusals = <Content>(reading: Promise<Content>): Promise<Content> =>
  reading.catch(async (error) => {
    throw await refusalAsUsageError(error)
  })
