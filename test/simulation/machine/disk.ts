import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// Files of a database as they are when its process dies or the power fails: nothing closes the database.

/**
 * The database and SQLite's files next to it, by suffix. `-shm` is memory that processes share, so SQLite creates it
 * again.
 */
export type Files = ReadonlyMap<string, Buffer>

const ends = ['', '-wal', '-journal']

export function filesAt(path: string): Files {
  const there = ends.filter((end) => existsSync(path + end))
  return new Map(there.map((end) => [end, readFileSync(path + end)]))
}

/** Restores files; no process may have the database open. */
export function putFiles(path: string, files: Files): void {
  for (const end of [...ends, '-shm']) rmSync(path + end, { force: true })
  for (const [end, bytes] of files) writeFileSync(path + end, bytes, { mode: 0o600 })
}

/**
 * The files if only a share of the writes between two moments reached the disk. SQLite writes a write-ahead log from
 * front to back, and the database itself only after the log.
 */
export function writtenInPart(before: Files, after: Files, share: number): Files {
  const [old, now] = [before.get('-wal'), after.get('-wal')]
  if (!old || !now) return before
  const same = (at: number) => old[at] === now[at]
  let from = 0
  while (from < now.length && same(from)) from += 1
  let end = Math.max(old.length, now.length)
  while (end > from && same(end - 1)) end -= 1
  const cut = from + Math.floor(share * (Math.min(end, now.length) - from))
  return new Map(before).set('-wal', Buffer.concat([now.subarray(0, cut), old.subarray(cut)]))
}

export const isSame = (one: Files, other: Files): boolean =>
  ends.every((end) => (one.get(end) ?? empty).equals(other.get(end) ?? empty))

const empty = Buffer.alloc(0)
