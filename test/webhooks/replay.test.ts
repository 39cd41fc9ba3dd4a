import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { savedLines } from '../../src/webhooks/replay.ts'

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

it('all saved lines are read, however long it takes until the first is asked for', { timeout: 5_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payctl-replay-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'saved.ndjson')
  await writeFile(file, 'one\ntwo\nthree')
  for (const name of [file, '-']) {
    const lines = await savedLines(name, Readable.from(['one\ntwo\n', 'three']))
    // Long enough to read both, if reading began.
    for (let times = 0; times < 5; times += 1) await readFile(file)
    expect(await collect(lines)).toEqual(['one', 'two', 'three'])
  }
})
