import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Bug, planted } from './bug.ts'

// Plants one bug at a time in a copy of the sources, never in the sources, and counts the seeds until it is found.

/** How many seeds it took, the invariant that was broken, and how. */
export interface Found {
  readonly seeds: number
  readonly by: string
  readonly message: string
}

export interface Hunted {
  readonly bug: Bug
  /** Null: not found. */
  readonly found: Found | null
}

interface HuntOptions {
  /** The most for each bug. */
  readonly seeds: number
  readonly onEnd: (hunted: Hunted) => void
}

/** Longest that the seeds of one bug may take, in milliseconds: one may never end because of the bug. */
const patience = 300_000

const copied = ['src', 'emulator', 'test/simulation', 'test/conformance', 'package.json']

export async function hunt(bugs: readonly Bug[], { seeds, onEnd }: HuntOptions): Promise<readonly Hunted[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-planted-'))
  const hunted: Hunted[] = []
  try {
    for (const path of copied) cpSync(path, join(folder, path), { recursive: true })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    // What fails without a bug would be taken for finding it.
    const sound = (await run('ask.ts', folder, 3)) ?? (await run('seek.ts', folder, 3))
    if (sound) throw new Error(`The sources fail as they are: ${sound.message}`)
    for (const bug of bugs) {
      const one = { bug, found: await huntOne(bug, folder, seeds) }
      hunted.push(one)
      onEnd(one)
    }
    return hunted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function huntOne(bug: Bug, folder: string, seeds: number): Promise<Found | null> {
  const file = join(folder, bug.file)
  const sound = readFileSync(file, 'utf8')
  const bad = planted(bug, sound)
  if (bad === undefined) throw new Error(`The patch of ${bug.name} does not fit ${bug.file} any more`)
  writeFileSync(file, bad)
  try {
    // A seed is a sequence of requests and a run of callers. The requests come first, as they take less time.
    const asked = bug.file.startsWith('emulator/') ? await run('ask.ts', folder, seeds) : null
    const left = asked === null ? seeds : asked.seeds - 1
    return (left > 0 ? await run('seek.ts', folder, left) : null) ?? asked
  } finally {
    writeFileSync(file, sound)
  }
}

/** What a program prints. One that crashes, or does not end, has found the bug with its first seed. */
function run(program: string, folder: string, seeds: number): Promise<Found | null> {
  const path = join('test/simulation/planted', program)
  const options = { cwd: folder, timeout: patience, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(process.execPath, [path, String(seeds)], options, (error, printed) => {
      const line = printed.split('\n').find((text) => text.startsWith('{"seeds"'))
      if (line !== undefined) return resolve(JSON.parse(line) as Found)
      resolve(error ? { seeds: 1, by: error.killed ? 'comes to an end' : 'no crash', message: error.message } : null)
    })
  })
}

/** The table, and what it comes to. */
export function printHunt(hunted: readonly Hunted[]): string {
  const counts = hunted.map(({ found }) => found?.seeds ?? Number.POSITIVE_INFINITY).sort((one, other) => one - other)
  const left = hunted.filter(({ found }) => found === null).length
  const median = counts[Math.floor((counts.length - 1) / 2)]
  return `${hunted.length} planted bugs, ${left} not found; the median is found after ${median} seeds`
}

export const printHunted = ({ bug, found }: Hunted): string => {
  const seeds = found === null ? 'not found' : String(found.seeds)
  return `${seeds.padStart(9)}  ${bug.name.padEnd(26)}  ${(found?.by ?? '').padEnd(24)}  ${bug.wrong}`
}
