import { UsageError } from '../../errors/cli_error.ts'

/** What the emulator's own code refuses, as an error of the command line: with every fault of a file by line and column. */
export async function refusalAsUsageError(error: unknown): Promise<unknown> {
  const { ContentRefusal, EmulatorRefusal } = await import('../../../emulator/index.ts')
  if (error instanceof ContentRefusal) {
    return Object.assign(new UsageError(error.summary, error.hint), { errors: error.errors })
  }
  return error instanceof EmulatorRefusal ? new UsageError(error.message, error.hint) : error
}
