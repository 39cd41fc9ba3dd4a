import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Script } from './script/script.ts'

const program = async (name: string, ...flags: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [`test/simulation/${name}`, ...flags], {
    maxBuffer: 1e8,
  })
  return stdout
}

describe('npm run simulate', () => {
  it('finds nothing wrong in a few seeds, and replays them byte by byte', async () => {
    const run = async () => (await program('run.ts', '--seeds', '2', '--log')).split('\n')
    const [first, second] = await Promise.all([run(), run()])
    const happened = (lines: readonly string[]) => lines.filter((line) => /^\d+\.\d{3} /.test(line))
    expect(happened(first).length).toBeGreaterThan(50)
    expect(happened(second)).toEqual(happened(first))
    expect(first).toContainEqual(expect.stringMatching(/^2 seeds in /))
  })

  it('finds nothing wrong in saved scripts', async () => {
    const kept = globSync('test/simulation/regressions/*.json')
    const said = await program('run.ts', ...kept.flatMap((file) => ['--script', file]))
    expect(said).toMatch(new RegExp(`^${kept.length} seeds in `))
  })

  it('makes a failing script short, and prints it as it is run again', async () => {
    const said = await program('broken_on_purpose.ts')
    expect(said).toContain('breaks "at most one batch": there was a second batch')
    const script = JSON.parse(said.slice(said.indexOf('\n{'))) as Script
    expect(script.operations.map((operation) => operation.do)).toEqual(['batch', 'batch'])
    expect(script.operations.flatMap((operation) => ('faults' in operation ? operation.faults : []))).toEqual([])
  })
})
