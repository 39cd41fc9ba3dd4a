import './machine/install.ts'
import type { SimulateOptions } from './simulate.ts'

// Runs a script with a false invariant, to test how a failure is reported.

const { simulate } = await import('./simulate.ts')
const { shrink } = await import('./shrink.ts')
const { Broken } = await import('./broken.ts')
const { Tally } = await import('./tally.ts')

const options: SimulateOptions = {
  check({ operations }, { id }) {
    const begun = operations.slice(0, operations.findIndex((one) => one.id === id) + 1)
    if (begun.filter((one) => one.do === 'batch').length < 2) return
    throw new Broken('at most one batch', 'there was a second batch')
  },
}

for (let seed = 1; ; seed += 1) {
  const { failure } = await simulate(seed, options)
  if (!failure) continue
  console.log(new Tally().failed(await shrink(failure, options)))
  break
}
