import type { FileHandle } from 'node:fs/promises'
import { openToAppend } from '../files/private_file.ts'
import type { Delivery } from './delivery.ts'
import { toLine } from './saved_delivery.ts'

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Appends deliveries to a file, a line each. What comes while one write is on its way to the disk shares the next. */
export class SavedFile {
  readonly #file: FileHandle
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Only its owner can read the file: deliveries name people and what they pay. */
  static async open(path: string): Promise<SavedFile> {
    const file = await openToAppend(path)
    try {
      const stat = await file.stat()
      if (stat.isFile() && stat.size > 0) await endLine(file, stat.size)
      return new SavedFile(file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Resolves when the delivery is on the disk; in the order of the calls. */
  append(delivery: Delivery): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: toLine(delivery), resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        await this.#file.appendFile(batch.map(({ line }) => line).join(''))
        await this.#file.datasync().catch(unlessNoDisk)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = undefined
  }
}

/** A line that a crash has cut off must not take the next one with it. */
async function endLine(file: FileHandle, size: number): Promise<void> {
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 })
  if (buffer[0] !== 0x0a) await file.appendFile('\n')
}

/** Pipes and devices have nothing to sync. */
function unlessNoDisk(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
}
