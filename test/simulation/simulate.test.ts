import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Script } from './script.ts'

const run = (program: string, ...flags: string[]): string =>
  execFileSync(process.execPath, [`test/simulation/${program}`, ...flags], { encoding: 'utf8' })

const simulate = (...flags: string[]): string => run('run.ts', ...flags)

describe('npm run simulate', () => {
  it('finds nothing wrong in a few seeds', () => {
    expect(simulate('--seed', '1', '--seeds', '4')).toMatch(/^4 seeds in /)
  })

  it('replays a seed byte by byte', () => {
    const lines = (text: string) => text.split('\n').filter((line) => /^\d+\.\d{3} /.test(line))
    const first = lines(simulate('--seed', '5', '--log'))
    expect(first.length).toBeGreaterThan(50)
    expect(lines(simulate('--seed', '5', '--log'))).toEqual(first)
  })

  it('finds nothing wrong in scripts that are kept', () => {
    const kept = globSync('test/simulation/regressions/*.json')
    expect(simulate(...kept.flatMap((file) => ['--script', file]))).toMatch(new RegExp(`^${kept.length} seeds in `))
  })

  it('makes a failing script short, and prints it as it is run again', () => {
    const said = run('broken_on_purpose.ts')
    expect(said).toContain('breaks "at most one batch": there was a second batch')
    const script = JSON.parse(said.slice(said.indexOf('\n{'))) as Script
    expect(script.operations.map((operation) => operation.do)).toEqual(['batch', 'batch'])
    expect(script.operations.flatMap((operation) => ('faults' in operation ? operation.faults : []))).toEqual([])
  })
})
