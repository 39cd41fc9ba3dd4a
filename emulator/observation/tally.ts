import {
  type BrokenRequest,
  type ChaosCount,
  type ChaosFault,
  type ChaosState,
  type EndedWorld,
  type Endpoint,
  type EndpointUse,
  endpoints,
  type Findings,
  type HandledTwice,
  type Kill,
  keptFindings,
  listedChaosFaults,
  money,
  type NeverPaid,
  type OAuthEndpoint,
  oauthEndpoints,
  type PaidTwice,
  type PolledRead,
  type Report,
  type Suspected,
  type UnfinishedPayment,
  type UnfiredFault,
  type UnnamedWorld,
  type UnresolvedPayment,
  type UntakenDelivery,
  type WorldBreach,
} from '../../src/contract/index.ts'
import { type Chaos, countsTogether } from '../chaos/chaos.ts'
import type { Killed, Kills } from '../chaos/kills.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import { timestamp } from '../domain/time.ts'
import { webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'
import type { WorldOptions } from '../worlds/world_options.ts'
import { timelineOfBoth } from './payment_story.ts'
import { type LoggedRequest, type Loop, pollsOfALoop, requestId } from './request_log.ts'

interface NamedWorld {
  readonly name: string
  readonly world: World
}

/** Findings about a world that are collected when the world ends, because they can't be collected later. */
interface WorldFindings {
  readonly untaken: Findings<UntakenDelivery>
  readonly unfinished: Findings<UnfinishedPayment>
  readonly unfired: Findings<UnfiredFault>
  readonly paid_twice: Findings<PaidTwice>
  readonly suspected: Findings<Suspected>
  readonly handled_twice: Findings<HandledTwice>
  readonly unresolved: Findings<UnresolvedPayment>
  readonly never_paid: Findings<NeverPaid>
}

const noFindings = (): WorldFindings => ({
  untaken: none(),
  unfinished: none(),
  unfired: none(),
  paid_twice: none(),
  suspected: none(),
  handled_twice: none(),
  unresolved: none(),
  never_paid: none(),
})

/** Observations about a request, besides breaches of the contract. */
interface RequestContext {
  /** The polling loop that the request is part of. */
  readonly loop: Loop | undefined
  /** True if the request reached the default world without naming it while other worlds existed. */
  readonly isUnnamed: boolean
}

/** Counts the use of all worlds of an emulator or of a team, including worlds that end or are reset. */
export class Tally {
  /** Epoch milliseconds of the machine's clock. */
  readonly #since: number
  /** The default chaos setting of worlds. */
  readonly #setting: ChaosSetting | null
  readonly #kills: Kills | null
  readonly #uses = new Map<string, Map<number | null, number>>()
  readonly #violations = none<BrokenRequest>()
  readonly #keys = none<BrokenRequest>()
  readonly #unnamed = none<UnnamedWorld>()
  readonly #strict = none<WorldBreach>()
  readonly #polled = none<{ readonly world: string; readonly loop: Loop }>()
  readonly #endedFindings: WorldFindings = noFindings()
  /** Chaos counts of worlds that have ended. */
  #chaos: readonly ChaosCount[] = []
  /** First faults of the ended worlds that had the default chaos setting. */
  #chaosFaults: readonly ChaosFault[] = []
  #requests = 0
  #unanswered = 0
  #ended = 0

  constructor(since: number, { chaos: setting, kills }: Pick<WorldOptions, 'chaos' | 'kills'>) {
    this.#since = since
    this.#kills = kills
    this.#setting = setting
  }

  /** Counts a request, and notes its breaches. */
  add(world: string, request: LoggedRequest, { loop, isUnnamed }: RequestContext): void {
    const { endpoint, status, answered, breaches } = request
    this.#requests += 1
    if (!answered) this.#unanswered += 1
    if (endpoint !== null) this.#use(endpoint, status)
    for (const breach of breaches) {
      const ofKey = breach.kind === 'missing_key' || breach.kind === 'key_reused'
      addFinding(ofKey ? this.#keys : this.#violations, { ...requestShown(world, request), status, ...breach })
    }
    if (isUnnamed) addFinding(this.#unnamed, requestShown(world, request))
    // Notes a loop only once: each further read belongs to the same loop.
    if (loop?.times === pollsOfALoop) addFinding(this.#polled, { world, loop })
  }

  /** Notes breaches that fail a test: breaches in a strict world, and stray requests while a strict world exists. */
  addStrict(breaches: readonly WorldBreach[]): void {
    for (const breach of breaches) addFinding(this.#strict, breach)
  }

  /** Saves the findings about a world before the world ends or is reset. Chaos continues after a reset. */
  saveFindings(
    name: string,
    world: World,
    {
      chaosEnds,
      findings = findingsOf({ name, world, hasEnded: true }),
    }: { readonly chaosEnds: boolean; readonly findings?: WorldFindings },
  ): void {
    this.#ended += 1
    mergeAll(this.#endedFindings, findings)
    if (!chaosEnds || !world.chaos) return
    this.#chaos = countsTogether([this.#chaos, world.chaos.counts])
    this.#chaosFaults = this.#faultsWith([world.chaos])
  }

  /**
   * Saves the final findings about a world before its file is closed. Unfinished work is not saved: the world's tables
   * contain it, and the program may still look up a lost answer.
   */
  saveEvidence(name: string, world: World): void {
    const { paid_twice, handled_twice } = findingsOf({ name, world, hasEnded: false })
    mergeAll(this.#endedFindings, { ...noFindings(), paid_twice, handled_twice })
  }

  /** Reports on all live and ended worlds, with the saved findings. */
  report(live: readonly NamedWorld[], ended: readonly EndedWorld[]): Report {
    const findings = noFindings()
    for (const each of [this.#endedFindings, ...live.map((world) => findingsOf(world))]) mergeAll(findings, each)
    return {
      since: timestamp(this.#since),
      worlds: this.#ended + live.length,
      requests: this.#requests,
      unanswered: this.#unanswered,
      endpoints: documented.map((row) => this.#useOf(row)),
      violations: this.#violations,
      keys: this.#keys,
      polling: {
        count: this.#polled.count,
        first: this.#polled.first.map(
          ({ world, loop }): PolledRead => ({
            ...requestShown(world, loop.first),
            times: loop.times,
          }),
        ),
      },
      default_world: this.#unnamed,
      strict: this.#strict,
      ...findings,
      chaos: this.#chaosOf(live),
      kills: (this.#kills?.done ?? []).map(killShown),
      late: {
        count: ended.reduce((sum, { late_requests }) => sum + late_requests, 0),
        first: ended
          .flatMap(({ name, latest }) => latest.map((request) => ({ world: name, ...request })))
          .slice(0, keptFindings),
      },
    }
  }

  #chaosOf(live: readonly NamedWorld[]): ChaosState {
    const all = live.flatMap(({ world }) => world.chaos ?? [])
    const { seed = null, name: profile = null } = this.#setting ?? {}
    const counts = countsTogether([this.#chaos, ...all.map((chaos) => chaos.counts)])
    return { seed, profile, counts, faults: [...this.#faultsWith(all)] }
  }

  /** Faults of ended worlds and of `all`; leaves out worlds that do not have the default chaos setting. */
  #faultsWith = (all: readonly Chaos[]): readonly ChaosFault[] =>
    [...this.#chaosFaults, ...all.flatMap((chaos) => (chaos.draws(this.#setting) ? chaos.faults : []))].slice(
      0,
      listedChaosFaults,
    )

  #use(endpoint: string, status: number | null): void {
    const statuses = this.#uses.get(endpoint) ?? new Map<number | null, number>()
    this.#uses.set(endpoint, statuses)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  #useOf({ endpoint, method, path, statuses: all }: Documented): EndpointUse {
    const seen = this.#uses.get(endpoint) ?? new Map<number | null, number>()
    const requests = [...seen.values()].reduce((sum, each) => sum + each, 0)
    const statuses = [...seen]
      .flatMap(([status, count]) => (status === null ? [] : [{ status, requests: count }]))
      .sort((a, b) => a.status - b.status)
    return { endpoint, method, path, requests, statuses, never: all.filter((status) => !seen.has(status)) }
  }
}

const none = <T>(): Findings<T> => ({ count: 0, first: [] })

function addFinding<T>(findings: Findings<T>, finding: T): void {
  findings.count += 1
  if (findings.first.length < keptFindings) findings.first.push(finding)
}

function merge<T>(findings: Findings<T>, more: Findings<T>): void {
  findings.count += more.count
  findings.first.push(...more.first.slice(0, keptFindings - findings.first.length))
}

function mergeAll(findings: WorldFindings, more: WorldFindings): void {
  for (const name of Object.keys(findings) as (keyof WorldFindings)[]) merge<unknown>(findings[name], more[name])
}

const killShown = ({ request: { world, notes, method, path }, moment, run }: Killed): Kill => ({
  world,
  request: requestId(notes.number ?? 0),
  method,
  path,
  moment,
  run,
})

const requestShown = (world: string, { number, method, path }: LoggedRequest) => ({
  world,
  request: requestId(number),
  method,
  path,
})

/** Findings about a world since it was opened in this process, such as unfinished work. */
export function findingsOf({
  name,
  world,
  hasEnded = false,
}: NamedWorld & { readonly hasEnded?: boolean }): WorldFindings {
  const { store, faults } = world
  const idOf = (delivery: number) => webhookId(world.settings.get('series'), delivery)
  const untaken = store.deliveries.untaken(keptFindings)
  const unfinished = store.payments.leftUnfinished(keptFindings)
  const rules = faults.list({ all: true }).filter(({ fired }) => fired === 0)
  return {
    untaken: {
      count: untaken.count,
      first: untaken.first.map(({ seq, ...delivery }) => ({
        world: name,
        id: idOf(seq),
        ...delivery,
      })),
    },
    unfinished: {
      count: unfinished.count,
      first: unfinished.first.map(({ id, status, amount, currency }) => ({
        world: name,
        id,
        status,
        amount: money(amount, currency),
      })),
    },
    unfired: { count: rules.length, first: rules.slice(0, keptFindings).map((rule) => ({ world: name, ...rule })) },
    ...evidenceOf({ name, world, hasEnded }, idOf),
  }
}

/** Evidence of how callers handled faults. */
function evidenceOf(
  { name, world, hasEnded }: NamedWorld & { readonly hasEnded: boolean },
  idOf: (delivery: number) => string,
) {
  const { paidTwice, suspected, repeated, unresolved, neverPaid } = world.evidence
  const where = { world: name, ...(world.chaos?.stream && { rng_stream: world.chaos.stream }) }
  return {
    paid_twice: firstFindings(
      paidTwice,
      ({ because, payment, payments, requests }): PaidTwice => ({
        ...where,
        because,
        payments: [...payments],
        requests: requests.map(requestId),
        payee: payment.payee.iban ?? payment.payee.phone ?? '',
        amount: money(payment.amount, payment.currency),
        timeline: timelineOfBoth(payments, world),
      }),
    ),
    suspected: firstFindings(
      suspected.toSorted((one, other) => Number(other.isIgnored) - Number(one.isIgnored)),
      ({ because, first, second: { payment, request }, isIgnored }): Suspected => ({
        ...where,
        because,
        payments: [first.payment.id, payment.id],
        requests: [requestId(first.request.number), requestId(request.number)],
        payee: payment.payee.iban ?? payment.payee.phone ?? '',
        amount: money(payment.amount, payment.currency),
        ignored: isIgnored,
      }),
    ),
    handled_twice: firstFindings(repeated, ({ delivery: { seq, url, event }, requests }): HandledTwice => {
      const [{ method, path }] = requests
      const numbers = requests.map(({ number }) => requestId(number))
      return { ...where, id: idOf(seq), url, event, method, path, requests: numbers }
    }),
    unresolved: firstFindings(
      unresolved,
      ({ payment, request }): UnresolvedPayment => ({
        ...where,
        ...requestShown(name, request),
        payment: payment.id,
        amount: money(payment.amount, payment.currency),
        world_ended: hasEnded,
      }),
    ),
    never_paid: firstFindings(
      neverPaid,
      ({ request, payee, amount, currency }): NeverPaid => ({
        ...where,
        ...requestShown(name, request),
        payee,
        amount: money(amount, currency),
      }),
    ),
  }
}

const firstFindings = <Known, Finding>(all: readonly Known[], show: (known: Known) => Finding): Findings<Finding> => ({
  count: all.length,
  first: all.slice(0, keptFindings).map(show),
})

interface Documented extends Pick<EndpointUse, 'endpoint' | 'method' | 'path'> {
  readonly statuses: readonly number[]
}

/** Every endpoint, with the statuses that its row declares. */
const documented: readonly Documented[] = [
  ...Object.entries<Endpoint>(endpoints).map(([endpoint, { method, path, success, errors }]) => ({
    endpoint,
    method,
    path,
    statuses: ascending([success.status, ...Object.keys(errors).map(Number)]),
  })),
  ...Object.entries<OAuthEndpoint>(oauthEndpoints).map(
    ([endpoint, { method, path, success, errors, pages, redirects }]) => ({
      endpoint,
      method,
      path,
      statuses: ascending([success.status, ...Object.values(errors), ...pages, ...(redirects.length > 0 ? [303] : [])]),
    }),
  ),
]

function ascending(statuses: readonly number[]): readonly number[] {
  return [...new Set(statuses)].sort((a, b) => a - b)
}
