import { isUtf8 } from 'node:buffer'
import { type FileHandle, readFile, stat } from 'node:fs/promises'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { makeFolder, recentDeliveriesFile, webhooksFolder } from '../files/directories.ts'
import { fileFault } from '../files/file_fault.ts'
import { openToAppend } from '../files/open_private.ts'
import { replaceContent } from '../files/private_file.ts'
import { isPartOf, shortestIdPart } from '../values/text.ts'
import { type Delivery, type HeaderList, idOf } from './delivery.ts'
import { eventOf, factsOf } from './event.ts'

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

/** Appends deliveries to a file, one per line. Deliveries that arrive during a write share the next write. */
export class SavedFile {
  readonly #path: string
  readonly #file: FileHandle
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /**
   * Opens the file, and makes it private, because deliveries contain data on people and payments. Throws UsageError if
   * the file can't be opened.
   */
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

  /** True if the path no longer leads to this file, because another process has replaced or removed it. */
  async isReplaced(): Promise<boolean> {
    const [own, present] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => null)])
    return own.ino !== present?.ino || own.dev !== present.dev
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
        await this.#file.datasync().catch((error: NodeJS.ErrnoException) => {
          // Pipes and devices cannot be synced.
          if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
        })
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

const writeError = (path: string, error: unknown): CliError =>
  new CliError(
    'unavailable',
    `Deliveries can no longer be saved to ${path}: ${fileFault(error)}.`,
    'Make room and start the command again: payments that end in between are shown as recovered.',
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

/** Maximum number of bytes in the file of recent deliveries. */
const largestRecent = 4 * 1024 * 1024

/** Bytes of the newest deliveries, which remain when older deliveries are dropped. */
const newest = 2 * 1024 * 1024

/**
 * Opens the file of recent deliveries of all tails on this machine, readable only by its owner, so that users can
 * replay these deliveries. Write errors are ignored.
 */
export async function openRecent(stateDir: string): Promise<Pick<SavedFile, 'append' | 'close'>> {
  let file = trimmed(stateDir)
  let written = 0
  return {
    async append(delivery) {
      written += Buffer.byteLength(lineOf(delivery))
      const isFull = written > largestRecent - newest
      if (isFull) written = 0
      file = file.then(async (open) => {
        // Another tail drops older deliveries by replacing the file.
        if (!isFull && !(await open?.isReplaced())) return open
        await open?.close()
        return isFull ? trimmed(stateDir) : opened(stateDir)
      })
      const open = await file
      await open?.append(delivery).catch(() => {})
    },
    close: async () => (await file)?.close(),
  }
}

/** Drops older deliveries, and opens the file. */
async function trimmed(stateDir: string): Promise<SavedFile | undefined> {
  const file = recentDeliveriesFile(stateDir)
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size > newest) {
    const bytes = await readFile(file).catch(() => undefined)
    try {
      if (bytes) replaceContent(file, bytes.subarray(bytes.indexOf('\n', bytes.length - newest) + 1).toString())
    } catch {
      return undefined // an optional feature: the tail works without it
    }
  }
  return opened(stateDir)
}

async function opened(stateDir: string): Promise<SavedFile | undefined> {
  try {
    makeFolder(webhooksFolder(stateDir))
    return await SavedFile.open(recentDeliveriesFile(stateDir))
  } catch {
    return undefined
  }
}

/**
 * Finds the recent delivery that `which` selects: `last`, the delivery's id or the number in that id, or at least five
 * characters of the delivery's id or of its payment's id. Throws UsageError with the alternatives if `which` matches no
 * delivery or several.
 */
export async function recentDelivery(stateDir: string, which: string): Promise<Delivery> {
  const lines = (await readFile(recentDeliveriesFile(stateDir), 'utf8').catch(() => '')).split('\n')
  const deliveries = lines.flatMap(readable)
  const name = which.toLowerCase().replace(/^(\.{2,}|…)/, '')
  const found = name === 'last' ? deliveries.slice(-1) : deliveries.filter((delivery) => isNamed(delivery, name))
  const [delivery, ...others] = new Map(found.map((one) => [idOf(one) ?? one, one])).values()
  if (delivery === undefined) {
    throw new UsageError(
      which === 'last' ? 'This machine has no recent delivery.' : `No recent delivery is named ${which}.`,
      'Give the id of a delivery as printed, the end of the payment’s id, the word last, or a file that --save wrote',
    )
  }
  if (others.length === 0) return delivery
  const named = [delivery, ...others].slice(-8).map((one) => `${eventOf(one).event} ${idOf(one) ?? ''}`.trim())
  throw new UsageError(`${which} names ${others.length + 1} deliveries.`, `Name one by its id: ${named.join(', ')}`)
}

function isNamed(delivery: Delivery, which: string): boolean {
  const ids = [idOf(delivery), factsOf(eventOf(delivery)).id].flatMap((id) => id?.toLowerCase() ?? [])
  const whole = /^\d{1,12}$/.test(which) ? `whd_${which.padStart(12, '0')}` : which
  return ids.some((id) => id === whole || (which.length >= shortestIdPart && isPartOf(which, id)))
}

/** Skips a line that a crash has cut off. */
function readable(line: string): readonly Delivery[] {
  try {
    return line === '' ? [] : [deliveryIn(line)]
  } catch {
    return []
  }
}
