/** Result of a seed that broke an invariant. */
export interface Break {
  readonly invariant: string
  readonly message: string
}

/**
 * A line that a program of the hunt prints: the seed that begins, then the broken invariant. `done` after the last
 * seed.
 */
export type Line = { readonly begins: number } | ({ readonly seed: number } & Break) | 'done'

/** Tries the seeds from the first to the last argument until one fails. The programs of the hunt call this function. */
export async function trySeeds(attempt: (seed: number) => Promise<Break | undefined>): Promise<void> {
  const [first, last] = process.argv.slice(2).map(Number) as [number, number]
  const print = (line: Line) => process.stdout.write(`\n${JSON.stringify(line)}\n`)
  for (let seed = first; seed <= last; seed += 1) {
    print({ begins: seed })
    const broken = await attempt(seed)
    if (broken) return void print({ seed, ...broken })
  }
  print('done')
}
