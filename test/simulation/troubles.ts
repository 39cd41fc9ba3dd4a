import type { Invariants } from './invariants/invariants.ts'
import type { ModelComparison } from './invariants/model_comparison.ts'
import { machine } from './machine/machine.ts'
import { fillDisk, makeRoom } from './machine/statements.ts'
import { Random } from './random.ts'
import type { Operation } from './script/script.ts'
import type { Service } from './service/service.ts'

interface TroublesOptions {
  readonly seed: string
  readonly service: Service
  readonly invariants: Invariants
  readonly comparison: ModelComparison
}

/** Troubles of the service and its world, independent of callers. */
export class Troubles {
  readonly #options: TroublesOptions
  /** Number of troubles so far. */
  count = 0
  /** Time at which tokens were last ended early, by a move of the clock or by revocation, in virtual milliseconds. */
  tokensEndedAt = 0
  /** Time at which the service's disk has room again, in virtual milliseconds. */
  #roomAt = 0

  constructor(options: TroublesOptions) {
    this.#options = options
  }

  /** Called after a reset; the new world starts with the disk's current trouble. */
  worldIsNew(): void {
    const { service, comparison } = this.#options
    this.count += 1
    const left = this.#roomAt - machine.elapsed
    if (left > 0) comparison.onTrouble(service.world.clock.now() + left)
  }

  /** True if the service runs and its disk has room. */
  get isWhole(): boolean {
    return this.#options.service.running && this.#roomAt < machine.elapsed
  }

  /** Makes a trouble happen. Returns false if the service is not running. */
  happens(operation: Operation): boolean {
    const { seed, service, comparison } = this.#options
    const { process } = service
    if (!process || !service.running) return false
    this.count += 1
    switch (operation.do) {
      case 'restart service':
        service.restart(operation.down)
        break
      case 'reset service':
        service.reset()
        break
      case 'fill disk of service': {
        const random = new Random(seed, 'disk', operation.id)
        const { share } = operation
        if (share === undefined) fillDisk(process, random.pick(['pages', 'log']))
        else fillDisk(process, 'log', () => random.chance(share))
        this.#roomAt = machine.elapsed + operation.for
        comparison.onTrouble(service.world.clock.now() + operation.for)
        machine.as(undefined, () => machine.after(operation.for, () => makeRoom(process)))
        break
      }
      case 'move clock of service': {
        this.tokensEndedAt = machine.elapsed
        const left = this.#roomAt - machine.elapsed
        if (left > 0) comparison.onTrouble(service.world.clock.now() + operation.ms + left)
        machine.as(process, () => void service.world.advanceClock(operation.ms).catch(() => {}))
        break
      }
      default:
        try {
          this.#change(operation)
        } catch {} // the service's disk is full
    }
    return true
  }

  #change(operation: Operation): void {
    const { service, invariants } = this.#options
    if (operation.do === 'credit') service.credit(operation.amount)
    if (operation.do === 'revoke tokens') {
      this.tokensEndedAt = machine.elapsed
      service.revokeTokens()
    }
    if (operation.do === 'rename holder') invariants.renames(operation.phone)
    if (operation.do === 'rename holder') service.renameHolder(operation.phone, operation.name)
  }
}
