import type { Context } from '../../commands/context.ts'
import { startProgress } from '../../commands/lookup/progress.ts'
import type { Tally } from '../batch_result.ts'

/** Milliseconds between two looks at the counts. */
const interval = 250

/**
 * A line on the terminal that says how far a batch has come. `waiting` is for how many milliseconds the service may not
 * be asked. Returns what takes the line away.
 */
export async function showProgress(tally: Tally, waiting: () => number, context: Context): Promise<() => void> {
  const progress = await startProgress(context)
  const started = Date.now()
  const timer = setInterval(() => {
    const wait = Math.ceil(waiting() / 1000)
    const text = describe(tally, (Date.now() - started) / 1000)
    progress.show(wait > 1 ? `${text}; the service asks to wait ${wait} s` : text)
  }, interval)
  return () => {
    clearInterval(timer)
    progress.stop()
  }
}

function describe(tally: Tally, seconds: number): string {
  const { done, total, failed } = tally
  const rate = done / Math.max(seconds, 0.001)
  const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : ''
  return `${done} of ${total} rows, ${failed} failed, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
