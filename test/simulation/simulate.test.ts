import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const simulate = (...flags: string[]): string =>
  execFileSync(process.execPath, ['test/simulation/run.ts', ...flags], { encoding: 'utf8' })

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
})
