import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, webhooksFolder } from '../files/directories.ts'
import { replaceContent } from '../files/private_file.ts'
import { monotonicClock, setTimeout } from '../real_time.ts'
import { RecentSet } from '../run/recent.ts'

/** Maximum number of reported payments to remember: in memory, and on disk. */
const inMemory = 100_000
const onDisk = 5_000

/** Maximum number of unfinished payments to remember. */
const mostOpen = 1_000

/** Milliseconds between two writes. */
const pause = 250

interface Stored {
  readonly horizon: string
  readonly told: readonly string[]
  readonly open: readonly string[]
}

/** Payments whose outcome was reported to one user of one service, over all runs of `webhooks tail`. */
export class SeenPayments {
  /** All payments created up to this time are reported, except `open`. Empty before the first run. */
  horizon = ''
  /** Payments that had not ended, or were not reported, at the last comparison. */
  readonly open: RecentSet<string>
  readonly #reported: RecentSet<string>
  readonly #file: string
  #saving: Promise<void> = Promise.resolve()
  #isSaveDue = false
  #savedAt = Number.NEGATIVE_INFINITY

  private constructor(file: string, stored: Partial<Stored>) {
    this.#file = file
    this.horizon = stored.horizon ?? ''
    this.#reported = new RecentSet(inMemory, stored.told)
    this.open = new RecentSet(mostOpen, stored.open)
  }

  static async load(stateDir: string, { baseUrl, user }: { baseUrl: string; user: string }): Promise<SeenPayments> {
    const name = createHash('sha256').update(`${baseUrl}\n${user}`).digest('hex').slice(0, 16)
    const folder = webhooksFolder(stateDir)
    const file = join(folder, `seen-${name}.json`)
    try {
      makeFolder(folder)
    } catch {} // `save` fails then, too
    return new SeenPayments(file, await read(file))
  }

  isReported(payment: string): boolean {
    return this.#reported.has(payment)
  }

  markReported(payment: string): void {
    this.#reported.add(payment)
    this.open.delete(payment)
    this.#saveSoon()
  }

  markOpen(payment: string): void {
    if (this.#reported.has(payment)) return
    this.open.add(payment)
    this.#saveSoon()
  }

  /** Writes the file. Never rejects: after a failed write, payments may be shown twice. */
  save(): Promise<void> {
    this.#isSaveDue = false
    this.#savedAt = monotonicClock()
    const stored: Stored = { horizon: this.horizon, told: [...this.#reported].slice(-onDisk), open: [...this.open] }
    this.#saving = this.#saving.then(() => replaceContent(this.#file, `${JSON.stringify(stored)}\n`)).catch(() => {})
    return this.#saving
  }

  #saveSoon(): void {
    if (this.#isSaveDue) return
    this.#isSaveDue = true
    const wait = Math.max(0, this.#savedAt + pause - monotonicClock())
    setTimeout(() => this.#isSaveDue && this.save(), wait).unref()
  }
}

/** Reads the file; the result is empty if the file can't be read or its content has another form. */
async function read(file: string): Promise<Partial<Stored>> {
  try {
    const { horizon, told, open } = JSON.parse(await readFile(file, 'utf8')) as Stored
    const areIds = [told, open].every((ids) => Array.isArray(ids) && ids.every((id) => typeof id === 'string'))
    return areIds && typeof horizon === 'string' ? { horizon, told, open } : {}
  } catch {
    return {}
  }
}
