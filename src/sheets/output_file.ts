import { accessSync, constants, linkSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pid } from 'node:process'
import { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { type Appendable, openToWrite } from '../files/open_private.ts'
import { isStream } from '../files/private_file.ts'
import { say } from '../words/text.ts'

export interface Target {
  readonly path: string
  /** True: an existing file may be replaced. */
  readonly force: boolean
  /** The input file, which is never replaced. */
  readonly source?: string | undefined
}

/** Throws UsageError if the result can't be written to the path. Call this function before any work. */
export function requireWritable({ path, force, source }: Target): void {
  const there = statSync(path, { throwIfNoEntry: false })
  const read = source === undefined ? undefined : statSync(source, { throwIfNoEntry: false })
  if (there && read && there.dev === read.dev && there.ino === read.ino) {
    throw new UsageError(say`${path} is the input file, which is never overwritten.`, 'Name another file')
  }
  if (there?.isDirectory()) throw new UsageError(say`${path} is a folder.`, 'Name a file in it')
  if (there && isStream(path)) return
  if (there && !force) throw occupied(path)
  requireFolder(path)
}

/** Throws unless the file's folder is writable: the draft is created beside the file. */
function requireFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new UsageError(say`${path} can't be written: ${fileFault(error)}.`, 'Name another file')
  }
}

/**
 * Writes a file atomically, readable only by its owner. `write` fills a draft in a private folder beside the file.
 * Without `force`, a file that was created in the meantime is not replaced.
 */
export async function writeWhole(target: Target, write: (draft: Appendable) => Promise<void>): Promise<void> {
  requireWritable(target)
  const { path, force } = target
  try {
    if (isStream(path)) await fill(openToWrite(path), write)
    else await replace({ path, force }, write)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(say`${path} can't be written: ${fileFault(error)}.`, 'Make room, or name another file')
  }
}

async function replace({ path, force }: Target, write: (draft: Appendable) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(`${path}.tmp-${pid}-`)
  try {
    const draft = join(folder, basename(path))
    await fill(await open(draft, 'wx', 0o600), write)
    if (force) renameSync(draft, path)
    else placeNew(draft, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(file: Appendable, write: (draft: Appendable) => Promise<void>): Promise<void> {
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Links the draft to the path, which fails if the file exists. Renames the draft on a file system without links. */
function placeNew(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST' || statSync(path, { throwIfNoEntry: false })) throw occupied(path)
    renameSync(draft, path)
  }
}

const occupied = (path: string): UsageError => new UsageError(say`${path} is there already.`, { kind: 'replace_file' })
