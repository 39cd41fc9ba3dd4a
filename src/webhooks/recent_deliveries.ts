import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { webhooksFolder } from '../files/directories.ts'
import { replaceText } from '../files/private_file.ts'
import { type Delivery, idOf } from './delivery.ts'
import { eventOf, factsOf } from './event.ts'
import { deliveryIn, SavedFile } from './saved_file.ts'

/** Bytes from which the older half of the file is dropped. */
const largest = 4 * 1024 * 1024

const fileIn = (stateDir: string): string => join(webhooksFolder(stateDir), 'recent.ndjson')

/** The last deliveries of all tails of this machine, to send one again: for its owner only. What can't be written is left out. */
export async function openRecent(stateDir: string): Promise<Pick<SavedFile, 'append' | 'close'>> {
  const file = await opened(fileIn(stateDir), stateDir)
  return {
    append: async (delivery) => file?.append(delivery).catch(() => {}),
    close: async () => file?.close(),
  }
}

async function opened(file: string, stateDir: string): Promise<SavedFile | undefined> {
  try {
    await mkdir(webhooksFolder(stateDir), { recursive: true, mode: 0o700 })
    const { size } = await stat(file).catch(() => ({ size: 0 }))
    if (size > largest) {
      const text = await readFile(file, 'utf8')
      replaceText(file, text.slice(text.indexOf('\n', text.length / 2) + 1))
    }
    return await SavedFile.open(file)
  } catch {
    return undefined // a convenience: a tail goes on without it
  }
}

/**
 * The one delivery that `which` names: `last`, its id, the end of its payment's id, or a part of either of five
 * characters. Throws UsageError with what there is if it is none, or several.
 */
export async function recentDelivery(stateDir: string, which: string): Promise<Delivery> {
  const lines = (await readFile(fileIn(stateDir), 'utf8').catch(() => '')).split('\n')
  const deliveries = lines.flatMap(readable)
  const found = which === 'last' ? deliveries.slice(-1) : deliveries.filter((delivery) => isNamed(delivery, which))
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
  const ids = [idOf(delivery), factsOf(eventOf(delivery)).id].filter((id) => id !== null)
  return ids.some(
    (id) => id === which || (which.length >= shortestPart && (id.endsWith(which) || id.startsWith(which))),
  )
}

/** Nothing for a line that a crash has cut off. */
function readable(line: string): readonly Delivery[] {
  try {
    return line === '' ? [] : [deliveryIn(line)]
  } catch {
    return []
  }
}
