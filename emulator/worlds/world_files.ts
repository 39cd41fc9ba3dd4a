import { existsSync, statSync } from 'node:fs'
import { defaultWorld } from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Tally } from '../observation/tally.ts'
import { EmulatorRefusal } from '../options.ts'
import { earliest, type Scheduler, type Work } from '../scheduler.ts'
import type { ClosedFacts, ClosedWorld, ClosedWorlds } from '../store/closed_worlds.ts'
import { UnusableFileRefusal } from '../store/data_file.ts'
import { refuseForeignOrLink } from '../store/own_files.ts'
import { isOwn } from '../store/tokens.ts'
import type { WorldFolder } from '../store/world_folder.ts'
import type { PendingFaults } from '../webhooks/delivery_faults.ts'
import { type LiveWorld, type Mutable, revisionOf } from './live_world.ts'
import type { World } from './world.ts'
import type { WorldMaker } from './world_maker.ts'
import type { WorldOptions } from './world_options.ts'

/** Idle time after which the file of a world is closed, in milliseconds. */
const idleMs = 60_000

/** Advice for a file that is not a world's file, in a situation in which the caller can't name another file. */
const replaceIt = 'Replace the file (the next request opens it again), or remove the file to end the world.'

/** Pause before due work is tried again, in milliseconds, while all open worlds are in use. */
const fullPause = 1000

/**
 * Maximum number of worlds that are closed, and of worlds that are opened, in one turn of the event loop, not counting
 * worlds that requests need.
 */
const filesInTurn = 2

/** Maximum number of token digests that are stored for a closed world. */
const mostDigests = 50

/** Facts that are kept while a world is closed, besides those in its file. */
export interface KnownOfClosed extends Pick<LiveWorld, 'made'>, Partial<Pick<LiveWorld, 'usedAt' | 'requests'>> {
  /** Revision of the world's tables; null: not known. */
  readonly revision: string | null
}

interface Dependencies {
  readonly folder: WorldFolder
  readonly closed: ClosedWorlds
  /** Open worlds by name. */
  readonly live: Map<string, LiveWorld>
  readonly maker: WorldMaker
  /** The machine's clock. */
  readonly clock: Clock
  readonly saveEvidence: Tally['saveEvidence']
  readonly options: WorldOptions
  /** Runs this work. */
  readonly scheduler: Scheduler
  /** Adds a world that was just opened to the open worlds. */
  readonly opened: (name: string, world: World, known: KnownOfClosed) => LiveWorld
}

/**
 * Opens the file of a world at its first request, or when its work is due, and closes it when nobody uses the world. As
 * scheduled work, it closes idle worlds and opens worlds whose work is due.
 */
