import { Refusal } from '../domain/refusal.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Quotas } from './teams_schema.ts'

const minute = 60_000
const day = 24 * 60 * minute
const mebibyte = 1024 * 1024

/**
 * Maximum number of control requests of a team that are under way at the same time, unless the teams file sets a limit.
 */
const usualCallsAtOnce = 100

/**
 * Milliseconds for which the measured size of a team's worlds is reused: measuring a thousand worlds takes about 5 ms.
 */
const measuredFor = 5000

/** A control request under way. */
interface Call {
  /** Hexadecimal digest of the caller's key. */
  readonly key: string
  /** True if the call sends or receives the file of a world, which is held in memory. */
  readonly hasFile: boolean
  /** Closes its connection. */
  readonly end: () => void
}

/** Use of an emulator by one team. Enforces the team's quotas, which may change between two calls. */
export class TeamUse {
  readonly #team: string
  readonly #worlds: Worlds
  readonly #quotas: () => Quotas
  /** Number of the minute in which requests are being counted. */
  #window = 0
  #requests = 0
  readonly #calls = new Set<Call>()
  #measured = { at: Number.NEGATIVE_INFINITY, bytes: 0 }

  constructor(team: string, worlds: Worlds, quotas: () => Quotas) {
    this.#team = team
    this.#worlds = worlds
    this.#quotas = quotas
  }

  /** Counts a request. Throws a Refusal with 429 if the team has sent too many requests in this minute. */
  countRequest(): void {
    const { requests_per_minute: most } = this.#quotas()
    if (most === undefined) return
    const now = this.#worlds.clock.now()
    const window = Math.floor(now / minute)
    if (window !== this.#window) {
      this.#window = window
      this.#requests = 0
    }
    this.#requests += 1
    if (this.#requests <= most) return
    const wait = Math.ceil(((window + 1) * minute - now) / 1000)
    throw tooMuch(`The team ${this.#team} has reached its limit for requests per minute: ${most}.`, wait)
  }

  /**
   * Adds a control request; returns a function that removes it. Throws a Refusal with 429 if too many control requests
   * are under way.
   */
  begin(call: Call): () => void {
    const { calls_at_once: most = usualCallsAtOnce } = this.#quotas()
    if (this.#calls.size >= most) {
      throw tooMuch(`The team ${this.#team} has reached its limit for control requests in progress: ${most}.`, 1)
    }
    if (call.hasFile && [...this.#calls].some(({ hasFile }) => hasFile)) {
      throw tooMuch(`The team ${this.#team} is importing or exporting another world.`, 1)
    }
    this.#calls.add(call)
    return () => this.#calls.delete(call)
  }

  /** Closes the connections of keys that were revoked. */
  endCalls(isValid: (key: string) => boolean): void {
    for (const { key, end } of this.#calls) if (!isValid(key)) end()
  }

  /** Refuses a write (429) while the team's worlds and snapshots exceed its size quota. */
  refuseWriteWhenFull(): void {
    const { mebibytes: most } = this.#quotas()
    if (most === undefined || this.bytes() <= most * mebibyte) return
    throw tooMuch(`${this.#fullOf(most)} Delete worlds or snapshots, or reset worlds.`, 60)
  }

  /** Refuses another world (409) if it, or its additional `bytes`, would exceed the quotas. */
  refuseWorld(bytes = 0): void {
    const { worlds: most } = this.#quotas()
    if (most !== undefined && this.#liveNames().filter(this.#owns).length >= most)
      throw full('worlds', this.#team, most)
    this.#refuseBytes(bytes)
  }

  /** Refuses another snapshot (409) if it, or its additional `bytes`, would exceed the quotas. */
  refuseSnapshot(bytes = 0): void {
    const { snapshots: most } = this.#quotas()
    if (most !== undefined && this.#worlds.snapshots.namesOf(this.#team).length >= most) {
      throw full('snapshots', this.#team, most)
    }
    this.#refuseBytes(bytes)
  }

  /** Refuses a file (409) that is larger than the size quota. */
  refuseFile(bytes: number): void {
    const { mebibytes: most } = this.#quotas()
    if (most === undefined || bytes <= most * mebibyte) return
    const limit = `the limit for all worlds and snapshots of the team ${this.#team} is ${most} MiB`
    throw new Refusal(409, { message: `The file has ${(bytes / mebibyte).toFixed(1)} MiB; ${limit}.` })
  }

  /** Refuses a snapshot (409) that is larger by `bytes` than the one that it replaces, if it would exceed the size quota. */
  refuseLarger(bytes: number): void {
    if (bytes > 0) this.#refuseBytes(bytes)
  }

  /** The allowed idle time of a world, in milliseconds; null: unlimited. */
  idleTime(asked: number | null): number | null {
    const { idle_days: days } = this.#quotas()
    return days === undefined ? asked : Math.min(asked ?? Number.POSITIVE_INFINITY, days * day)
  }

  /** Total size of the team's worlds and snapshots in bytes, measured at most `measuredFor` milliseconds ago. */
  bytes(): number {
    const { clock, snapshots } = this.#worlds
    const now = clock.now()
    if (Math.abs(now - this.#measured.at) < measuredFor) return this.#measured.bytes
    let bytes = 0
    for (const { name, world } of this.#worlds.all()) if (this.#owns(name)) bytes += world.database.size
    for (const { name, facts } of this.#worlds.closed()) if (this.#owns(name)) bytes += facts?.size ?? 0
    for (const name of snapshots.namesOf(this.#team)) bytes += snapshots.sizeOf(name)
    this.#measured = { at: now, bytes }
    return bytes
  }

  /** Makes the next call measure the size again. */
  measureAgain(): void {
    this.#measured = { at: Number.NEGATIVE_INFINITY, bytes: 0 }
  }

  #refuseBytes(more: number): void {
    const { mebibytes: most } = this.#quotas()
    if (most === undefined) return
    this.measureAgain()
    if (this.bytes() + more <= most * mebibyte) return
    throw new Refusal(409, { message: `${this.#fullOf(most)} Delete worlds or snapshots.` })
  }

  #fullOf(most: number): string {
    const used = (this.bytes() / mebibyte).toFixed(1)
    return `The worlds and snapshots of the team ${this.#team} use ${used} MiB; the limit is ${most} MiB.`
  }

  #owns = (name: string): boolean => this.#worlds.ownerOf(name) === this.#team
  #liveNames = () => [...this.#worlds.all(), ...this.#worlds.closed()].map(({ name }) => name)
}

const tooMuch = (why: string, seconds: number): Refusal =>
  new Refusal(429, { errors: { team: [why] }, headers: { 'Retry-After': String(seconds) } })

const full = (what: string, team: string, most: number): Refusal =>
  new Refusal(409, { message: `The team ${team} has reached its limit for ${what}: ${most}. Delete one` })
