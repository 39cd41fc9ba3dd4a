import type { SeedEnd, SeedProcesses } from './process.ts'

interface Seeds {
  readonly first: number
  readonly count: number
  /** Number of seeds that run at the same time. */
  readonly jobs: number
  /** True: all seeds run, even after a seed has failed. */
  readonly all: boolean
}

/**
 * Runs the command with many seeds at the same time, and reports the runs in the order of their seeds. Stops at the
 * lowest seed that fails, unless `all` is set, and at a run that was interrupted or could not start the command.
 * Returns the reported runs.
 */
export async function inParallel(
  { first, count, jobs, all }: Seeds,
  processes: SeedProcesses,
  report: (run: SeedEnd, done: number) => void,
): Promise<readonly SeedEnd[]> {
  const running = new Map<number, ReturnType<SeedProcesses['start']>>()
  const ended = new Map<number, SeedEnd>()
  const reported: SeedEnd[] = []
  let next = first
  let last = first + count - 1
  const isFinal = ({ code, isInterrupted, chaos }: SeedEnd) => isInterrupted || chaos === null || (code !== 0 && !all)
  while (first + reported.length <= last) {
    while (next <= last && running.size < jobs) {
      running.set(next, processes.start({ seed: next }))
      next += 1
    }
    const run = await Promise.race([...running.values()].map(({ end }) => end))
    running.delete(run.seed)
    ended.set(run.seed, run)
    if (isFinal(run)) {
      last = Math.min(last, run.seed)
      for (const [seed, { stop }] of running) if (seed > last) stop()
    }
    for (;;) {
      const due = ended.get(first + reported.length)
      if (!due || due.seed > last) break
      reported.push(due)
      report(due, ended.size)
    }
  }
  await Promise.all([...running.values()].map(({ end }) => end))
  return reported
}
