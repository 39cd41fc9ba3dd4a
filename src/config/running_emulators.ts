import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { makeFolder } from '../files/directories.ts'
import { fileFault } from '../files/file_fault.ts'
import { isStream, removeDrafts, replaceContent } from '../files/private_file.ts'
import { isAlive, isRunning, startOf } from '../run/processes.ts'
import { say } from '../words/text.ts'

/** Announcement of an emulator that answers requests. */
export interface Ready {
  readonly event: 'ready'
  readonly base_url: string
  readonly auth_url: string
  readonly token: string
  readonly client_id: string
  readonly client_secret: string
  readonly control_url: string
  /** URL on this machine; the announcement's other URLs start with the value of --public-url, if that flag is set. */
  readonly local_url: string
  /** Address that the emulator listens on. */
  readonly host: string
  readonly pid: number
  readonly version: string
  /** Value of `emulate --name`. */
  readonly name?: string
  /** Id of the world at the start; a reset starts another world. */
  readonly world: string
  /** Id of the user that the token belongs to. */
  readonly user_id: string
  /** The user's accounts at the start, oldest first. */
  readonly accounts: readonly { readonly id: string; readonly iban: string; readonly currency: string }[]
}

/**
 * Content of the file that announces an emulator. All URLs in the file are local. The secret lets the emulator prove
 * its identity.
 */
export interface Announcement extends Ready {
  readonly identity_secret: string
  /** An ISO time. */
  readonly since: string
  /** Start of the process, as `startOf` returns it: distinguishes the process from a later process with the same id. */
  readonly process_start: string | null
}

/** Folder of announcements and logs: an emulator has a log if it outlives the command that started it. */
const emulatorsFolder = (stateDir: string): string => join(stateDir, 'emulators')

/** Makes the folder unless it exists. Throws UsageError if it can't be made. */
export function makeEmulatorsFolder(stateDir: string): string {
  const folder = emulatorsFolder(stateDir)
  try {
    makeFolder(folder)
  } catch (error) {
    throw new UsageError(say`The folder ${folder} can't be made: ${fileFault(error)}.`, elsewhere)
  }
  return folder
}

const elsewhere = 'Let this user write there, or set PAYCTL_STATE_DIR to another directory'

/**
 * Announces an emulator, so that `--emulator` finds it, and removes the files of dead emulators. Returns a function
 * that withdraws the announcement.
 */
export function announce(stateDir: string, ready: Omit<Announcement, 'since' | 'process_start'>): () => void {
  const file = join(emulatorsFolder(stateDir), `${ready.pid}.json`)
  makeEmulatorsFolder(stateDir)
  runningEmulators(stateDir)
  const announcement: Announcement = { since: new Date().toISOString(), process_start: startOf(ready.pid), ...ready }
  return writeReady(file, announcement)
}

/**
 * Writes the whole file, readable only by its owner because it holds secrets. Returns a function that removes the file,
 * unless the file is a stream or another emulator has replaced it.
 */
export function writeReady(file: string, ready: Ready): () => void {
  const text = `${JSON.stringify(ready)}\n`
  replaceContent(file, text)
  return () => {
    try {
      if (!isStream(file) && readFileSync(file, 'utf8') === text) rmSync(file)
    } catch {} // already gone, or the folder has become read-only
  }
}

/**
 * Finds emulators that run on this machine, newest first. Removes the files of killed emulators; other emulators remove
 * their own files.
 */
export function runningEmulators(stateDir: string): Announcement[] {
  const { running, stale } = announcedEmulators(stateDir)
  for (const file of stale) {
    removeIfPossible(file)
    // Removes the log even if another process has this id by now.
    removeIfPossible(file.replace(/json$/, 'log'))
  }
  removeDrafts(emulatorsFolder(stateDir))
  removeOldLogs(stateDir)
  return running
}

function removeOldLogs(stateDir: string): void {
  for (const name of namesIn(emulatorsFolder(stateDir))) {
    const owner = /^(\d+)(\.starting)?\.log$/.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) removeIfPossible(join(emulatorsFolder(stateDir), name))
  }
}

/** Lists running emulators, newest first, and the files of dead emulators. Removes nothing. */
export function announcedEmulators(stateDir: string): { readonly running: Announcement[]; readonly stale: string[] } {
  const files = namesIn(emulatorsFolder(stateDir))
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => join(emulatorsFolder(stateDir), name))
  const found = files.map((file) => ({ file, live: readLive(file) }))
  return {
    running: found
      .flatMap(({ live }) => live ?? [])
      .sort((one, other) => other.since - one.since)
      .map(({ ready }) => ready),
    stale: found.flatMap(({ file, live }) => (live ? [] : file)),
  }
}

function readLive(file: string): { ready: Announcement; since: number } | null {
  try {
    const ready = JSON.parse(readFileSync(file, 'utf8')) as Announcement
    return isRunning(ready.pid, ready.process_start ?? null) ? { ready, since: statSync(file).mtimeMs } : null
  } catch {
    // A file that was removed after the listing, or that can't be read, counts as dead.
    return null
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new UsageError(say`${directory} can't be read: ${fileFault(error)}.`, elsewhere)
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {} // the file stays in a folder that is read-only or belongs to another user
}
