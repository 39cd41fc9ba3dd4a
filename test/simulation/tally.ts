import { stopwatch } from './machine/machine.ts'
import type { Failure, Idle, Result } from './result.ts'
import { printScript } from './script/script.ts'

/** Adds up the counts of the runs, and describes them for people. */
export class Tally {
  seeds = 0
  #operations = 0
  #requests = 0
  #virtualMs = 0
  #steps = 0
  #idle: Idle = { virtualMs: 0, cpuMs: 0 }
  readonly #faults = new Map<string, number>()
  readonly #elapsed = stopwatch()
  readonly #cpu = process.cpuUsage()

  add({ operations, steps, requests, virtualMs, idle, faults }: Result): void {
    this.seeds += 1
    this.#steps += steps
    this.#idle = { virtualMs: this.#idle.virtualMs + idle.virtualMs, cpuMs: this.#idle.cpuMs + idle.cpuMs }
    this.#operations += operations
    this.#requests += requests
    this.#virtualMs += virtualMs
    for (const [name, count] of Object.entries(faults)) this.#faults.set(name, (this.#faults.get(name) ?? 0) + count)
  }

  /** Seconds of real time since the tally was created. */
  get seconds(): number {
    return this.#elapsed() / 1000
  }

  failed({ invariant, message, script }: Failure): string {
    return [
      `Seed ${script.seed} breaks "${invariant}": ${message}`,
      `Again: npm run simulate -- --seed ${script.seed} --log`,
      'The same in short, to be run again with --script, and kept in test/simulation/regressions:',
      printScript(script),
    ].join('\n')
  }

  toString(): string {
    const { user, system } = process.cpuUsage(this.#cpu)
    const cpu = (user + system) / 1e6
    const faults = [...this.#faults.values()].reduce((sum, count) => sum + count, 0)
    const per = (count: number) => `${(count / cpu).toFixed(0)} per CPU-second`
    const days = this.#virtualMs / 86_400_000
    return [
      `${this.seeds} seeds in ${this.seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU`,
      `${this.#operations} operations, ${per(this.#operations)}; ${this.#steps} steps, ${per(this.#steps)}`,
      `${this.#requests} requests, ${per(this.#requests)}`,
      `${days.toFixed(0)} virtual days (${(days / 365).toFixed(1)} years), ${(days / cpu).toFixed(1)} days per CPU-second`,
      `Nothing in flight: ${(this.#idle.virtualMs / 3_600_000 / this.#idle.cpuMs).toFixed(0)} virtual hours per CPU-millisecond`,
      `${faults} faults, ${per(faults)}: ${[...this.#faults].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    ].join('\n')
  }
}
