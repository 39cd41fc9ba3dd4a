import './install.ts'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

// npm run simulate: runs seeds, one after another, and prints the first that fails.

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    seconds: { type: 'string' },
    script: { type: 'string' },
    log: { type: 'boolean' },
  },
})

// After the machine has been replaced.
const { simulate, runScript } = await import('./simulate.ts')
const { Tally } = await import('./tally.ts')

const tally = new Tally()
const next = () =>
  values.script === undefined
    ? simulate(Number(values.seed ?? 1) + tally.seeds)
    : runScript(JSON.parse(readFileSync(values.script, 'utf8')))
const isOver = () =>
  values.seconds === undefined ? tally.seeds >= Number(values.seeds ?? 1) : tally.seconds >= Number(values.seconds)

do {
  const result = await next()
  tally.add(result)
  if (values.log) for (const line of result.log) console.log(line)
  if (!result.failure) continue
  console.log(tally.failed(result.failure))
  process.exitCode = 1
} while (!isOver() && process.exitCode !== 1)
console.log(tally.toString())
