import type { Clock } from '../clock.ts'
import { Statements } from '../store/database.ts'
import { type Image, imageOf, openImage } from '../store/image.ts'
import { WorldSettings } from '../store/settings.ts'
import { type Store, storeIn } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import type { ClockMove, LoggedRequest, RequestLog } from './request_log.ts'

/** The parts of a world, or of a copy of a world, that stories and comparisons read. */
export interface RecordedWorld {
  readonly store: Store
  readonly settings: WorldSettings
  readonly clock: Pick<Clock, 'now'>
  readonly startedAt: number
  readonly requests: Pick<RequestLog, 'dropped' | 'moves'> & {
    list(filter?: { readonly since?: number }): readonly LoggedRequest[]
  }
}

/** A copy of a world that can be sent to a thread. Times are epoch milliseconds of the world's clock. */
export interface WorldCopy {
  readonly image: Image
  readonly now: number
  readonly startedAt: number
  readonly log: readonly LoggedRequest[]
  readonly dropped: number
  readonly moves: readonly ClockMove[]
}

/** Copies a world; all its writes must be committed. */
export const copyOf = ({ database, clock, startedAt, requests }: World): WorldCopy => ({
  image: imageOf(database.connection),
  now: clock.now(),
  startedAt,
  log: requests.list(),
  dropped: requests.dropped,
  moves: requests.moves,
})

/** Opens a copy in memory. */
export function openRecorded({ image, now, startedAt, log, dropped, moves }: WorldCopy): RecordedWorld {
  const statements = new Statements(openImage(Buffer.from(image.buffer, image.byteOffset, image.length)))
  const list: RecordedWorld['requests']['list'] = ({ since = 0 } = {}) => log.filter(({ number }) => number > since)
  return {
    store: storeIn(statements),
    settings: new WorldSettings(statements),
    clock: { now: () => now },
    startedAt,
    requests: { list, dropped, moves },
  }
}
