import type { SettleTimes } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import type { Maintenance } from '../domain/maintenance.ts'
import { Refusal } from '../domain/refusal.ts'
import type { RegistryEntry } from '../domain/registry_entry.ts'
import { timeOf } from '../domain/time.ts'
import type { NewAccount } from '../store/accounts.ts'
import type { User } from '../store/users.ts'
import type { World } from '../worlds/world.ts'
import { type Entry, type Item, type ListName, Names } from './names.ts'
import type { Path, Problem } from './problems.ts'

/** Everything besides the seed itself that is needed to resolve it. */
export interface SeedContext {
  /** The machine's time, in epoch milliseconds. */
  readonly now: number
  /** Start time of worlds whose seed has none, in epoch milliseconds; undefined: the machine's time. */
  readonly startsAt: number | undefined
  /** Duration of a usual payment, by rail. */
  readonly settle: SettleTimes
  /** True if wrong check digits of IBANs are accepted. */
  readonly lenientIban: boolean
  /** The token of the emulator. */
  readonly token: string
  /** Ids of the OAuth clients that every world has. */
  readonly clientIds: readonly string[]
  /** True if other machines can reach the emulator: the emulator's secrets must then be strong. */
  readonly exposed: boolean
  /** The value of the emulator's option `fxSpread`. */
  readonly fxSpread: number | undefined
  /** The value of the emulator's option `maintenance`. */
  readonly maintenance: Partial<Maintenance>
}

/** `balance` is the available amount when the world starts, in minor units. */
export interface SeedAccount extends Required<NewAccount> {
  readonly seq: number
  readonly balance: number
  readonly owner: User
}

/** State while a seed is turned into rows: the rows so far, and the problems. */
export class Resolving {
  readonly context: SeedContext
  /** True if wrong check digits of IBANs are accepted. */
  readonly lenient: boolean
  /** Start of the world; `usual`: default for times before the start. Both are in epoch milliseconds. */
  readonly start: number
  readonly usual: number
  readonly problems: Problem[] = []
  readonly users = new Names<User>('user', this.problems)
  /** Numbers of the users whose creation time the file states. */
  readonly datedUsers = new Set<number>()
  readonly accounts = new Names<SeedAccount>('account', this.problems)
  /** By address. */
  readonly registry = new Map<string, RegistryEntry>()
  readonly #seen = new Set<string>()

  constructor(context: SeedContext, { start, usual }: { start: number; usual: number }) {
    this.context = context
    this.lenient = context.lenientIban
    this.start = start
    this.usual = usual
  }

  complain(path: Path, message: string): void {
    this.problems.push({ path, message })
  }

  /** Reports a value that occurs twice among values of one kind. */
  once(kind: string, value: string, path: Path): void {
    if (this.isRepeated(kind, value)) this.complain(path, `${value} is there twice`)
  }

  /** True if this method was called before with this value and kind. */
  isRepeated(kind: string, value: string): boolean {
    const key = `${kind} ${value}`
    const repeated = this.#seen.has(key)
    this.#seen.add(key)
    return repeated
  }

  accountByIban = (iban: string): SeedAccount | undefined => this.accounts.all.find((account) => account.iban === iban)

  /**
   * The owner of a phone, and the account that receives payments to the phone: the owner's oldest active account in
   * CRC.
   */
  holderOfPhone(phone: string): { owner: User | undefined; account: SeedAccount | undefined } {
    const owner = this.users.all.find((user) => user.phone === phone)
    const usable = ({ user, currency, status }: SeedAccount) =>
      user === owner?.seq && currency === 'CRC' && status === 'active'
    return { owner, account: owner && this.accounts.all.find(usable) }
  }

  /** Converts a time to epoch milliseconds; returns `otherwise` for a missing or invalid time. */
  time<Otherwise>(text: string | null | undefined, path: Path, otherwise: Otherwise): number | Otherwise {
    if (text === undefined || text === null) return otherwise
    const time = timeOf(text)
    if (time >= 0 && time <= endOfTime) return time
    this.complain(path, Number.isNaN(time) ? 'must be a time that exists' : 'must be a time in the years 1970 to 9998')
    return otherwise
  }

  /** Reports times of a payment that are not in order. */
  inOrder(times: readonly (number | null)[], path: Path): void {
    const given = times.filter((time) => time !== null)
    if (given.every((time, at) => at === 0 || (given[at - 1] ?? 0) <= time)) return
    this.complain(path, 'its times must be in this order: created, submitted, completed, the time of the clock')
  }

  /** Returns the result of `work`. If `work` throws a Refusal, reports it as problems of the fields. */
  attempt<Result>(path: Path, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      for (const [field, messages] of Object.entries(error.errors)) {
        for (const message of [messages].flat()) this.complain([...path, field], String(message))
      }
      return undefined
    }
  }
}

/** Ids of a world's users and accounts by seq: a seed refers to them by id. */
export interface IdsBySeq {
  readonly users: ReadonlyMap<number, string>
  readonly accounts: ReadonlyMap<number, string>
}

/** Codec for one kind of entry in a seed: reads entries to rows, and writes entries from a world. */
export interface ListCodec<List extends ListName, Row> {
  /** Reports problems. */
  read(entries: readonly Entry<Item<List>>[], resolving: Resolving): Row[]
  write(world: World, ids: IdsBySeq): Item<List>[]
}
