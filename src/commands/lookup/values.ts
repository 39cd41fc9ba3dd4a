import { createReadStream } from 'node:fs'
import { UsageError } from '../../errors/cli_error.ts'
import { linesOf } from '../../lookups/values.ts'
import type { Context } from '../context.ts'

/** Values from arguments, among which `-` stands for the lines of stdin. */
export async function* valuesOf(texts: readonly string[], { io }: Context): AsyncGenerator<string, void, undefined> {
  for (const text of texts) {
    if (text === '-') yield* linesOf(io.stdin as AsyncIterable<Uint8Array | string>)
    else yield text
  }
}

/** The lines of a file; `-` is stdin. Throws UsageError when it can't be read. */
export async function* valuesIn(path: string, context: Context): AsyncGenerator<string, void, undefined> {
  if (path === '-') return yield* valuesOf(['-'], context)
  const file = createReadStream(path)
  try {
    yield* linesOf(file)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error)
    throw error
  } finally {
    file.destroy()
  }
}

const unreadable = (path: string, error: Error): UsageError =>
  new UsageError(`${path} can't be read: ${error.message}.`, 'Give --file the path of a text file, one value a line')
