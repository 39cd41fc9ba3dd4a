import type { EndpointId, FaultRule } from '../src/contract/index.ts'

/** Rules that make an endpoint answer with an error instead of doing its work, oldest first. They are not stored. */
export class Faults {
  #rules: FaultRule[] = []

  list = (): readonly FaultRule[] => this.#rules

  add(rule: FaultRule): void {
    this.#rules.push(rule)
  }

  clear(): readonly FaultRule[] {
    return this.#rules.splice(0)
  }

  /** Uses the oldest rule of an endpoint once and returns its status; undefined without a rule. */
  next(endpoint: EndpointId): FaultRule['status'] | undefined {
    const rule = this.#rules.find((each) => each.endpoint === endpoint)
    if (!rule) return undefined
    const { times } = rule
    const left = times === null ? rule : { ...rule, times: times - 1 }
    this.#rules = this.#rules.flatMap((each) => (each !== rule ? each : left.times === 0 ? [] : left))
    return rule.status
  }
}
