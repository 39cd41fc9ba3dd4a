import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { progressOn } from '../../src/output/progress.ts'
import type { Environment, Globals } from '../../src/run/invocation.ts'
import { TerminalStream } from '../support/main_program.ts'
import { Screen } from '../support/screen.ts'

interface Settings {
  /** Width of the terminal; without it stderr is a pipe. */
  readonly columns?: number
  readonly env?: Environment
  readonly globals?: Globals
}

/** A progress display, and the content of stderr. */
function shownOn({ columns, env = { LANG: 'es_CR.UTF-8' }, globals = {} }: Settings) {
  const size = { columns: columns ?? 80, rows: 24 }
  const screen = new Screen(size.columns, size.rows)
  const stderr = new TerminalStream(size, (text) => screen.write(text))
  if (columns === undefined) Object.assign(stderr, { isTTY: false })
  const progress = progressOn({ io: { stderr }, env, globals })
  onTestFinished(() => progress(null))
  return { progress, screen, stderr }
}

describe('progress on a terminal', () => {
  it('is a bar with a line below, and goes away', async () => {
    const { progress, screen } = shownOn({ columns: 80 })
    progress({ done: 612, total: 988, detail: '609 sent   2 refused   1 in doubt' })
    await vi.waitFor(() => expect(screen.text).not.toBe(''), 10_000)
    expect(screen.text).toBe(' ███████████████████░░░░░░░░░░░░░  612/988   61 %\n 609 sent   2 refused   1 in doubt')
    progress(null)
    expect(screen.text).toBe('')
  })

  it('leaves what else is written above it', async () => {
    const { progress, screen, stderr } = shownOn({ columns: 40 })
    progress({ done: 5, total: 10 })
    await vi.waitFor(() => expect(screen.text).not.toBe(''), 10_000)
    stderr.write('line 5 was refused\n')
    expect(screen.text).toMatch(/^line 5 was refused\n +█+░+ {2}5\/10 {3}50 %$/)
  })

  it('fits a narrow terminal, in ASCII where the locale needs it', async () => {
    const { progress, screen } = shownOn({ columns: 32, env: { NO_COLOR: '1', LANG: 'C' } })
    progress({ done: 50, total: 100, detail: 'a detail that is much too long for it' })
    await vi.waitFor(() => expect(screen.text).not.toBe(''), 10_000)
    expect(screen.text).toBe(' ######-------  50/100   50 %\n a detail that is much too lo~')
  })

  it('shows the time that is left, or without a total the time that has passed', async () => {
    const { progress, screen } = shownOn({ columns: 100 })
    progress({ done: 400, total: 1000 })
    await vi.waitFor(() => expect(screen.text).not.toBe(''), 10_000)
    progress({ done: 500, total: 1000 })
    await vi.waitFor(() => expect(screen.text).toMatch(/500\/1,000 {3}50 % {3}\d+\/s {3}0:\d\d left$/), 10_000)
    progress({ done: 500 })
    await vi.waitFor(() => expect(screen.text).toMatch(/^ *500 {3}\d+\/s {3}0:\d\d$/), 10_000)
  })
})

describe('progress elsewhere', () => {
  it('is a line for every thousand items', () => {
    const { progress, screen } = shownOn({})
    for (let done = 1; done <= 2500; done += 1) progress({ done, total: 2500, detail: '0 refused' })
    expect(screen.text).toMatch(/^1,000\/2,500, 40 %(, .+)?, 0 refused\n2,000\/2,500, 80 %(, .+)?, 0 refused$/)
  })

  it('is a line every ten seconds', () => {
    const { progress, screen } = shownOn({})
    const now = vi.spyOn(Date, 'now')
    const start = Date.now()
    progress({ done: 0, total: 10 })
    for (const [ms, done] of [
      [9_000, 1],
      [10_001, 2],
      [15_000, 3],
      [20_100, 4],
    ] as const) {
      now.mockReturnValue(start + ms)
      progress({ done, total: 10 })
    }
    expect(screen.text.split('\n').map((line) => line.split(',')[0])).toEqual(['2/10', '4/10'])
  })

  it.each([
    ['none', { progress: 'none' }, 80],
    ['quiet', { quiet: true }, 80],
    ['quiet, off a terminal', { quiet: true }, undefined],
    ['verbose', { verbose: true }, 80],
  ] as const)('is not shown: %s', (_, globals, columns) => {
    const { progress, screen } = shownOn({ globals, ...(columns && { columns }) })
    for (const done of [1, 1001, 2001]) progress({ done, total: 3000 })
    expect(screen.text).toBe('')
  })

  it('is plain on a terminal where that is asked for, and where the cursor can not move', () => {
    for (const settings of [{ globals: { progress: 'plain' } as const }, { env: { TERM: 'dumb' } }]) {
      const { progress, screen } = shownOn({ columns: 80, ...settings })
      for (const done of [1, 1001]) progress({ done, total: 2002 })
      expect(screen.text).toMatch(/^1,001\/2,002, 50 %/)
    }
  })
})
