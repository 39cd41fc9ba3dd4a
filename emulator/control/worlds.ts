import {
  type ChaosBody,
  type CreatedWorld,
  defaultWorld,
  type ListedSnapshot,
  type SeedFile,
  type Snapshot as SnapshotEntry,
  type UnopenedWorld,
  type WorldEntry,
  worldPath,
} from '../../src/contract/index.ts'
import { nextTurn } from '../../src/real_time.ts'
import { type ChaosSetting, ProfileRefusal, settingOf } from '../chaos/setting.ts'
import { paginate } from '../domain/paginator.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { preciseTimestamp, timestamp } from '../domain/time.ts'
import { type ControlContext, type ControlHandlers, pageRequest } from '../http/context.ts'
import { seedContext } from '../seed_file/fill.ts'
import { type ContentRefusal, SeedRefusal } from '../seed_file/problems.ts'
import { checkSeed } from '../seed_file/resolve.ts'
import { inSlices } from '../slices.ts'
import type { ClosedFacts, ClosedWorld } from '../store/closed_worlds.ts'
import { UnusableFile } from '../store/file_checks.ts'
import { shownEnded } from '../worlds/ended_worlds.ts'
import { type LiveWorld, revisionOf } from '../worlds/live_world.ts'
import { demo } from '../worlds/seed.ts'
import type { BrokenSnapshot, Snapshot } from '../worlds/snapshots.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import { exportedSeed } from './readings.ts'
import { shownUser } from './users.ts'

export const worldHandlers = {
  async 'control.worlds.create'({ body }, context) {
    const { worlds } = context
    const { name, rng_stream: rngStream, from: given, ttl_seconds: ttl = null, port, chaos, strict } = body
    const from = given?.moment === undefined ? given : { world: context.name, ...given }
    const origins = [from?.seed, from?.snapshot, from?.world].filter((value) => value !== undefined)
    if (from && origins.length !== 1) {
      throw invalid('from', 'A world is made from one seed, one snapshot or one world.')
    }
    if (port !== undefined) refusePort(worlds)
    if (typeof from?.seed === 'object') await refuseWrongSeed(from.seed, worlds)
    const idle = ttl === null ? null : ttl * 1000
    const made = await worlds.create({ name, rngStream, from, ttl: idle, chaos: chaos && chaosSetting(chaos), strict })
    return answering(made, port, context)
  },

  'control.worlds.list'({ query }, context) {
    const { worlds } = context
    const { request, window } = pageRequest(query, context)
    const live =
      query.status === 'ended'
        ? []
        : [
            ...worlds.all().map((live) => ({ made: live.made, show: () => entry(live, worlds) })),
            ...worlds.closed().map((closed) => ({ made: closed.made, show: () => closedEntry(closed, worlds) })),
          ]
    const ended =
      query.status === 'live'
        ? []
        : worlds.ended.all().map((ended) => ({ made: ended.made, show: () => shownEnded(ended) }))
    const all = [...live, ...ended].sort((one, other) => other.made - one.made)
    const items = all.slice(window.offset, window.offset + window.limit).map(({ show }) => show())
    return paginate({ items, total: all.length }, request, worlds.options.locale)
  },

  'control.worlds.get': ({ params }, { worlds, emulatorUrl }) =>
    created(worlds.find(params.name), worlds, emulatorUrl()),

  async 'control.worlds.delete'({ params: { name } }, { worlds }) {
    if (worlds.find(name).name === defaultWorld) throw new Refusal(409)
    return shownEnded(await worlds.end(name, 'deletion'))
  },

  async 'control.worlds.moved'({ params: { name }, body }, { worlds }) {
    if (worlds.find(name).name === defaultWorld) {
      throw new Refusal(409, { message: 'The default world ends with the emulator' })
    }
    return worlds.leave(name, body)
  },

  'control.seed': (_, context) => exportedSeed(context),

  'control.export': (_, { worlds, name }) => worlds.export(name),

  async 'control.import'({ query, body: { file } }, context) {
    const { name, rng_stream: rngStream, ttl_seconds: ttl, port, chaos, strict } = query
    if (port !== undefined) refusePort(context.worlds)
    const options = { name, rngStream, ttl: ttl === undefined ? null : ttl * 1000, strict }
    const setting = chaos && chaosSetting(chaos)
    const live = await refusingUnusable(context.worlds.import({ ...options, chaos: setting, file }))
    return answering(live, port, context)
  },

  'control.snapshots.create': async ({ body }, { worlds, name }) =>
    shownSnapshot(await worlds.takeSnapshot(body, name)),

  'control.snapshots.list': async (_, { worlds }) => (await worlds.snapshots.all()).map(listedSnapshot),

  'control.snapshots.restore': async ({ params }, { worlds, name }) =>
    entry(await worlds.restore(name, worlds.snapshots.get(params.name)), worlds),

  'control.snapshots.delete': ({ params }, { worlds }) => listedSnapshot(worlds.snapshots.delete(params.name)),

  'control.snapshots.export': ({ params }, { worlds }) => worlds.snapshots.fileOf(params.name),

  async 'control.snapshots.import'({ params: { name }, query: { replace }, body: { file } }, { worlds }) {
    return shownSnapshot(await refusingUnusable(worlds.snapshots.import({ name, replace }, file)))
  },
} satisfies Partial<ControlHandlers>

