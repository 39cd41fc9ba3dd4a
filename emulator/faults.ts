import type { EndpointId, FaultRule } from '../src/contract/index.ts'

/** Rules by which endpoints answer with an error instead of doing their work, oldest first. A restart forgets them. */
export class Faults {
  #rules: FaultRule[] = []

  list = (): readonly FaultRule[] => this.#rules

  add(rule: FaultRule): void {
    this.#rules.push(rule)
  }

  clear(): readonly FaultRule[] {
    return this.#rules.splice(0)
  }

  /** The status of the oldest rule for an endpoint, which has then been used once more. */
  next(endpoint: EndpointId): FaultRule['status'] | undefined {
    const rule = this.#rules.find((each) => each.endpoint === endpoint)
    if (!rule) return undefined
    const { times } = rule
    const left = times === null ? rule : { ...rule, times: times - 1 }
    this.#rules = this.#rules.flatMap((each) => (each !== rule ? each : left.times === 0 ? [] : left))
    return rule.status
  }
}
