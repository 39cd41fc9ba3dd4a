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
  await writeFile(draft, `${JSON.stringify(ready)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

/** Emulators that run on this machine, newest first. Files left by dead ones are removed. */
export async function runningEmulators(stateDir: string): Promise<Ready[]> {
  const names = await readdir(folder(stateDir)).catch(noneIfMissing)
  const found = await Promise.all(
    names.filter((name) => /^\d+\.json$/.test(name)).map((name) => readLive(join(folder(stateDir), name))),
  )
  return found
    .filter((entry) => entry !== null)
    .sort((one, other) => other.since - one.since)
    .map(({ ready }) => ready)
}

async function readLive(file: string): Promise<{ ready: Ready; since: number } | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
    const ready = JSON.parse(text) as Ready
    if (isAlive(ready.pid)) return { ready, since: mtimeMs }
  } catch {
    // Gone since the listing, or not ours to read: as good as dead.
  }
  await rm(file, { force: true }).catch(() => {})
  return null
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
