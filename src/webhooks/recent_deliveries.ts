import { mkdir, readFile, stat } from 'node:fs/promises'
import { UsageError } from '../errors/cli_error.ts'
import { recentDeliveriesFile, webhooksFolder } from '../files/directories.ts'
import { replaceText } from '../files/private_file.ts'
import { isPartOf } from '../values/text.ts'
import { type Delivery, idOf } from './delivery.ts'
import { eventOf, factsOf } from './event.ts'
import { deliveryIn, lineOf, SavedFile } from './saved_file.ts'

/** Maximum number of bytes in the file, and bytes of the newest deliveries that stay when older ones are dropped. */
const [largest, kept] = [4 * 1024 * 1024, 2 * 1024 * 1024]

type Recent = Pick<SavedFile, 'append' | 'close'>

/**
 * Recent deliveries of all tails on this machine, readable only by their owner, to send one again. Write errors are
 * ignored.
 */
export async function openRecent(stateDir: string): Promise<Recent> {
  let file = opened(stateDir)
  let written = 0
  return {
    async append(delivery) {
      written += Buffer.byteLength(lineOf(delivery))
      if (written > largest - kept) {
        written = 0
        file = file.then(async (full) => {
          await full?.close()
          return opened(stateDir)
        })
      }
      const open = await file
      await open?.append(delivery).catch(() => {})
    },
    close: async () => (await file)?.close(),
  }
}

async function opened(stateDir: string): Promise<SavedFile | undefined> {
  const file = recentDeliveriesFile(stateDir)
  try {
    await mkdir(webhooksFolder(stateDir), { recursive: true, mode: 0o700 })
    const { size } = await stat(file).catch(() => ({ size: 0 }))
    if (size > kept) {
      const bytes = await readFile(file)
      replaceText(file, bytes.subarray(bytes.indexOf('\n', bytes.length - kept) + 1).toString())
    }
    return await SavedFile.open(file)
  } catch {
    return undefined // an optional feature: the tail works without it
  }
}

/**
 * The recent delivery that `which` selects: `last`, its id or the number in it, or at least five characters of its id
 * or its payment's id. Throws UsageError with the alternatives if it matches none or several.
 */
export async function recentDelivery(stateDir: string, which: string): Promise<Delivery> {
  const lines = (await readFile(recentDeliveriesFile(stateDir), 'utf8').catch(() => '')).split('\n')
  const deliveries = lines.flatMap(readable)
  const name = which.toLowerCase().replace(/^(\.{2,}|…)/, '')
  const found = name === 'last' ? deliveries.slice(-1) : deliveries.filter((delivery) => isNamed(delivery, name))
  const [delivery, ...others] = new Map(found.map((one) => [idOf(one) ?? one, one])).values()
  if (delivery === undefined) {
    throw new UsageError(
      `No recent delivery is ${which === 'last' ? 'on this machine' : `named ${which}`}.`,
      'Give the id of a delivery as it was printed, the end of its payment’s id, or last; or a file that --save wrote',
    )
  }
  if (others.length === 0) return delivery
  const named = [delivery, ...others].slice(-8).map((one) => `${eventOf(one).event} ${idOf(one) ?? ''}`.trim())
  throw new UsageError(`${which} names ${others.length + 1} deliveries.`, `Name one by its id: ${named.join(', ')}`)
}

const shortestPart = 5

function isNamed(delivery: Delivery, which: string): boolean {
  const ids = [idOf(delivery), factsOf(eventOf(delivery)).id].flatMap((id) => id?.toLowerCase() ?? [])
  const whole = /^\d{1,12}$/.test(which) ? `whd_${which.padStart(12, '0')}` : which
  return ids.some((id) => id === whole || (which.length >= shortestPart && isPartOf(which, id)))
}

/** Skips a line that a crash has cut off. */
function readable(line: string): readonly Delivery[] {
  try {
    return line === '' ? [] : [deliveryIn(line)]
  } catch {
    return []
  }
}
