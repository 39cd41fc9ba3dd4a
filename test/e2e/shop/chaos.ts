/**
 * Runs the shop's three suites with chaos: the correct suites, which must pass with every seed, and each suite with
 * planted mistakes, which a few seeds must find. Prints a table: `npm run build && node test/e2e/shop/chaos.ts [seeds
 * of the right suites] [seeds for a mistake] [names of suites or mistakes, perhaps in part]…`. With 0 seeds of a kind,
 * the runs of this kind are left out. With `--all`, a mistake runs with all its seeds and is not reduced: only the
 * counts are compared.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  buildGo,
  chaotic,
  countsIn,
  environmentOf,
  goSuite,
  pythonSuite,
  type ShopSuite,
  vitestSuite,
} from './suites.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
const [rightSeeds = '100', mistakeSeeds = '20', ...wanted] = positionals
const folder = mkdtempSync(join(tmpdir(), 'payctl-shop-chaos-'))

/** Suites wait for slow answers most of the time. */
const jobs = ['--chaos-jobs', `${2 * availableParallelism()}`]

/**
 * Runs a suite under `payctl emulate`. Returns its status and output, and in how many runs the report agrees with SQL
 * on the orders paid twice.
 */
function run(name: string, suite: ShopSuite, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const counts = join(folder, name.replace(/\W+/g, '-'))
  mkdirSync(counts)
  const [file = '', ...args] = [...chaotic([...flags, ...jobs]), ...suite.command]
  const own = environmentOf({ ...suite, env: { ...suite.env, ...env, SHOP_COUNTS: counts } }, folder)
  const { status, stdout, stderr } = spawnSync(file, args, { env: own, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const books = countsIn(counts)
  // A suspected payment may repeat an order or belong to another order: the report leaves that open.
  const differing = books.filter(({ sql, report, suspected }) => sql < report || sql > report + suspected)
  const counted = `SQL’s count in ${books.length - differing.length} of ${books.length} runs`
  const others = differing.map(({ sql, ...found }) => ` (${JSON.stringify(found)} instead of ${sql})`).join('')
  return { status, said: `${stdout}${stderr}`, isEqual: differing.length === 0, counted: `${counted}${others}` }
}

function right(suite: ShopSuite): boolean {
  const flags = ['--chaos-seeds', rightSeeds, '--chaos-all', '--chaos-reduce', '0']
  const { status, said, isEqual, counted } = run(suite.name, suite, flags)
  const passed = said.match(/^Seed \d+, .*: passed/gm)?.length ?? 0
  const isRight = status === 0 && passed === Number(rightSeeds) && isEqual
  if (!isRight) console.log(said)
  console.log(`${suite.name} | ${passed} of ${rightSeeds} seeds passed | ${counted}`)
  return isRight
}

function mistaken(suite: ShopSuite, mistake: string): boolean {
  const flags = values.all ? ['--chaos-all', '--chaos-reduce', '0'] : []
  const env = { SHOP_MISTAKE: mistake }
  const { said, isEqual, counted } = run(
    `${suite.name} ${mistake}`,
    suite,
    ['--chaos-seeds', mistakeSeeds, ...flags],
    env,
  )
  const failed = [...said.matchAll(/^Seed (\d+), .*: exit 6/gm)].map(([, seed]) => seed)
  const [, fewest, of = '-', runs = '-'] = /needs (\d+) of (\d+) faults? to fail \((\d+) runs?/.exec(said) ?? []
  const steady = /fails (?:again|only) in (\d of \d)/.exec(said)?.[1] ?? '-'
  const isCalm = said.includes('fails without any fault')
  const again = /did not make the command fail again in (\d+) runs?/.exec(said)?.[1]
  const reduced = isCalm
    ? 'fails without a fault'
    : again !== undefined
      ? `fails in 0 of ${again} with all its faults`
      : `${fewest ?? '-'} of ${of} faults | ${runs} runs | fails in ${steady}`
  const seeds = values.all ? `${failed.length} of ${mistakeSeeds} seeds` : `seed ${failed[0] ?? '-'} | ${reduced}`
  console.log(`${suite.name} | ${mistake} | ${seeds} | ${counted}`)
  const isReduced = values.all || isCalm || Number(fewest) <= 3
  return failed.length > 0 && isReduced && isEqual
}

const isWanted = (...names: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((each) => names.join(' ').includes(each))

try {
  buildGo(folder)
  const suites = [vitestSuite, pythonSuite, goSuite(folder)]
  const ofRight = rightSeeds === '0' ? [] : suites.filter(({ name }) => isWanted(name)).map(right)
  const ofMistakes = suites.flatMap((suite) =>
    mistakeSeeds === '0'
      ? []
      : suite.mistakes.filter((name) => isWanted(suite.name, name)).map((name) => mistaken(suite, name)),
  )
  const results = [...ofRight, ...ofMistakes]
  const failed = results.filter((isRight) => !isRight).length
  console.log(`${results.length - failed} of ${results.length} as expected`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true })
}
