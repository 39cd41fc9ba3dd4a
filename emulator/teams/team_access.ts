import {
  type ControlId,
  controlEndpoints,
  decoyWorld,
  defaultWorld,
  type Endpoint,
  endpoints,
  oauthEndpoints,
  worldFile,
} from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { bearer, unauthenticated } from '../http/access.ts'
import type { Reply, Request } from '../http/message.ts'
import { parametersOf, text } from '../oauth/parameters.ts'
import { namedClient } from '../oauth/token.ts'
import { digest, matchesDigest, sameSecret } from '../store/secret.ts'
import { isOwn } from '../store/tokens.ts'
import { demo } from '../worlds/seed.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { AuditLog } from './audit.ts'
import { TeamUse } from './quotas.ts'
import { TeamWorlds } from './team_worlds.ts'
import type { TeamsFile } from './teams_file.ts'

/** Owner of a key: a team, or the administrator if `team` is null. */
interface Caller {
  readonly team: string | null
  /** Name of the key. */
  readonly key: string
  /** Hexadecimal digest of a team's key. */
  readonly digest: string
}

const admin: Caller = { team: null, key: 'admin', digest: '' }

interface Seen {
  /** Name of the world that the request names. */
  readonly world: string
  /** Id of the world that the request names. */
  readonly worldId: string | undefined
  /** Epoch milliseconds of the machine's clock. */
  readonly at: number
  readonly caller: Caller | null
  /** Stops counting the call as under way. */
  release?: () => void
  /** Name of the world that the call made. */
  made?: string
}

interface Dependencies {
  readonly file: TeamsFile
  readonly worlds: Worlds
  /** The administrator's key. */
  readonly controlToken: string
  readonly audit: AuditLog | null
}

/**
 * Access with teams. A request reaches a world only with something that gives access to it: a key of its team or of the
 * administrator, one of the world's access tokens, or the id of one of its OAuth clients. The decoy answers any other
 * request, so that nobody learns whether the world exists.
 */
