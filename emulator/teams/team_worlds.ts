import { randomUUID } from 'node:crypto'
import { worldNamePattern } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { counted } from '../store/closed_worlds.ts'
import type { NewWorld } from '../worlds/live_world.ts'
import type { NewSnapshot } from '../worlds/snapshots.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { TeamUse } from './quotas.ts'

interface View {
  readonly worlds: Worlds
  /** Null for a caller without a key; such a caller can see no world. */
  readonly team: string | null
  readonly use: TeamUse | null
  /** The world that the request reached, which may be the decoy. */
  readonly reached: string
  /** Called with the name of each world that the request made. */
  readonly onMade: (name: string) => void
}

/**
 * The worlds of one team. Their names begin with the team's name, which is added where it is missing. A team therefore
 * can't name a world of another team: in team `a`, `b.shop` means `a.b.shop`.
 */
export class TeamWorlds implements VisibleWorlds {
  readonly #view: View

  constructor(view: View) {
    this.#view = view
  }

  get options() {
    return this.#all.options
  }

  get isDraining() {
    return this.#all.isDraining
  }

  get shard() {
    return this.#all.shard
  }

  get clock() {
    return this.#all.clock
  }

  ownerOf: Worlds['ownerOf'] = (name) => this.#all.ownerOf(name)

  find: Worlds['find'] = (name, id) => this.#all.find(name === this.#view.reached ? name : this.#ownWorld(name), id)

  get: Worlds['get'] = (name, id) => this.#all.get(name === this.#view.reached ? name : this.#ownWorld(name), id)

  whenSettled: Worlds['whenSettled'] = async (name, work, id) =>
    this.#all.whenSettled(this.find(name, id).name, work, id)

  all = () => this.#all.all().filter(this.#owns)

  closed = () => this.#all.closed().filter(this.#owns)
  closedRevision: VisibleWorlds['closedRevision'] = (closed) => this.#all.closedRevision(closed)

  count = () => (this.#view.team === null ? undefined : counted(this.all().length, this.closed()))

  readonly ended = { all: () => this.#all.ended.all().filter((ended) => this.#owns(ended)) }

  readonly snapshots: VisibleWorlds['snapshots'] = {
    all: async () => {
      const { snapshots } = this.#all
      return this.#view.team === null ? [] : snapshots.all(snapshots.namesOf(this.#view.team))
    },
    get: (name) => this.#all.snapshots.get(this.#own(name)),
    delete: (name) => {
      const deleted = this.#all.snapshots.delete(this.#own(name))
      this.#view.use?.measureAgain()
      return deleted
    },
    fileOf: async (name) => this.#all.snapshots.fileOf(this.#own(name), this.#view.team),
    import: async (asked, file) =>
      this.#all.snapshots.import(this.#ownSnapshot(asked, file.length), file, this.#view.team),
  }

  report() {
    const { tally } = this.#all.observations.ofOwner(this.#view.team)
    const ended = this.#all.ended.list().filter(this.#owns)
    return tally.report(this.all(), ended)
  }

  during: Worlds['during'] = (name, work) => this.#all.during(name, work)

  /** A port would show other machines that the world exists, and the machine may need the port for something else. */
  readonly mayHavePorts = false

  listensOn: Worlds['listensOn'] = () => {}

  create: Worlds['create'] = ({ from, ...options }) => {
    const { world, snapshot } = from ?? {}
    const own = {
      ...from,
      ...(world !== undefined && { world: this.#ownWorld(world) }),
      ...(snapshot !== undefined && { snapshot: this.#own(snapshot) }),
    }
    return this.#made(this.#all.create({ ...this.#ownOptions(options), from: from && own }))
  }

  import: Worlds['import'] = ({ file, ...options }) =>
    this.#made(this.#all.import({ ...this.#ownOptions(options, file.length), file }))

  export: Worlds['export'] = (name) => this.#all.export(this.#ownWorld(name))

  takeSnapshot: Worlds['takeSnapshot'] = async (asked, world) =>
    this.#all.takeSnapshot(this.#ownSnapshot(asked), this.#ownWorld(world))

  reset: Worlds['reset'] = (name) => this.#all.reset(this.#ownWorld(name ?? ''))

  restore: Worlds['restore'] = (name, snapshot) => this.#all.restore(this.#ownWorld(name), snapshot)

  end: Worlds['end'] = async (name, by) => {
    const ended = await this.#all.end(this.#ownWorld(name), by)
    this.#view.use?.measureAgain()
    return ended
  }

  leave: Worlds['leave'] = async (name, to) => {
    const moved = await this.#all.leave(this.#ownWorld(name), to)
    this.#view.use?.measureAgain()
    return moved
  }

  get #all(): Worlds {
    return this.#view.worlds
  }

  #owns = ({ name }: { readonly name: string }): boolean =>
    this.#view.team !== null && this.#all.ownerOf(name) === this.#view.team

  /** Full name of a snapshot that belongs to the team. */
  #own(name: string): string {
    const { team } = this.#view
    if (team === null) throw new Refusal(404)
    return name.startsWith(`${team}.`) ? name : `${team}.${name}`
  }

  /** A new snapshot of the team, within its quotas; `bytes`: size of the file from which it is made. */
  #ownSnapshot({ name, replace }: NewSnapshot, bytes = 0): NewSnapshot {
    const own = this.#checked(this.#own(name))
    const refuse = () => {
      const { snapshots } = this.#all
      if (replace && snapshots.names().includes(own)) this.#view.use?.refuseLarger(bytes - snapshots.sizeOf(own))
      else this.#view.use?.refuseSnapshot(bytes)
    }
    return { name: own, replace, refuse }
  }

  /** Full name of the team's world: `<shard>.<team>.<name>`, or `<team>.<name>` if the shard has no name. */
  #ownWorld(name: string): string {
    const shard = this.shard.name === null ? '' : `${this.shard.name}.`
    return `${shard}${this.#own(name.startsWith(shard) ? name.slice(shard.length) : name)}`
  }

  #checked(own: string): string {
    if (new RegExp(worldNamePattern).test(own)) return own
    throw invalid('name', `The name of a world has at most 63 characters, but with the team’s name it would be ${own}.`)
  }

  /** Generated names are random, because numbers would show how many worlds other teams have made. */
  #ownOptions<Options extends NewWorld>(options: Options, bytes = 0): Options {
    const { use } = this.#view
    const name = this.#checked(this.#ownWorld(options.name ?? `w${randomUUID().replaceAll('-', '').slice(20)}`))
    return { ...options, name, ttl: use?.idleTime(options.ttl ?? null), refuse: () => use?.refuseWorld(bytes) }
  }

  async #made<Made extends { readonly name: string }>(making: Promise<Made>): Promise<Made> {
    const made = await making
    this.#view.onMade(made.name)
    return made
  }
}
