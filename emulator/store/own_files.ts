import { lstatSync, statSync } from 'node:fs'
import { geteuid } from 'node:process'
import { EmulatorRefusal } from '../options.ts'

// Another user who can write a file controls its content: SQLite would replay a planted log into the database, and
// removing files in a linked folder removes them elsewhere. Windows has neither modes nor user ids.

const writableByOthers = 0o002

/** Mode bit of a folder, such as /tmp, in which users can't remove or rename other users' files. */
const sticky = 0o1000

/**
 * Refuses a data file if `refuseForeign` refuses the file, one of its log files or its folder, or if a log file is a
 * link. Throws EmulatorRefusal.
 */
export function refuseForeignFile(path: string, folder: string): void {
  refuseForeign(folder, { mayBeSticky: true })
  for (const file of [path, ...besides.map((end) => `${path}${end}`)]) refuseForeign(file)
  for (const end of besides) refuseLink(`${path}${end}`)
}

/** Refuses a link, and a file that `refuseForeign` refuses. Throws EmulatorRefusal. */
export function refuseForeignOrLink(path: string): void {
  refuseLink(path)
  refuseForeign(path)
}

/** Suffixes of the files that SQLite writes next to a database. */
export const besides = ['-wal', '-shm', '-journal'] as const

function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new EmulatorRefusal(`${path} is a link.`, 'Remove the link, or replace it with its target.')
}

/**
 * Refuses a file or folder that belongs to another user, except root, or that all users can write. Throws
 * EmulatorRefusal.
 */
export function refuseForeign(path: string, { mayBeSticky = false } = {}): void {
  if (!geteuid) return
  for (const stat of [lstatSync(path, { throwIfNoEntry: false }), statSync(path, { throwIfNoEntry: false })]) {
    if (!stat) continue
    if (stat.uid !== 0 && stat.uid !== geteuid()) {
      throw new EmulatorRefusal(
        `${path} belongs to another user.`,
        'Name a file or folder that you own, or start the emulator as that user.',
      )
    }
    const isSafe = stat.isSymbolicLink() || (mayBeSticky && (stat.mode & sticky) !== 0)
    if (isSafe || (stat.mode & writableByOthers) === 0) continue
    throw new EmulatorRefusal(`Other users can write to ${path}.`, `Revoke that: chmod o-w ${path}`)
  }
}