export class WorldFiles implements Work {
  readonly closed: ClosedWorlds
  readonly #deps: Dependencies
  /** Worlds that callers have looked up in this turn of the event loop, and may still use. */
  readonly #found = new Set<LiveWorld>()
  /** By name: the worlds whose files this process has closed, with the faults that their deliveries still await. */
  readonly #closedHere = new Map<string, PendingFaults | null>()
  /** Time before which no due work opens a file, because all open worlds are in use; in epoch milliseconds. */
  #fullUntil = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.closed = deps.closed
  }

  /**
   * Opens the file of a world; returns undefined if no world has this name. Throws a Refusal with 503 if the file can't
   * be opened, or if too many other worlds are in use.
   */
  open(name: string): LiveWorld | undefined {
    const closed = this.closed.get(name)
    if (!closed) return undefined
    const { folder, maker, opened, options } = this.#deps
    const { made, facts } = closed
    const file = folder.fileOf(name)
    if (!existsSync(file)) {
      this.closed.remove(name)
      folder.setOrigin(name, null)
      return undefined
    }
    this.makeRoom()
    let world: World
    let isUnchanged: boolean
    try {
      refuseForeignOrLink(file)
      isUnchanged = facts !== null && isAsClosed(file, facts)
      world = maker.reopen(file, name, { isAsClosed: isUnchanged, isOurs: isUnchanged && this.#closedHere.has(name) })
    } catch (error) {
      throw this.#refusalFor(closed, error)
    }
    const pending = this.#closedHere.get(name)
    if (isUnchanged && pending) world.deliveryFaults.resume(pending)
    this.#closedHere.delete(name)
    try {
      this.closed.remove(name)
    } catch (error) {
      options.onFault(error)
    }
    options.counters.files.opened += 1
    options.onWorld({ change: 'opened', world: name, worldId: world.id })
    const revision = (isUnchanged && facts?.revision) || null
    return opened(name, world, { made, revision, ...(facts && { usedAt: facts.usedAt, requests: facts.requests }) })
  }

  /** Revision of a closed world's tables; null: not known, because the file may have changed. */
  revisionOf({ name, facts }: ClosedWorld): string | null {
    const file = this.#deps.folder.fileOf(name)
    return (facts !== null && existsSync(file) && isAsClosed(file, facts) && facts.revision) || null
  }

  /**
   * If the maximum number of worlds is open, closes the world that has been idle for longest. Throws a Refusal with 503
   * if all open worlds are in use.
   */
  makeRoom(): void {
    const { live, options } = this.#deps
    if (live.size < options.openWorlds) return
    let oldest: LiveWorld | undefined
    for (const each of live.values()) {
      const isOlder = !oldest || each.keptOpenAt < oldest.keptOpenAt
      if (isOlder && mayClose(each) && !this.#found.has(each)) oldest = each
    }
    if (!oldest) {
      const message = `${live.size} worlds are open, which is the limit, and all are in use. Try again`
      throw new Refusal(503, { message, headers: { 'Retry-After': '1' } })
    }
    this.#close(oldest)
  }

  /** Keeps a world open for the rest of this turn of the event loop. */
  found(live: Mutable<LiveWorld>): void {
    live.keptOpenAt = this.#deps.clock.now()
    if (this.#found.size === 0) setImmediate(() => this.#found.clear())
    this.#found.add(live)
  }

  /** Schedules the next check for the time at which this world, which was just opened, may be idle. */
  wakeFor({ keptOpenAt }: LiveWorld): void {
    this.#deps.scheduler.wake(keptOpenAt + idleMs)
  }

  nextDue(): number | null {
    const idle = [...this.#deps.live.values()].filter(mayClose)
    const due = this.closed.nextDue()
    return earliest([
      due === null ? null : Math.max(due, this.#fullUntil),
      ...idle.map(({ keptOpenAt }) => keptOpenAt + idleMs),
    ])
  }

  runDue(now: number): void {
    for (const live of this.#idleAt(now)) this.#close(live)
    // The worlds that are in use now may be idle at the next check.
    if (this.#deps.live.size > 1) this.#deps.scheduler.wake(now + idleMs)
    for (const name of now < this.#fullUntil ? [] : this.closed.due(now, filesInTurn)) {
      try {
        this.open(name)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        // If the file of a world can't be opened, the world now has a later due time. If this world is still due, no
        // more worlds can be opened.
        if (this.closed.due(now, 1).includes(name)) this.#fullUntil = now + fullPause
      }
    }
  }

  /** Saves the facts of all open worlds, which are about to be closed. */
  close(): void {
    const open = [...this.#deps.live.values()].filter(({ name }) => name !== defaultWorld)
    try {
      this.closed.addAll(open.map((live) => ({ name: live.name, made: live.made, facts: this.#factsOf(live) })))
    } catch (error) {
      // If this fails, the next process opens these worlds after its start, because their facts are missing.
      this.#deps.options.onFault(error)
    }
    this.closed.close()
  }

  /**
   * Worlds that have been idle for long enough to be closed, a few at a time. A world whose next work is due soon stays
   * open.
   */
  #idleAt(now: number): readonly LiveWorld[] {
    const idle: LiveWorld[] = []
    for (const live of this.#deps.live.values()) {
      if (idle.length === filesInTurn) break
      if (!mayClose(live) || live.keptOpenAt + idleMs > now) continue
      const { due } = this.#factsOf(live)
      if (due !== null && due < now + idleMs) (live as Mutable<LiveWorld>).keptOpenAt = now
      else idle.push(live)
    }
    return idle
  }

  #close(live: LiveWorld): void {
    const { folder, saveEvidence, options, scheduler } = this.#deps
    const { name, made, world } = live
    const facts = this.#factsOf(live)
    saveEvidence(name, world)
    this.#deps.live.delete(name)
    this.#closedHere.set(name, world.deliveryFaults.pending)
    scheduler.wake(facts.due)
    options.counters.files.closed += 1
    options.onWorld({ change: 'closed', world: name, worldId: world.id })
    try {
      world.closeNow()
    } catch (error) {
      options.onFault(error)
    }
    try {
      this.closed.add(name, made, { ...facts, file: stampOf(folder.fileOf(name)) })
    } catch (error) {
      options.onFault(error)
    }
  }

  #factsOf(live: LiveWorld): ClosedFacts {
    const { name, world, madeFrom, forkedFrom, rngStream, createdAt, usedAt, ttl, requests } = live
    const { clock, folder, options } = this.#deps
    const step = world.scheduler.wakesAt
    const wait = step === null ? Number.POSITIVE_INFINITY : world.clock.until(step)
    const expiry = ttl === null ? Number.POSITIVE_INFINITY : usedAt + ttl
    const due = Math.min(clock.now() + wait, expiry)
    return {
      ...{ id: world.id, madeFrom, forkedFrom, rngStream, createdAt, usedAt, ttl, requests },
      size: world.database.size,
      ...(options.owner && { tokens: digestsOfTokens(world) }),
      series: world.settings.get('series'),
      revision: revisionOf(live),
      origin: folder.originOf(name),
      due: due === Number.POSITIVE_INFINITY ? null : due,
      file: null,
    }
  }

  #refusalFor({ name, broken }: ClosedWorld, error: unknown): unknown {
    if (!(error instanceof EmulatorRefusal)) return error
    const { clock, options } = this.#deps
    const { message: problem } = error
    const remedy = error instanceof UnusableFileRefusal ? replaceIt : error.hint
    this.closed.failed(name, { problem, remedy }, clock.now())
    options.counters.files.refused += 1
    if (broken?.problem !== problem) options.onNotice(`The world ${name} can’t be opened. ${problem} ${remedy}`)
    return new Refusal(503, { message: `World ${name} can’t be opened. ${problem} ${remedy}` })
  }
}

/**
 * True if the file of a world can be closed, because nobody uses the world. A strict world, and a world with fault
 * rules, its own chaos or limit of moments, a changed rate limit, changed receivers or its own port, stays open: closing
 * it would lose them.
 */
const mayClose = ({ name, world, busy, answering, port, strict }: LiveWorld): boolean =>
  name !== defaultWorld &&
  !strict &&
  (world.chaos?.draws(world.options.chaos) ?? world.options.chaos === null) &&
  busy === 0 &&
  answering === 0 &&
  port === undefined &&
  world.database.settled === null &&
  !world.outbox.sending &&
  world.faults.list().length === 0 &&
  !world.rateLimits.isSet &&
  world.moments.limit === world.options.momentLimit &&
  !world.receivers.areSet

/** Hexadecimal digests of the tokens that belong to a world; undefined if there are more than can be stored. */
export function digestsOfTokens({ store }: World): readonly string[] | undefined {
  const own = store.tokenRecords
    .secrets()
    .filter(({ authorization: client, revoked_at }) => isOwn({ client, revoked_at }))
  return own.length > mostDigests ? undefined : own.map(({ hash }) => hash.toString('hex'))
}

/** Size of a file in bytes, and time of its last write in epoch milliseconds. */
function stampOf(file: string): NonNullable<ClosedFacts['file']> {
  const { size, mtimeMs } = statSync(file)
  return { size, mtime: mtimeMs }
}

/**
 * True if the file has not been written since the emulator closed it: its content then needs no second check.
 */
function isAsClosed(path: string, { file }: ClosedFacts): boolean {
  const now = stampOf(path)
  return file !== null && now.size === file.size && now.mtime === file.mtime
}
