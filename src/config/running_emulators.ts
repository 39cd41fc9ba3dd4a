import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kill } from 'node:process'

/** What an emulator announces once it answers; also the content of its state file. */
export interface Ready {
  readonly event: 'ready'
  readonly base_url: string
  readonly auth_url: string
  readonly token: string
  readonly client_id: string
  readonly client_secret: string
  readonly control_url: string
  readonly pid: number
  readonly version: string
}

const folder = (stateDir: string): string => join(stateDir, 'emulators')

/** Makes an emulator known to `--emulator`. Returns what makes it unknown again. */
export async function announce(stateDir: string, ready: Ready): Promise<() => Promise<void>> {
  const file = join(folder(stateDir), `${ready.pid}.json`)
  await mkdir(folder(stateDir), { recursive: true, mode: 0o700 })
  await writeReady(file, ready)
  return () => rm(file, { force: true })
}

/** Whole or not at all, readable by its owner only: it holds secrets. */
export async function writeReady(file: string, ready: Ready): Promise<void> {
  const draft = `${file}.${ready.pid}.tmp`
  try {
    await writeFile(draft, `${JSON.stringify(ready)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/** Emulators that run on this machine, newest first. Files left by dead ones are removed. */
export async function runningEmulators(stateDir: string): Promise<Ready[]> {
  const { running, stale } = await announcedEmulators(stateDir)
  await Promise.all(stale.map((file) => rm(file, { force: true }).catch(() => {})))
  return running
}

interface Announced {
  /** Newest first. */
  readonly running: Ready[]
  /** Files left by dead ones. */
  readonly stale: string[]
}

/** The same, and everything stays as it is. */
export async function announcedEmulators(stateDir: string): Promise<Announced> {
  const names = await readdir(folder(stateDir)).catch(noneIfMissing)
  const files = names.filter((name) => /^\d+\.json$/.test(name)).map((name) => join(folder(stateDir), name))
  const found = await Promise.all(files.map(async (file) => ({ file, live: await readLive(file) })))
  return {
    running: found
      .flatMap(({ live }) => live ?? [])
      .sort((one, other) => other.since - one.since)
      .map(({ ready }) => ready),
    stale: found.flatMap(({ file, live }) => (live ? [] : file)),
  }
}

async function readLive(file: string): Promise<{ ready: Ready; since: number } | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
    const ready = JSON.parse(text) as Ready
    return isAlive(ready.pid) ? { ready, since: mtimeMs } : null
  } catch {
    // Gone since the listing, or not ours to read: as good as dead.
    return null
  }
}

/** A process of another user answers EPERM: it lives. */
export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
