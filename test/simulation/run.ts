import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

// npm run simulate: runs seeds, one after another, until one fails; then shrinks and prints its script.

const usage = `Usage: npm run simulate -- [options]

Runs callers, the service and receivers on a simulated machine, with faults, and checks what must be true.

  --seed <n>       the first seed; 1 by default
  --seeds <n>      so many seeds; 1 by default
  --seconds <n>    as many seeds as so many seconds allow
  --script <file>  a script that was printed, instead of seeds; may be given several times
  --log            print all that happens
  --planted        plant known bugs in a copy of the sources, one at a time, and print after how many seeds each is found;
                   --seeds is then the most for each (100), and names of bugs choose some
  --as-it-is       print a failing script as it is: making it short takes a while

Examples:
  npm run simulate -- --seconds 60
  npm run simulate -- --seed 42 --log
  npm run simulate -- --script test/simulation/regressions/some.json`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    seconds: { type: 'string' },
    script: { type: 'string', multiple: true, default: [] },
    log: { type: 'boolean' },
    planted: { type: 'boolean' },
    'as-it-is': { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(usage)
  process.exit()
}

if (values.planted) {
  const { runPlanted } = await import('./planted/run.ts')
  await runPlanted(positionals, Number(values.seeds ?? 100))
  process.exit()
}

await import('./machine/install.ts')
// These modules must load after `install.ts` has replaced Node's functions.
const { simulate, runScript } = await import('./simulate.ts')
const { shrink } = await import('./shrink.ts')
const { Tally } = await import('./tally.ts')
const { startProfile } = await import('./profile.ts')

const tally = new Tally()
const endProfile = values.seconds === undefined ? undefined : startProfile()
const scripts = values.script.map((file) => JSON.parse(readFileSync(file, 'utf8')))
const first = Number(values.seed)

function* runs() {
  for (const script of scripts) yield runScript(script)
  if (scripts.length > 0) return
  for (let seed = first; isLeft(seed - first); seed += 1) yield simulate(seed)
}

const isLeft = (done: number): boolean =>
  values.seconds === undefined ? done < Number(values.seeds ?? 1) : tally.seconds < Number(values.seconds)

for (const run of runs()) {
  const result = await run
  tally.add(result)
  if (values.log) for (const line of result.log) console.log(line)
  if (!result.failure) continue
  console.log(tally.failed(values['as-it-is'] ? result.failure : await shrink(result.failure)))
  process.exitCode = 1
  break
}
console.log(tally.toString())
if (endProfile) console.log(`CPU: ${endProfile()}`)
