/**
 * Runs a thousand tests in eight workers, each test with its own bank: a hand-written stub, a world of one emulator
 * around the suite, or a world without a port. Two other processes keep the machine busy. Prints CPU seconds, their
 * ratio to the stub, and the failed runs: `npm run build && node test/bench/thousand/run.ts [runs]`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const runs = Number(process.argv[2] ?? 20)
const files = 8
const testsPerFile = 125
const budget = 1.25

const root = join(import.meta.dirname, '../../..')
const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs')]
const emulate = [process.execPath, join(root, 'bin/payctl.js'), 'emulate', '--settle', 'manual', '--']

const suites = [
  { name: 'a stub for each test', test: 'stubTest', from: 'stub.ts', around: [] },
  { name: 'a world for each test, one emulator', test: 'worldTest(false)', from: 'worlds.ts', around: emulate },
  { name: 'a world for each test, without a port', test: 'worldTest(true)', from: 'worlds.ts', around: [] },
] as const

type Suite = (typeof suites)[number]

const folder = mkdtempSync(join(tmpdir(), 'payctl-thousand-'))

/** Writes the files of a suite; returns its folder. */
function written({ test, from }: Suite): string {
  const place = mkdtempSync(join(folder, 'suite-'))
  const [name = ''] = test.split('(')
  const here = (file: string) => JSON.stringify(join(import.meta.dirname, file))
  const text = `import { orders } from ${here('orders.ts')}
import { ${name} } from ${here(from)}
orders(${test}, ${testsPerFile})
`
  for (let file = 1; file <= files; file++) writeFileSync(join(place, `orders_${file}.test.ts`), text)
  return place
}

interface Run {
  readonly cpuSeconds: number
  readonly failure: string | null
}

function run({ around }: Suite, place: string): Run {
  const times = join(folder, 'times')
  const suite = [...vitest, 'run', '--root', place, '--maxWorkers', '8', '--reporter', 'dot', '--testTimeout', '60000']
  const script = 'file=$1; shift; "$@"; code=$?; times > "$file"; exit $code'
  const env = { ...process.env, NO_COLOR: '1', PAYCTL_STATE_DIR: join(folder, 'state'), VITEST: undefined }
  const options = { env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', times, ...around, ...suite], options)
  const isWhole = stdout.includes(`${files * testsPerFile} passed`)
  return { cpuSeconds: cpuSeconds(times), failure: status === 0 && isWhole ? null : `${stdout}${stderr}` }
}

/** CPU seconds from the second line of `times`: user and system time of the children, such as `1m2.34s 0m0.56s`. */
function cpuSeconds(file: string): number {
  const [, children = ''] = readFileSync(file, 'utf8').trim().split('\n')
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  )
  return times.reduce((sum, each) => sum + each, 0)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const busy: ChildProcess[] = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
try {
  const all = suites.map((suite) => ({ suite, place: written(suite), ended: [] as Run[] }))
  for (let round = 1; round <= runs; round++) {
    for (const { suite, place, ended } of all) {
      const result = run(suite, place)
      ended.push(result)
      console.log(`run ${round}, ${suite.name}: CPU ${result.cpuSeconds.toFixed(1)} s`)
      if (result.failure) console.log(`--- ${suite.name}, run ${round}\n${result.failure.slice(-4000)}`)
    }
  }
  const [stub] = all.map(({ ended }) => median(ended.map((each) => each.cpuSeconds)))
  for (const { suite, ended } of all) {
    const cpu = median(ended.map((each) => each.cpuSeconds))
    const failed = ended.filter(({ failure }) => failure !== null).length
    const ratio = (cpu / (stub ?? Number.NaN)).toFixed(2)
    console.log(
      `${suite.name}: ${runs} runs, ${failed} failed; CPU ${cpu.toFixed(1)} s, ${ratio} times the stub (at most ${budget})`,
    )
  }
} finally {
  for (const each of busy) each.kill('SIGKILL')
  rmSync(folder, { recursive: true })
}
