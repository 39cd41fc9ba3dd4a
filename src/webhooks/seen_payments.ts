import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceText } from '../files/private_file.ts'
import { Recent } from './recent.ts'
import { tailFolder } from './records.ts'

/** Payments told of that are kept in memory, and on disk. */
const inMemory = 100_000
const onDisk = 5_000

/** Payments whose end is waited for. */
export const mostOpen = 1_000

/** Milliseconds between two writes. */
const pause = 250

interface Stored {
  readonly horizon: string
  readonly told: readonly string[]
  readonly open: readonly string[]
}

/**
 * Which payments' ends have been told, over the runs of tail against one service as one user. `horizon` is the
 * creation time up to which everything is settled but what is `open`.
 */
export class TailMemory {
  horizon = ''
  readonly open: Recent
  readonly #told: Recent
  readonly #file: string
  #saving: Promise<void> = Promise.resolve()
  #due = false
  #savedAt = 0

  private constructor(file: string, stored: Partial<Stored>) {
    this.#file = file
    this.horizon = stored.horizon ?? ''
    this.#told = new Recent(inMemory, stored.told)
    this.open = new Recent(mostOpen, stored.open)
  }

  static async load(stateDir: string, { baseUrl, user }: { baseUrl: string; user: string }): Promise<TailMemory> {
    const name = createHash('sha256').update(`${baseUrl}\n${user}`).digest('hex').slice(0, 16)
    const file = join(tailFolder(stateDir), `seen-${name}.json`)
    await mkdir(tailFolder(stateDir), { recursive: true, mode: 0o700 }).catch(() => {})
    return new TailMemory(file, await read(file))
  }

  isTold(payment: string): boolean {
    return this.#told.has(payment)
  }

  tell(payment: string): void {
    this.#told.add(payment)
    this.open.delete(payment)
    this.#saveSoon()
  }

  await(payment: string): void {
    if (this.#told.has(payment)) return
    this.open.add(payment)
    this.#saveSoon()
  }

  /** Best effort: without it a payment may be shown a second time. */
  save(): Promise<void> {
    this.#due = false
    this.#savedAt = Date.now()
    const stored: Stored = { horizon: this.horizon, told: this.#told.last(onDisk), open: this.open.last(mostOpen) }
    this.#saving = this.#saving.then(() => replaceText(this.#file, `${JSON.stringify(stored)}\n`)).catch(() => {})
    return this.#saving
  }

  #saveSoon(): void {
    if (this.#due) return
    this.#due = true
    const wait = Math.max(0, this.#savedAt + pause - Date.now())
    setTimeout(() => this.#due && this.save(), wait).unref()
  }
}

/** A file that cannot be read, or is another version's, is as good as none. */
async function read(file: string): Promise<Partial<Stored>> {
  try {
    const { horizon, told, open } = JSON.parse(await readFile(file, 'utf8')) as Stored
    const areIds = [told, open].every((ids) => Array.isArray(ids) && ids.every((id) => typeof id === 'string'))
    return areIds && typeof horizon === 'string' ? { horizon, told, open } : {}
  } catch {
    return {}
  }
}
