import { lstatSync, statSync } from 'node:fs'
import { geteuid } from 'node:process'
import { EmulatorRefusal } from '../options.ts'

// What another user can write, another user decides: SQLite would play a planted log into the database, and a removal in
// a folder behind a link removes files elsewhere. Windows has neither modes nor ids of users.

const writableByOthers = 0o002

/** In such a folder, /tmp for example, others can't remove or rename a file that is not theirs. */
const sticky = 0o1000

/** Refuses a data file, a file of its log, or its folder if another user has it or can write it. Throws EmulatorRefusal. */
export function refuseForeignFile(path: string, folder: string): void {
  refuseForeign(folder, { mayBeSticky: true })
  for (const file of [path, ...besides.map((end) => `${path}${end}`)]) refuseForeign(file)
  for (const end of besides) refuseLink(`${path}${end}`)
}

/** Refuses a link, and what another user has or can write. Throws EmulatorRefusal. */
export function refuseForeignOrLink(path: string): void {
  refuseLink(path)
  refuseForeign(path)
}

/** What SQLite writes beside a database. */
export const besides = ['-wal', '-shm', '-journal'] as const

function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new EmulatorRefusal(`${path} is a link.`, 'Remove it, or put what it points to in its place.')
}

function refuseForeign(path: string, { mayBeSticky = false } = {}): void {
  if (!geteuid) return
  for (const stat of [lstatSync(path, { throwIfNoEntry: false }), statSync(path, { throwIfNoEntry: false })]) {
    if (!stat) continue
    if (stat.uid !== 0 && stat.uid !== geteuid()) {
      throw new EmulatorRefusal(
        `${path} belongs to another user.`,
        'Name one of yours, or start the emulator as that user.',
      )
    }
    const isSafe = stat.isSymbolicLink() || (mayBeSticky && (stat.mode & sticky) !== 0)
    if (isSafe || (stat.mode & writableByOthers) === 0) continue
    throw new EmulatorRefusal(`Other users can write ${path}.`, `Take that from them: chmod o-w ${path}`)
  }
}
