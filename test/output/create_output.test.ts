import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { field } from '../../src/output/columns.ts'
import { createOutput } from '../../src/output/create_output.ts'
import { Captured } from '../support/run_payctl.ts'

const columns = [field('n', (row: { readonly n: number }) => row.n)]

const outputTo = (stdout: Writable & { isTTY?: boolean }, settings = {}) =>
  createOutput({ io: { stdin: new PassThrough(), stdout, stderr: new Captured() }, env: {}, globals: {}, ...settings })

describe('the format', () => {
  it.each([
    [{}, {}, 0, 'tsv'],
    [{}, {}, 80, 'table'],
    [{}, { PAYCTL_OUTPUT: 'csv' }, 80, 'csv'],
    [{ output: 'yaml' }, { PAYCTL_OUTPUT: 'csv' }, 0, 'yaml'],
    [{ json: true }, { PAYCTL_OUTPUT: 'csv' }, 0, 'json'],
    [{ json: true, output: 'json' }, {}, 0, 'json'],
  ] as const)('of flags %j and environment %j on %i columns is as asked', (globals, env, width, format) => {
    expect(outputTo(new Captured(width), { globals, env }).format).toBe(format)
  })
})

describe('colour', () => {
  it.each([
    [80, {}, {}, true],
    [0, {}, {}, false],
    [80, { NO_COLOR: '1' }, {}, false],
    [80, { TERM: 'dumb' }, {}, false],
    [80, {}, { color: false }, false],
    [0, { FORCE_COLOR: '1' }, {}, true],
    [80, { FORCE_COLOR: '0' }, {}, false],
    [80, { FORCE_COLOR: '1', NO_COLOR: '1' }, {}, false],
    [0, { FORCE_COLOR: '1' }, { color: false }, false],
    [80, { NO_COLOR: '' }, {}, true],
    [80, { CLICOLOR: '0' }, {}, false],
    [80, { CLICOLOR: '1' }, {}, true],
    [0, { CLICOLOR_FORCE: '1' }, {}, true],
    [0, { CLICOLOR_FORCE: '1', FORCE_COLOR: '0' }, {}, false],
    [0, { CLICOLOR_FORCE: '0' }, {}, false],
  ])('on %i columns with %j and %j', async (width, env, globals, coloured) => {
    const stdout = new Captured(width)
    await outputTo(stdout, { env, globals: { output: 'table', ...globals } }).list([{ n: 1 }], columns)
    expect(stdout.text.includes('\u001b[')).toBe(coloured)
  })
})

describe('a stream', () => {
  it('waits for a slow reader', async () => {
    let taken = 0
    const unfinished: (() => void)[] = []
    const stdout = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => unfinished.push(done) })
    const rows = async function* () {
      for (; taken < 10; taken++) yield { n: taken }
    }
    const written = outputTo(stdout).stream(rows(), columns)
    for (let writes = 1; writes <= 11; writes++) {
      await vi.waitFor(() => expect(unfinished).toHaveLength(1), 10_000)
      expect(taken).toBeLessThan(writes)
      unfinished.shift()?.()
    }
    await written
    expect(taken).toBe(10)
  })

  it('stops reading its source when the reader is gone', async () => {
    let taken = 0
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })),
    }).on('error', () => {})
    const rows = async function* () {
      for (let n = 0; n < 1000; n++) {
        taken++
        yield { n }
      }
    }
    await expect(outputTo(stdout).stream(rows(), columns)).rejects.toThrow('gone')
    expect(taken).toBeLessThan(3)
  })

  it('ends with the first write that fails, not with the next one, which may never come', async () => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('gone')) }).on('error', () => {})
    const rows = async function* () {
      yield { n: 1 }
      await new Promise(() => {})
    }
    await expect(outputTo(stdout, { globals: { output: 'ndjson' } }).stream(rows(), columns)).rejects.toThrow('gone')
  })
})

describe('a note', () => {
  it('goes to stderr on one line without control characters, and not at all with --quiet', () => {
    const stderr = new Captured()
    const io = { stdin: new PassThrough(), stdout: new Captured(), stderr }
    createOutput({ io, env: {}, globals: {} }).note('paid \u001b[31mAna\nerror: forged')
    createOutput({ io, env: {}, globals: { quiet: true } }).note('silent')
    expect(stderr.text).toBe('paid [31mAna error: forged\n')
  })
})
