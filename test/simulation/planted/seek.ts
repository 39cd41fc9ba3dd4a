import '../machine/install.ts'
import { trySeeds } from './try_seeds.ts'

// A seed is a run of callers, as in `npm run simulate`.

const { simulate } = await import('../simulate.ts')

await trySeeds(async (seed) => (await simulate(seed)).failure)
