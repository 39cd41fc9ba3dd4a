import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quietTime } from '../../src/client/retry.ts'
import { Broken } from './broken.ts'
import { Callers } from './callers/callers.ts'
import { isToldToLogIn, loggingIn } from './callers/logins.ts'
import { Invariants } from './invariants/invariants.ts'
import { ModelComparison } from './invariants/model_comparison.ts'
import { TailInvariants } from './invariants/tail_invariants.ts'
import { Killed, machine, Stalled } from './machine/machine.ts'
import { network } from './machine/network.ts'
import { makeRoom } from './machine/statements.ts'
import { Difference } from './model/matching.ts'
import type { Failure, Idle, Result } from './result.ts'
import { generate } from './script/generate.ts'
import { places, profiles } from './script/places.ts'
import type { CallerName, Moment, Operation, Script } from './script/script.ts'
import { type Delivery, deliverySent } from './service/deliveries.ts'
import { Receivers, resumeSubscriptions } from './service/receivers.ts'
import { type Listener, Service } from './service/service.ts'
import { Troubles } from './troubles.ts'

// Runs a script: builds a world, runs all operations, and checks the invariants on the way.

export interface SimulateOptions {
  /** Called after each operation; an error that it throws is a failure. Tests of the simulator use it. */
  readonly check?: (script: Script, ended: Operation) => void
}

/** Runs the script of a seed. */
export const simulate = (seed: string | number, options: SimulateOptions = {}): Promise<Result> =>
  runScript(generate(String(seed)), options)

/** Files are real, but need not outlive the machine. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Duration of the idle time at the end: a month without requests, in milliseconds. */
const idleMs = 30 * 24 * 3_600_000

/** Time limit of one operation, in virtual milliseconds. */
const patience = 48 * 3_600_000

