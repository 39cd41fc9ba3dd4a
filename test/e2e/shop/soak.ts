/**
 * Runs the shop's tests again and again; prints failures, seconds and CPU seconds. Then compares the cost of the tests
 * that a hand-written stub can serve, on the stub and on emulators: `npm run build && node test/e2e/shop/soak.ts
 * [runs]`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emulate, environmentOf, type Suite, suites, vitest } from './suites.ts'

const runs = Number(process.argv[2] ?? 20)

/** The tests that the stub serves, and a suite without tests, which shows the cost of Vitest and its workers alone. */
const stubbed = [
  '-t',
  '^checkout|^payouts|fee of the day|that was made|never arrived|no rates|the last minute|two workers on|busy month',
]
const none = ['-t', 'none of them', '--passWithNoTests']

const compared: readonly Suite[] = [
  { name: 'no tests, a stub in each', command: [...vitest, ...none], env: { SHOP_STUB: '1' } },
  { name: 'a stub for each test', command: [...vitest, ...stubbed], env: { SHOP_STUB: '1' } },
  { name: 'one emulator for eight workers', command: [...emulate, ...vitest, ...stubbed], env: {} },
  { name: 'an emulator in each worker', command: [...vitest, ...stubbed], env: {} },
]

interface Run {
  readonly failed: boolean
  readonly said: string
  readonly seconds: number
  /** User and system time of the suite with its workers, and of the emulator around it. */
  readonly suite: number
  readonly emulator: number
}

const folder = mkdtempSync(join(tmpdir(), 'payctl-soak-'))

/** A command that writes its CPU times, and those of all its children, to a file. */
const timed = (file: string, command: readonly string[]): string[] => [
  'sh',
  '-c',
  'file=$1; shift; "$@"; code=$?; times > "$file"; exit $code',
  'sh',
  join(folder, file),
  ...command,
]

/** CPU seconds from the second line of `times`: user and system time of the children, such as `1m2.34s 0m0.56s`. */
function cpuSeconds(file: string): number {
  const [, children = ''] = readFileSync(join(folder, file), 'utf8').trim().split('\n')
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  )
  return times.reduce((sum, each) => sum + each, 0)
}

function run(suite: Suite): Run {
  const by = suite.command.indexOf('--') + 1
  const [file = '', ...args] = timed('outer', [
    ...suite.command.slice(0, by),
    ...timed('inner', suite.command.slice(by)),
  ])
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(file, args, { env: environmentOf(suite, folder), encoding: 'utf8' })
  const inner = cpuSeconds('inner')
  return {
    failed: status !== 0,
    said: `${stdout}${stderr}`,
    seconds: (performance.now() - started) / 1000,
    suite: inner,
    emulator: by === 0 ? 0 : cpuSeconds('outer') - inner,
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

function measure(some: readonly Suite[], times: number): void {
  const results = new Map<Suite, Run[]>(some.map((suite) => [suite, []]))
  for (let round = 1; round <= times; round++) {
    for (const [suite, ended] of results) {
      const result = run(suite)
      ended.push(result)
      if (result.failed) console.log(`--- ${suite.name}, run ${round}\n${result.said}`)
    }
  }
  for (const [{ name }, ended] of results) {
    const of = (figure: 'seconds' | 'suite' | 'emulator') => median(ended.map((result) => result[figure])).toFixed(2)
    const failed = ended.filter((result) => result.failed).length
    const cpu = `CPU ${of('suite')} s, of the emulator around it ${of('emulator')} s`
    console.log(`${name}: ${times} runs, ${failed} failed; ${of('seconds')} s, ${cpu}`)
  }
}

try {
  measure(suites, runs)
  console.log('\nThe tests that the stub serves:')
  measure(compared, Math.ceil(runs / 4))
} finally {
  rmSync(folder, { recursive: true })
}
