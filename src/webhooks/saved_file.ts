import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { openToAppend } from '../files/open_private.ts'
import type { Delivery, HeaderList } from './delivery.ts'

/** A line in a file of deliveries. A body that is not UTF-8 is in base64. */
interface SavedDelivery {
  readonly received_at: string
  /** Values by name; a list if the name occurred more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly body_base64?: string
}

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Appends deliveries to a file, one per line. Deliveries that arrive during a write share the next one. */
export class SavedFile {
  readonly #path: string
  readonly #file: FileHandle
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /** Makes the file private, because deliveries contain data on people and payments. Throws UsageError. */
  static async open(path: string): Promise<SavedFile> {
    try {
      const file = await openToAppend(path)
      await endLastLine(file).catch(async (error) => {
        await file.close()
        throw error
      })
      return new SavedFile(path, file)
    } catch (error) {
      throw new UsageError(`Deliveries cannot be saved to ${path}: ${fileFault(error)}.`, 'Name another file.')
    }
  }

  /** Resolves when the delivery is on disk, in the order of the calls. Throws CliError, for example on a full disk. */
  append(delivery: Delivery): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: lineOf(delivery), resolve, reject })
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
        for (const { reject } of batch) reject(writeError(this.#path, error))
      }
    }
    this.#writing = undefined
  }
}

/** Ends a line that a crash has cut off. */
async function endLastLine(file: FileHandle): Promise<void> {
  const stat = await file.stat()
  if (!stat.isFile() || stat.size === 0) return
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: stat.size - 1 })
  if (buffer[0] !== 0x0a) await file.appendFile('\n')
}

/** Pipes and devices cannot be synced. */
function unlessNoDisk(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
}

const writeError = (path: string, error: unknown): CliError =>
  new CliError(
    'unavailable',
    `Deliveries cannot be saved to ${path} any more: ${fileFault(error)}.`,
    'Make room and start it again: payments that end in between are shown as recovered.',
  )

/** Serializes a delivery to a line of the file. */
export function lineOf({ receivedAt, headers, body }: Delivery): string {
  const values = Map.groupBy(headers, ([name]) => name)
  const named = [...values].map(([name, all]) => [name, all.length === 1 ? all[0]?.[1] : all.map(([, value]) => value)])
  const content = isUtf8(body) ? { body: body.toString() } : { body_base64: body.toString('base64') }
  return `${JSON.stringify({ received_at: receivedAt, headers: Object.fromEntries(named), ...content })}\n`
}

/** Parses a saved line. Throws an error with a short reason if it is not a delivery. */
export function deliveryIn(line: string): Delivery {
  const { received_at: receivedAt = '', headers = {}, body, body_base64: base64 } = objectIn(line)
  const text = typeof body === 'string' ? Buffer.from(body) : undefined
  const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined
  const content = text ?? bytes
  if (!content) throw new Error('it has no body')
  return { receivedAt: String(receivedAt), headers: headerList(headers), body: content }
}

function objectIn(line: string): Partial<SavedDelivery> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error('it is not JSON, or cut off')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not an object')
  return value as Partial<SavedDelivery>
}

function headerList(headers: SavedDelivery['headers']): HeaderList {
  const list = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)] as const),
  )
  const isWrong = ([name, value]: HeaderList[number]) =>
    !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  if (list.some(isWrong)) throw new Error('it has a header that HTTP cannot carry')
  return list
}
