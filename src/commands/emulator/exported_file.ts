import { existsSync } from 'node:fs'
import type { Context } from '../../cli/command.ts'
import type { SeedFile } from '../../contract/seed_file.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { fileFault } from '../../files/file_fault.ts'
import { isStream, ownDescriptor, replaceContent } from '../../files/private_file.ts'
import { escapeHiddenYaml, printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'

/** File that a command writes; `-` and names such as `/dev/stdout` are stdout. */
export interface Target {
  readonly file: string
  /** True: an existing file is replaced. */
  readonly force: boolean
}

export const isStdout = (file: string): boolean => file === '-' || ownDescriptor(file) === 1

/** Throws UsageError for an existing file, unless `force` is set. */
export function refuseExisting({ file, force }: Target): void {
  if (isStdout(file) || force || !existsSync(file) || isStream(file)) return
  throw new UsageError(`${file} is there already.`, 'Name another file, or use --force to replace this file.')
}

/** Writes the content. Returns true for a file, false for stdout. */
export async function writeTarget(
  { file }: Target,
  content: Uint8Array | string,
  { io, signal }: Context,
): Promise<boolean> {
  if (isStdout(file)) {
    await write(io.stdout, content, signal)
    return false
  }
  writePrivate(file, content)
  return true
}

/** Writes a whole file or nothing; only the owner can read the file. */
export function writePrivate(file: string, content: Uint8Array | string): void {
  try {
    replaceContent(file, content)
  } catch (error) {
    throw new UsageError(
      `${file} can’t be written: ${fileFault(error)}.`,
      'Name a file in a folder that you can write to.',
    )
  }
}

/** Text of a YAML seed file that begins with comments. */
export async function seedText(seed: SeedFile, comments: readonly string[]): Promise<string> {
  const { stringify } = await import('yaml')
  const schema = 'yaml-language-server: $schema=./node_modules/payctl/dist/seed-file.schema.json'
  const head = [schema, ...comments].map((line) => `# ${printable(line)}\n`).join('')
  return `${head}${escapeHiddenYaml(stringify(seed, { lineWidth: 0 }))}`
}
