/** A measured row: medians of alternating runs of baseline and candidate, and the median of their ratios. */
export interface Row {
  readonly what: string
  readonly unit: string
  readonly baseline: number
  readonly candidate: number
  readonly ratio: number
  readonly budget: number
  /** `more` if a greater ratio is better (throughput), `less` if a smaller ratio is better (time, memory). */
  readonly better: 'more' | 'less'
}

interface Comparison {
  readonly what: string
  readonly unit: string
  readonly budget: number
  readonly better: 'more' | 'less'
  readonly rounds: number
  /** False for slow work, which does not get faster by repetition. */
  readonly warm?: boolean
  readonly baseline: () => number | Promise<number>
  readonly candidate: () => number | Promise<number>
}

/** Runs baseline and candidate alternately, so that a machine that slows down slows both. */
export async function compare({ rounds, warm = true, baseline, candidate, ...row }: Comparison): Promise<Row> {
  if (warm) {
    await baseline()
    await candidate()
  }
  const pairs: { baseline: number; candidate: number }[] = []
  for (let round = 0; round < rounds; round++) pairs.push({ baseline: await baseline(), candidate: await candidate() })
  return {
    ...row,
    baseline: median(pairs.map((pair) => pair.baseline)),
    candidate: median(pairs.map((pair) => pair.candidate)),
    ratio: median(pairs.map((pair) => pair.candidate / pair.baseline)),
  }
}

export const withinBudget = ({ ratio, budget, better }: Row): boolean =>
  better === 'more' ? ratio >= budget : ratio <= budget

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}