export class TeamAccess {
  readonly #deps: Dependencies
  readonly #requests = new WeakMap<Request, Seen>()
  readonly #uses = new Map<string, TeamUse>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    deps.file.onChange = () => {
      for (const [team, use] of this.#uses) use.endCalls((digest) => deps.file.isValid({ team, digest }))
    }
  }

  /**
   * Directs a request to the world that it is allowed to reach, or to the decoy. Called as the first step of each
   * request.
   */
  address(request: Request): void {
    const { worlds } = this.#deps
    const { world, worldId } = request
    const late = worldId === undefined ? undefined : worlds.ended.withId(worldId)
    // Ignores the id of an ended world of another owner: the 410 would otherwise show the name of that world.
    if (late && worlds.ownerOf(late.name) !== worlds.ownerOf(world)) request.worldId = undefined
    const row = controlRow(request)
    const caller = row ? this.#callerOf(bearer(request.headers.authorization ?? '')) : null
    this.#requests.set(request, { world, worldId, at: worlds.clock.now(), caller })
    const reaches = row ? this.#isReached(world, row, caller) : this.#hasAccess(request)
    if (!reaches) leadTo(request, decoyWorld)
  }

  /** Refuses a control request without a key for its world, and requests beyond a team's quotas. */
  admit(request: Request, reply: Reply): void {
    // The client that gives access to the world may be named in the body.
    if (request.world === decoyWorld && request.route?.endpoint !== 'oauth.token') this.#refuseForeign(request)
    const row = controlRow(request)
    if (row) this.#admitControl(request, reply, row)
    else if (request.world !== decoyWorld) this.#countService(request)
    else if (isPublicService(request)) {
      throw unauthenticated('This emulator has teams: every request needs an access token of its world.')
    }
  }

  /**
   * Directs a token request to the world that the request names, and returns true, if the client belongs to that world.
   */
  enterByClient(request: Request): boolean {
    const { world, worldId } = this.#seen(request)
    if (request.world !== decoyWorld) return false
    if (!this.#hasClient(world, worldId, namedClient(request))) {
      this.#refuseForeign(request)
      return false
    }
    leadTo(request, world, worldId)
    this.#countService(request)
    return true
  }

  /** The worlds that the caller of a control request is allowed to see. */
  visible(request: Request): VisibleWorlds {
    const { worlds } = this.#deps
    const seen = this.#seen(request)
    const { caller } = seen
    if (caller === admin) return worlds
    const onMade = (name: string) => {
      seen.made = name
    }
    const team = caller?.team ?? null
    return new TeamWorlds({
      worlds,
      team,
      use: team === null ? null : this.#useOf(team),
      reached: request.world,
      onMade,
    })
  }

  /** True if this key controls the world of this name. */
  controls(key: string, world: string): boolean {
    const caller = this.#callerOf(key)
    return world !== decoyWorld && (caller === admin || (caller !== null && this.#owner(world) === caller.team))
  }

  /** Name of the world in a request, even if the decoy answered it. */
  worldIn = (request: Request): string => this.#seen(request).world

  /** Call when a request has been answered or its connection has closed. */
  answered(request: Request, status: number | null): void {
    const { caller, world, at, made, release } = this.#seen(request)
    release?.()
    const row = controlRow(request)
    // Health checks and proofs of identity are not logged, because they would fill the log.
    if (!row || (row.access === 'public' && row.method === 'GET')) return
    const { method, path } = request
    const asked = { request: `${method} ${path.slice(0, 200)}`, world: made ?? world.slice(0, 63), status }
    this.#deps.audit?.add({ at, team: caller?.team ?? null, key: caller?.key ?? null, ...asked })
  }

  /**
   * Refuses a request that names a world of another shard; called for requests that have reached no world of this
   * shard.
   */
  #refuseForeign(request: Request): void {
    this.#deps.worlds.shard.refuseForeign(this.#seen(request).world)
  }

  #admitControl(request: Request, { raw }: Reply, row: Endpoint): void {
    const seen = this.#seen(request)
    const { caller, world } = seen
    if (row.access === 'public') return
    if (caller === null) throw unauthenticated('The key is wrong: it is neither a team’s nor the administrator’s.')
    if (caller.team === null) return
    if (row.ofAdmin)
      throw new Refusal(403, {
        message: 'This request is about the worlds of all teams, so it needs the administrator’s key.',
      })
    const isOfEmulator = world === defaultWorld && row.ofEmulator === true
    if (!isOfEmulator && !this.#isReached(world, row, caller)) {
      if (world !== defaultWorld) throw new Refusal(404, { message: `World ${world} does not exist` })
      const message = `The default world is the administrator’s. Name one of your worlds in the URL: /w/${caller.team}.<name>`
      throw new Refusal(403, { message })
    }
    const use = this.#useOf(caller.team)
    use.countRequest()
    if (growing.has(request.route?.endpoint ?? '')) use.refuseWriteWhenFull()
    const bytes = Number(request.headers['content-length'] ?? 0)
    if (request.route?.endpoint === 'control.import') use.refuseWorld(bytes)
    else if (row.upload) use.refuseFile(bytes)
    const hasFile = row.upload !== undefined || row.success.type === worldFile.type
    const call = { key: caller.digest, hasFile, end: () => raw.destroy() }
    seen.release = use.begin(call)
  }

  /** Counts a request to the service or to OAuth in a team's world. */
  #countService({ world, method }: Request): void {
    const team = this.#owner(world)
    if (team === null) return
    const use = this.#useOf(team)
    use.countRequest()
    if (method !== 'GET' && method !== 'HEAD') use.refuseWriteWhenFull()
  }

  /** True if a request to the service or to OAuth contains something that belongs to the world that it names. */
  #hasAccess(request: Request): boolean {
    const { worlds } = this.#deps
    const { world: name, worldId, route, headers, query } = request
    // Documents and the page contain no data of a world.
    if (route !== null && route.endpoint === undefined) return false
    if (route?.endpoint && Object.hasOwn(oauthEndpoints, route.endpoint)) {
      return this.#hasClient(name, worldId, text(parametersOf(query), 'client_id'))
    }
    const secret = bearer(headers.authorization ?? '')
    if (secret === undefined) return false
    const ended = worlds.endedFor(name, worldId)
    if (ended) return ended.token !== null && matchesDigest(secret, ended.token)
    const known = worlds.knownTokens(name)
    // A request with an unknown token does not open the file of the world. A request with a known token is admitted, so
    // that it gets the reason if the file is broken.
    if (known) return known.includes(digest(secret).toString('hex'))
    const token = worlds.get(name, worldId)?.world.store.tokens.find(secret)
    return token !== undefined && isOwn(token)
  }

  /** Every world has the client with the well-known id, so that id gives access only to the default world. */
  #hasClient(name: string, worldId: string | undefined, id: string | undefined): boolean {
    if (id === undefined || (id === demo.clientId && name !== defaultWorld)) return false
    return this.#deps.worlds.get(name, worldId)?.world.store.clients.get(id) !== undefined
  }

  #callerOf(key: string | undefined): Caller | null {
    if (key === undefined) return null
    if (sameSecret(key, this.#deps.controlToken)) return admin
    const found = this.#deps.file.keyOf(key)
    return found ? { team: found.team, key: found.name, digest: found.digest } : null
  }

  /** True if a control request reaches the world that it names. */
  #isReached(world: string, row: Endpoint, caller: Caller | null): boolean {
    if (caller === admin || (caller !== null && this.#owner(world) === caller.team)) return true
    return world === defaultWorld && row.access === 'public'
  }

  #owner = (world: string): string | null => this.#deps.worlds.ownerOf(world)

  #useOf(team: string): TeamUse {
    const { worlds, file } = this.#deps
    const use = this.#uses.get(team) ?? new TeamUse(team, worlds, () => file.get(team)?.quotas ?? {})
    this.#uses.set(team, use)
    return use
  }

  #seen = (request: Request): Seen => this.#requests.get(request) as Seen
}

const rows: Readonly<Record<string, Endpoint>> = controlEndpoints

/** Control endpoints that add rows to a world with each request. */
const growing: ReadonlySet<string> = new Set<ControlId>([
  'control.credits.create',
  'control.credits.schedule',
  'control.users.create',
  'control.tokens.mint',
  'control.clients.create',
  'control.registry.add',
])

const controlRow = ({ route }: Request): Endpoint | undefined => rows[route?.endpoint ?? '']

const services: Readonly<Record<string, Endpoint>> = endpoints

const isPublicService = ({ route }: Request): boolean => services[route?.endpoint ?? '']?.access === 'public'

function leadTo(request: Request, world: string, id?: string): void {
  request.world = world
  request.worldId = id
}