/** Refuses (422) a file that can't be used. */
async function refusingUnusable<T>(importing: Promise<T>): Promise<T> {
  try {
    return await importing
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    const { flaw, remedy } = error
    const message = `The file ${flaw}. ${remedy ?? 'Give a file that payctl emulator export has written'}.`
    throw new Refusal(422, { message })
  }
}

function refusePort({ mayHavePorts }: VisibleWorlds): void {
  if (mayHavePorts) return
  throw new Refusal(403, {
    message: 'The world of a team can’t have a separate port. Leave port out: its base_url is enough',
  })
}

/** Checks a chaos body. Throws a Refusal that lists the problems. */
function chaosSetting(chaos: ChaosBody): ChaosSetting {
  try {
    return settingOf(chaos)
  } catch (error) {
    throw error instanceof ProfileRefusal ? refusalAt(['chaos', 'profile'], error) : error
  }
}

/** Lets a new world listen on its own port, if one is requested. */
async function answering(
  live: LiveWorld,
  port: number | undefined,
  { worlds, listenFor, emulatorUrl }: ControlContext,
): Promise<CreatedWorld> {
  if (port === undefined) return created(live, worlds, emulatorUrl())
  try {
    worlds.listensOn(live, (await listenFor(live.name, port)).port)
    return created(live, worlds, emulatorUrl())
  } catch (error) {
    await worlds.end(live.name, 'deletion')
    if (error instanceof Refusal) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Refusal(409, { message: `Can’t listen on port ${port}: ${code}` })
  }
}

/** Checks a seed. Rejects with a Refusal that lists every wrong field. */
async function refuseWrongSeed(seed: SeedFile, { options, clock }: VisibleWorlds): Promise<void> {
  // Parsing the seed has already used this turn of the event loop.
  await nextTurn()
  try {
    await inSlices(checkSeed(seed, seedContext(options, clock.now())), clock)
  } catch (error) {
    throw error instanceof SeedRefusal ? refusalAt(['from', 'seed'], error) : error
  }
}

function refusalAt(member: readonly string[], { problems }: ContentRefusal): Refusal {
  const named = problems.map(({ path, message }) => [[...member, ...path].join('.'), message] as const)
  const fields = Map.groupBy(named, ([field]) => field)
  const errors = [...fields].map(([field, all]) => [field, all.map(([, message]) => message)])
  return new Refusal(422, { errors: Object.fromEntries(errors) })
}

const listedSnapshot = (snapshot: Snapshot | BrokenSnapshot): ListedSnapshot =>
  'image' in snapshot
    ? { ...shownSnapshot(snapshot), problem: null }
    : { name: snapshot.name, world: null, taken_at: null, size_bytes: snapshot.size, problem: snapshot.problem }

const shownSnapshot = ({ name, world, takenAt, image }: Snapshot): SnapshotEntry => ({
  name,
  world,
  // Milliseconds, so that a backup finds out that a snapshot was replaced.
  taken_at: preciseTimestamp(takenAt),
  size_bytes: image.length,
})

const entry = (live: LiveWorld, worlds: VisibleWorlds): WorldEntry =>
  entryOf(
    { ...live, id: live.world.id, size: live.world.database.size, revision: revisionOf(live), open: true },
    worlds,
  )

/** Entry in the list of worlds for a world whose file is closed. */
function closedEntry(closed: ClosedWorld, worlds: VisibleWorlds): WorldEntry | UnopenedWorld {
  const { name, facts, broken } = closed
  if (facts !== null && broken === null) {
    const revision = worlds.closedRevision(closed)
    return entryOf({ name, ...facts, revision, strict: worlds.options.strict, open: false }, worlds)
  }
  const { problem = null, remedy = null } = broken ?? {}
  return { name, id: null, status: broken === null ? 'unread' : 'broken', problem, remedy }
}

type ListedWorld = Omit<ClosedFacts, 'series' | 'origin' | 'due' | 'file' | 'tokens' | 'revision'> &
  Pick<WorldEntry, 'name' | 'strict' | 'open' | 'revision'>

function entryOf(world: ListedWorld, { clock }: VisibleWorlds): WorldEntry {
  const { name, id, madeFrom, forkedFrom, rngStream, createdAt, ttl, usedAt, requests, size, strict, open, revision } =
    world
  return {
    name,
    id,
    status: 'live',
    made_from: madeFrom,
    forked_from: forkedFrom,
    rng_stream: rngStream,
    created_at: timestamp(createdAt),
    ttl_seconds: ttl === null ? null : ttl / 1000,
    strict,
    idle_ms: clock.now() - usedAt,
    requests,
    size_bytes: size,
    open,
    revision,
  }
}

/** `emulatorUrl` must be a URL that the client can reach. */
function created(live: LiveWorld, worlds: VisibleWorlds, emulatorUrl: string): CreatedWorld {
  const { port } = live
  const { access, store } = live.world
  // A world's own port is not behind the proxy of the public URL: it serves http, without a path.
  const baseUrl =
    port === undefined
      ? `${emulatorUrl}${worldPath}/${worlds.shard.nameInUrl(live.name)}`
      : `http://${new URL(emulatorUrl).hostname}:${port}`
  return {
    ...entry(live, worlds),
    base_url: baseUrl,
    auth_url: baseUrl,
    control_url: baseUrl,
    ...access,
    user: shownUser(store.users.get(demo.user.seq)),
    accounts: store.accounts
      .list(demo.user.seq, { limit: 100, offset: 0 })
      .items.map(({ id, iban, currency, balance }) => ({ id, iban, currency, balance })),
  }
}
