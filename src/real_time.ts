import timers from 'node:timers'
import vm from 'node:vm'

// Timers and clocks of the machine, captured when this module is loaded. Fake timers of a test runner replace the
// globals, and with them requests, retries and the emulator would wait for ever. The module `node:timers` still has the
// real timers under most test runners, even if the globals were fake before.

/**
 * True for a fake timer or clock. Sinon, Vitest and Jest add `clock`; Jest's legacy timers are mock functions; the
 * fakes of node:test have different names from the originals.
 */
const isFake = (found: object, name: string): boolean =>
  ('clock' in found && found.clock !== undefined) ||
  ('_isMockFunction' in found && found._isMockFunction === true) ||
  ('name' in found && found.name !== name)

function realTimer<Name extends keyof typeof timers & keyof typeof globalThis>(name: Name): (typeof globalThis)[Name] {
  const found = [timers[name], globalThis[name]].find((timer) => timer && !isFake(timer, name))
  if (found) return found as (typeof globalThis)[Name]
  throw new Error('payctl was loaded while timers were fake, and would wait for ever. Load it before they are.')
}

export const setTimeout = realTimer('setTimeout')
export const clearTimeout = realTimer('clearTimeout')
export const setInterval = realTimer('setInterval')
export const clearInterval = realTimer('clearInterval')
export const setImmediate = realTimer('setImmediate')
export const clearImmediate = realTimer('clearImmediate')

/**
 * Used only by bundled packages (.build/bundle.ts): a fake `queueMicrotask` would stop undici, which answers in
 * microtasks.
 */
export const queueMicrotask = isFake(globalThis.queueMicrotask, 'queueMicrotask')
  ? (callback: () => void): void => void Promise.resolve().then(callback)
  : globalThis.queueMicrotask

const { performance: realPerformance } = isFake(performance.now, 'now')
  ? process.getBuiltinModule('node:perf_hooks')
  : globalThis

/** Time of the machine, in epoch milliseconds. */
export const wallClock: () => number = isFake(Date, 'Date') ? vm.runInNewContext('Date.now') : Date.now

/** Milliseconds from a fixed moment, for durations and deadlines: the wall clock can be set back. */
export const monotonicClock: () => number = realPerformance.now.bind(realPerformance)

/** Interval at which the delay of the event loop is measured, in milliseconds. */
const resolution = 10

/**
 * Measures the delay of the event loop from now on. `seconds` returns the median, the 99th percentile and the maximum
 * since its last call.
 */
export function eventLoopDelay(): { readonly seconds: () => readonly [median: number, p99: number, max: number] } {
  const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
  const measured = monitorEventLoopDelay({ resolution })
  measured.enable()
  // A measured time is the interval plus the delay.
  const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1000)
  return {
    seconds() {
      const { count, max } = measured
      if (count === 0) return [0, 0, 0]
      const seconds = [delay(measured.percentile(50)), delay(measured.percentile(99)), delay(max)] as const
      measured.reset()
      return seconds
    },
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake)
    if (signal?.aborted) wake()
  })

/** Lets the event loop run everything that is ready. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