export async function runScript(script: Script, options: SimulateOptions = {}): Promise<Result> {
  const folder = mkdtempSync(join(inMemory, 'payctl-simulation-'))
  try {
    return await new Run(script, folder, options).toItsEnd()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Begun {
  readonly operation: Extract<Operation, { caller: CallerName }>
  alone: boolean
}

const nameOf = (moment: Moment | undefined): string =>
  Object.entries(moment ?? {})
    .toSorted()
    .join(' ')

class Run {
  readonly #script: Script
  readonly #options: SimulateOptions
  readonly #service: Service
  readonly #callers: Callers
  readonly #invariants: Invariants
  readonly #receivers: Receivers
  readonly #tails: TailInvariants
  readonly #comparison = new ModelComparison()
  readonly #troubles: Troubles
  readonly #faults = new Map<string, number>()
  readonly #running = new Set<Begun>()
  /** Operations that begin at moments of other operations, by the name of the moment. */
  readonly #meanwhile: ReadonlyMap<string, readonly Operation[]>
  /** Ends of the operations that have begun. */
  readonly #ends: Promise<void>[] = []
  #requests = 0
  #idle: Idle = { virtualMs: 0, cpuMs: 0 }
  #failure: Failure | undefined
  #operations = 0

  constructor(script: Script, folder: string, options: SimulateOptions) {
    this.#script = script
    this.#options = options
    const meanwhile = script.operations.filter(({ during }) => during)
    this.#meanwhile = Map.groupBy(meanwhile, ({ during }) => nameOf(during))
    machine.start(script.seed)
    network.start(script.seed)
    this.#service = new Service({ seed: script.seed, folder, listener: this.#listener() })
    this.#callers = new Callers({
      seed: script.seed,
      folder,
      service: this.#service,
      onFault: (fault) => {
        this.#count(fault)
        if (fault === 'power cut') this.#invariants.powerCut()
      },
      onRequest: (...request) => this.#watched(() => this.#invariants.leaves(...request)),
      onHeard: (...heard) => this.#invariants.hears(...heard),
      onTurnedAway: (...request) => this.#watched(() => this.#invariants.turnedAway(...request)),
      onQuestion: (action) => this.#invariants.asks(action),
      onReply: (...reply) => this.#invariants.replies(...reply),
      onTold: (...told) => this.#watched(() => this.#invariants.tells(...told)),
      during: (moment) => this.#during(moment),
      onDelivery: (bytes) => this.#watched(() => this.#delivered(deliverySent(bytes))),
      onReceived: (...delivery) => this.#watched(() => this.#tails.received(...delivery)),
    })
    this.#tails = new TailInvariants({ callers: this.#callers, service: this.#service })
    const service = this.#service
    this.#receivers = new Receivers({
      receptions: script.receivers,
      onSent: (delivery) => this.#watched(() => this.#delivered(delivery)),
      onFault: (fault) => this.#count(`${fault} of a delivery`),
    })
    this.#invariants = new Invariants({ script, service, callers: this.#callers, receivers: this.#receivers })
    this.#troubles = new Troubles({
      seed: script.seed,
      service,
      invariants: this.#invariants,
      comparison: this.#comparison,
    })
  }

  #delivered(delivery: Delivery | undefined): void {
    if (delivery) this.#comparison.onDelivery(delivery, this.#service.world)
  }

  async toItsEnd(): Promise<Result> {
    const heard = (error: unknown) => error instanceof Killed || this.#fail(error)
    process.on('unhandledRejection', heard)
    process.on('uncaughtException', heard)
    try {
      this.#service.start()
      await machine.run(() => this.#everything())
    } catch (error) {
      this.#fail(error)
    } finally {
      await this.#close()
      process.off('unhandledRejection', heard)
      process.off('uncaughtException', heard)
    }
    return {
      seed: this.#script.seed,
      operations: this.#operations,
      steps: machine.steps,
      virtualMs: machine.elapsed - this.#idle.virtualMs,
      idle: this.#idle,
      faults: Object.fromEntries(this.#faults),
      requests: this.#requests,
      ...(this.#failure && { failure: this.#failure }),
      log: machine.lines,
    }
  }

  async #everything(): Promise<void> {
    for (const operation of this.#script.operations) {
      if (operation.during) continue
      const wait = operation.at - machine.elapsed
      if (wait > 0) await machine.sleep(wait)
      if (this.#failure) return
      this.#ends.push(this.#begin(operation).catch((error) => this.#fail(error)))
    }
    for (let at = 0; at < this.#ends.length; at += 1) await this.#ends[at]
    if (!this.#failure) await this.#inPeace()
  }

  /** Runs the operations of a moment, one after another. */
  #during(moment: Moment): Promise<void> | undefined {
    const operations = this.#meanwhile.get(nameOf(moment))
    if (!operations) return undefined
    const work = machine.as(undefined, async () => {
      for (const operation of operations) await this.#begin(operation)
    })
    const end = work.catch((error) => this.#fail(error))
    this.#ends.push(end)
    return end
  }

  async #begin(operation: Operation): Promise<void> {
    this.#operations += 1
    if ('caller' in operation) await this.#call(operation)
    else if (this.#troubles.happens(operation)) this.#count(operation.do)
    if (this.#service.running) this.#invariants.check()
    this.#options.check?.(this.#script, operation)
  }

  async #call(operation: Extract<Operation, { caller: CallerName }>): Promise<void> {
    const { journal } = places[operation.caller]
    const begun: Begun = { operation, alone: true }
    for (const other of this.#running) {
      if (places[other.operation.caller].journal !== journal) continue
      other.alone = false
      begun.alone = false
    }
    this.#running.add(begun)
    const version = this.#version()
    const { count: troubles, isWhole } = this.#troubles
    this.#invariants.begins(operation)
    const late = machine.sleep(patience).then(() => {
      throw new Stalled(`operation ${operation.id} has not ended after ${patience / 3_600_000} hours`)
    })
    const end = await Promise.race([this.#callers.run(operation), late])
    this.#running.delete(begun)
    this.#invariants.ended(end)
    const calm = isWhole && troubles === this.#troubles.count
    this.#tails.ended(end, { calm })
    if (!this.#service.running) return
    const steady = this.#troubles.tokensEndedAt < end.begun
    this.#invariants.checkTold(end, { alone: begun.alone, unchanged: version === this.#version(), calm, steady })
    if (isToldToLogIn(end)) await this.#begin({ ...loggingIn(operation), at: machine.elapsed })
  }

  #version(): string {
    return this.#service.running ? this.#invariants.version() : 'unknown'
  }

  /** Stops the faults, and lets all open work end. */
  async #inPeace(): Promise<void> {
    while (!this.#service.running) await machine.sleep(1000)
    if (this.#service.process) makeRoom(this.#service.process)
    if (this.#service.process) this.#service.process.onStep = () => {}
    // After this time no lost request can still arrive.
    await machine.sleep(2 * quietTime)
    const last = 10_000
    for (const place of profiles) this.#callers.restoreLimits(place)
    for (const [at, caller] of (['ana', 'bot', 'laura'] as const).entries()) {
      if (caller === 'ana') await this.#callers.run({ id: last + 10, at: 0, caller, do: 'log in' })
      const resume = { id: last + at, at: 0, caller, do: 'resume', allowOldKeys: true } as const
      this.#invariants.begins(resume)
      await this.#callers.run(resume)
    }
    this.#invariants.check()
    await machine.sleep(3_600_000)
    await resumeSubscriptions(this.#service, (world) => this.#comparison.onResumed(world))
    await machine.sleep(7 * 24 * 3_600_000)
    for (const [at, caller] of this.#tails.callers.entries()) {
      if (caller === 'ana') await this.#callers.run({ id: last + 20, at: 0, caller, do: 'log in' })
      const end = await this.#callers.run({ id: last + 21 + at, at: 0, caller, do: 'tail', for: 40_000 })
      if (end.error) throw end.error
      this.#tails.ended(end, { calm: true })
    }
    this.#tails.checkEnd()
    this.#invariants.checkEnd()
    const before = process.cpuUsage()
    await machine.sleep(idleMs)
    const { user, system } = process.cpuUsage(before)
    this.#idle = { virtualMs: idleMs, cpuMs: (user + system) / 1000 }
  }

  /** If `work` throws, the run fails. */
  #watched(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #listener(): Listener {
    const comparison = this.#comparison
    const watched = (work: () => void) => this.#watched(work)
    return {
      onRequest: (request, world) => {
        this.#requests += 1
        watched(() => this.#invariants.asked(request))
        watched(() => this.#tails.asked(request))
        watched(() => comparison.onRequest(request, world))
      },
      onAnswer: (request, answer) => {
        watched(() => this.#invariants.answered(request, answer))
        watched(() => this.#tails.answered(request, answer))
        watched(() => comparison.onAnswer(request, answer))
      },
      onUnanswered: (request) => watched(() => comparison.onUnanswered(request)),
      onCut: (world) => watched(() => comparison.onCut(world)),
      onKilled: () => {
        this.#troubles.count += 1
        this.#callers.lose()
        watched(() => comparison.onKilled())
      },
      onRestarted: (world) => {
        watched(() => this.#invariants.check())
        watched(() => comparison.onRestarted(world))
      },
      onWorldLeaves: () => watched(() => this.#invariants.worldLeaves()),
      onWorldIsNew: () =>
        watched(() => {
          this.#invariants.worldIsNew()
          this.#tails.worldIsNew()
          comparison.onWorldIsNew()
          this.#troubles.worldIsNew()
        }),
      onCredit: (account, amount, world) => watched(() => comparison.onCredit(account, amount, world)),
      onTokensRevoked: () => watched(() => comparison.onTokensRevoked()),
      onHolderRenamed: (phone, name) => watched(() => comparison.onHolderRenamed(phone, name)),
    }
  }

  #count(fault: string): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
  }

  #fail(error: unknown): void {
    if (this.#failure) return
    const isBroken = error instanceof Broken || error instanceof Difference
    const other = error instanceof Stalled ? 'comes to an end' : 'no fault'
    const invariant = isBroken ? error.invariant : other
    const message = isBroken ? error.message : String(error instanceof Error ? error.stack : error)
    machine.log(`FAILED ${invariant}: ${message}`)
    this.#failure = { invariant, message, script: this.#script }
  }

  async #close(): Promise<void> {
    this.#invariants.close()
    await machine
      .run(async () => {
        while (!this.#service.running) await machine.sleep(1000)
        await this.#service.stop()
        await machine.sleep(60_000)
      })
      .catch(() => {})
  }
}
