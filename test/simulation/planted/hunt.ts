import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Bug, patchesOf, planted } from './bug.ts'
import type { Break, Line } from './try_seeds.ts'

// Plants one bug at a time in a copy of the sources, never in the sources, and counts the seeds until one finds the
// bug.

/** Programs that try seeds, by the kind of seed: a sequence of requests (`ask.ts`), or a run of callers (`seek.ts`). */
const programs = { requests: 'ask.ts', callers: 'seek.ts' } as const
type Program = keyof typeof programs

/** The first seed that finds the bug, and the invariant that it breaks. */
export interface Found extends Break {
  readonly seed: number
  readonly in: Program
  /** True if the program with the bug crashed or did not end, without a broken invariant. */
  readonly crashed: boolean
}

interface Hunted {
  readonly bug: Bug
  /** Null: not found. */
  readonly found: Found | null
}

interface HuntOptions {
  /** Maximum number of seeds for each bug. */
  readonly seeds: number
  readonly onEnd: (hunted: Hunted) => void
}

/** Time limit of one seed, in milliseconds: the bug may prevent its end. */
const patience = 300_000

const copied = ['src', 'emulator', 'test/simulation', 'test/conformance', 'package.json']

/**
 * Hunts bugs. Throws for a patch that does not fit, or that prevents the start of the program: this patch plants no
 * bug.
 */
export async function hunt(bugs: readonly Bug[], { seeds, onEnd }: HuntOptions): Promise<readonly Hunted[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-planted-'))
  const hunted: Hunted[] = []
  try {
    for (const path of copied) cpSync(path, join(folder, path), { recursive: true })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    for (const bug of bugs) {
      const found = await huntOne(bug, folder, seeds).catch((cause) => {
        throw new Error(`${bug.name} was not planted`, { cause })
      })
      const one = { bug, found }
      hunted.push(one)
      onEnd(one)
    }
    return hunted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function huntOne(bug: Bug, folder: string, seeds: number): Promise<Found | null> {
  const originals = new Map<string, string>()
  for (const patch of patchesOf(bug)) {
    const path = join(folder, patch.file)
    const text = readFileSync(path, 'utf8')
    if (!originals.has(path)) originals.set(path, text)
    const bad = planted(patch, text)
    if (bad === undefined) throw new Error(`The patch does not fit ${patch.file} any more`)
    writeFileSync(path, bad)
  }
  let found: Found | null = null
  try {
    // Tries a few seeds of each kind before many, because a kind that can't find the bug would use up all its seeds.
    for (let last = 0; found === null && last < seeds; ) {
      const next = Math.min(Math.max(16, 4 * last), seeds)
      found = await find(bug, folder, [last + 1, next])
      last = next
    }
  } finally {
    for (const [path, text] of originals) writeFileSync(path, text)
  }
  if (found) await checkWithout(found, folder)
  return found
}

/** Throws if the seed also fails without the bug, because the failure then proves nothing about the bug. */
async function checkWithout({ in: program, seed }: Found, folder: string): Promise<void> {
  if (sound.has(`${program} ${seed}`)) return
  const failed = await run(program, folder, [seed, seed])
  if (failed) throw new Error(`Seed ${seed} of ${program} fails without a bug: ${failed.message}`)
  sound.add(`${program} ${seed}`)
}

/** Seeds that pass without a bug. */
const sound = new Set<string>()

type Seeds = readonly [first: number, last: number]

/**
 * Tries seeds as runs of callers and, unless the bug is in payctl itself, as sequences of requests. Tries the sequences
 * first, because they take less time.
 */
async function find(bug: Bug, folder: string, [first, last]: Seeds): Promise<Found | null> {
  const isOfCallers = bug.file.startsWith('src/') && !bug.file.startsWith('src/contract/')
  const asked = isOfCallers ? null : await run('requests', folder, [first, last])
  const before = asked === null ? last : asked.seed - 1
  return (before < first ? null : await run('callers', folder, [first, before])) ?? asked
}

/** Finds the first seed that fails. A seed also fails if the program crashes or does not end. */
async function run(program: Program, folder: string, [first, last]: Seeds): Promise<Found | null> {
  const path = join('test/simulation/planted', programs[program])
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const child = spawn(process.execPath, [path, String(first), String(last)], { cwd: folder, env })
  let seed = 0
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(0, 10_000)
  })
  const onTime = setTimeout(() => child.kill(), patience)
  const closed = new Promise<boolean>((resolve) => child.on('close', (_, signal) => resolve(signal !== null)))
  try {
    for await (const text of createInterface(child.stdout)) {
      const line = lineOf(text)
      if (line === undefined) continue
      if (line === 'done') return null
      if ('seed' in line) return { ...line, in: program, crashed: line.invariant === 'no fault' }
      seed = line.begins
      onTime.refresh()
    }
    const wasKilled = await closed
    if (seed === 0) throw new Error(`Nothing starts: ${said}`)
    const invariant = wasKilled ? 'comes to an end' : 'no fault'
    return { seed, in: program, crashed: true, invariant, message: said }
  } finally {
    clearTimeout(onTime)
    child.kill()
    await closed
  }
}

function lineOf(text: string): Line | undefined {
  if (text === '"done"') return 'done'
  return text.startsWith('{"seed":') || text.startsWith('{"begins":') ? (JSON.parse(text) as Line) : undefined
}

/** Text of the totals. */
export function printHunt(hunted: readonly Hunted[]): string {
  const counts = hunted.map(({ found }) => found?.seed ?? Number.POSITIVE_INFINITY).sort((one, other) => one - other)
  const left = hunted.filter(({ found }) => found === null).length
  const crashed = hunted.filter(({ found }) => found?.crashed).length
  const median = counts[Math.floor((counts.length - 1) / 2)]
  return `${hunted.length} planted bugs, ${left} not found, ${crashed} only crash; the median is found after ${median} seeds`
}

/** Text of one line: number of seeds, kind of seed, and broken invariant. */
export function printHunted({ bug, found }: Hunted): string {
  if (found === null) return `not found  ${bug.name.padEnd(26)}  ${bug.wrong}`
  const { seed, crashed, invariant, message } = found
  const by = `${found.in}: ${crashed ? 'CRASH ' : ''}${invariant}`
  const first = message.replace(/^\w*: /, '').split('\n', 1)[0] ?? ''
  return `${String(seed).padStart(9)}  ${bug.name.padEnd(26)}  ${by.padEnd(36)}  ${first.slice(0, 110)}`
}
