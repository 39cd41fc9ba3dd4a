import { type Profiler, Session } from 'node:inspector'

// Shares of a run's CPU time, from V8's profiler.

/**
 * Parts of the program. The file of a function decides its part, or else the file of the nearest caller that has a
 * file. The first pattern that matches counts.
 */
const parts: readonly (readonly [part: string, file: RegExp])[] = [
  ['SQLite', /better-sqlite3|simulation\/machine\/statements\.ts/],
  ['model and invariants', /simulation\/(model|invariants)\//],
  ['simulated machine', /\/test\/simulation\//],
  ['emulator', /\/emulator\//],
  ['client, journal and payment engine', /\/src\//],
  [
    'HTTP and streams of Node',
    /node:(_http|net|events|_?stream|internal\/(streams|http|url|event_target|abort))|undici/,
  ],
  ['loading of modules', /node:internal\/modules|node:internal\/deps\/(amaro|cjs)/],
  ['files', /node:(internal\/)?fs/],
]

/** Starts sampling. The returned function stops the sampling, and returns the parts with their shares as text. */
export function startProfile(): () => string {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: 2000 }) // microseconds
  session.post('Profiler.start')
  return () => {
    let shares = new Map<string, number>()
    session.post('Profiler.stop', (_, { profile }) => {
      shares = sharesOf(profile)
    })
    session.disconnect()
    return [...shares]
      .filter(([, share]) => share >= 0.01)
      .sort(([, one], [, other]) => other - one)
      .map(([part, share]) => `${(100 * share).toFixed(0)} % ${part}`)
      .join(', ')
  }
}

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const partOf = (id: number | undefined): string | null => {
    const node = id === undefined ? undefined : byId.get(id)
    if (!node) return 'the rest'
    const { url, functionName } = node.callFrame
    if (functionName === '(garbage collector)') return 'garbage collection'
    if (functionName === '(idle)') return null
    if (!url) return partOf(callers.get(node.id))
    return parts.find(([, file]) => file.test(url))?.[0] ?? 'the rest'
  }
  const shares = new Map<string, number>()
  let total = 0
  for (const [at, id] of samples.entries()) {
    const part = partOf(id)
    if (part === null) continue
    total += timeDeltas[at] ?? 0
    shares.set(part, (shares.get(part) ?? 0) + (timeDeltas[at] ?? 0))
  }
  for (const [part, time] of shares) shares.set(part, time / total)
  return shares
}
