/**
 * Runs the shop's suites with chaos: the correct suites, which must pass with every seed, and the Go suite with each
 * planted mistake, which a few seeds must find. Prints a table: `npm run build && node test/e2e/shop/chaos.ts [seeds of
 * the right suites] [seeds for a mistake]`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGo, chaotic, environmentOf, go, mistakes, python, type Suite, vitest } from './suites.ts'

const [rightSeeds = 100, mistakeSeeds = 20] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'payctl-shop-chaos-'))

interface Counts {
  readonly sql: number
  readonly report: number
}

/** Runs a suite under `payctl emulate`. Returns the output of payctl, and the counts of both books in each run. */
function run(name: string, { command, env }: Pick<Suite, 'command' | 'env'>) {
  const counts = join(folder, name.replace(/\W+/g, '-'))
  mkdirSync(counts)
  const [file = '', ...args] = command
  const own = environmentOf({ name, command, env: { ...env, SHOP_COUNTS: counts } }, folder)
  const { status, stdout, stderr } = spawnSync(file, args, { env: own, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const books = readdirSync(counts).map((each) => JSON.parse(readFileSync(join(counts, each), 'utf8')) as Counts)
  return { status, said: `${stdout}${stderr}`, differing: books.filter(({ sql, report }) => sql !== report), books }
}

function right(name: string, command: readonly string[], env: Suite['env'] = {}): boolean {
  const flags = ['--chaos-seeds', `${rightSeeds}`, '--chaos-all', '--chaos-reduce', '0']
  const { status, said, differing, books } = run(name, { command: [...chaotic(flags), ...command], env })
  const passed = said.match(/^Seed \d+, .*: passed/gm)?.length ?? 0
  const isRight = status === 0 && passed === rightSeeds && differing.length === 0
  if (!isRight) console.log(said)
  const counted =
    books.length > 0 ? `, counts equal to SQL’s in ${books.length - differing.length} of ${books.length} runs` : ''
  console.log(`${name}: ${passed} of ${rightSeeds} seeds passed${counted}`)
  return isRight
}

function mistaken(mistake: string): boolean {
  const command = [...chaotic(['--chaos-seeds', `${mistakeSeeds}`]), ...go(folder)]
  const { said, differing, books } = run(mistake, { command, env: { SHOP_MISTAKE: mistake } })
  const [, seed = '-'] = /^Seed (\d+), .*: exit 6/m.exec(said) ?? []
  const [, fewest = '-', of = '-', runs = '-'] = /needs (\d+) of (\d+) faults to fail \((\d+) runs/.exec(said) ?? []
  const steady = /fails (?:again|only) in (\d of \d)/.exec(said)?.[1] ?? '-'
  const columns = [mistake, `seed ${seed}`, `${fewest} of ${of} faults`, `${runs} runs`, `fails in ${steady}`]
  console.log(`${columns.join(' | ')} | SQL’s count in ${books.length - differing.length} of ${books.length}`)
  return seed !== '-' && Number(fewest) <= 3 && differing.length === 0
}

try {
  buildGo(folder)
  const results = [
    right('vitest', vitest),
    right('unittest', python, { PYTHONDONTWRITEBYTECODE: '1' }),
    right('go test', go(folder)),
    ...mistakes.map(mistaken),
  ]
  const failed = results.filter((isRight) => !isRight).length
  console.log(`${results.length - failed} of ${results.length} as expected`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true })
}
