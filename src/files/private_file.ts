import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pid } from 'node:process'
import { isAlive } from '../run/processes.ts'

// Files that only their owner can read, even in a folder that others can write to.

/**
 * Replaces the file's content atomically, even if the machine stops. `write` creates the draft at the path that it
 * receives, in a new private folder. If `file` is a link, it is replaced, not followed. Throws the file system's error.
 */
export function replaceFile(file: string, write: (draft: string) => void): void {
  const folder = mkdtempSync(`${file}.tmp-${pid}-`)
  try {
    const draft = join(folder, basename(file))
    write(draft)
    syncToDisk(draft, 'r+')
    renameSync(draft, file)
    syncFolder(dirname(file))
  } finally {
    removeIfPossible(folder)
  }
}

export const replaceText = (file: string, text: string): void =>
  replaceFile(file, (draft) => writeFileSync(draft, text, { mode: 0o600 }))

function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Syncs the rename to disk: without this, a crash could bring the old content back. Windows can't open folders, and
 * some file systems can't sync them.
 */
function syncFolder(path: string): void {
  try {
    syncToDisk(path, 'r')
  } catch {}
}

/** Name of a draft's folder; the name contains the id of the process that writes the draft. */
const draftName = /\.tmp-(\d+)-\w{6}$/

export const isDraft = (name: string): boolean => draftName.test(name)

/** Removes the drafts of killed processes from a folder that only payctl uses. */
export function removeDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = draftName.exec(name)?.[1]
    if (writer !== undefined && !isAlive(Number(writer))) removeIfPossible(join(folder, name))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the folder is missing or belongs to another user
  }
}

function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {} // a draft that can't be removed does no harm
}
