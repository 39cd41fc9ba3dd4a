import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'
import { withLock } from '../../src/lock/lock.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const never = new AbortController().signal
const source = fileURLToPath(new URL('../../src/lock/lock.ts', import.meta.url))

/** A process that holds the lock until it is killed. */
async function startHolder(file: string) {
  const script = `import { withLock } from ${JSON.stringify(source)}
    await withLock(${JSON.stringify(file)}, new AbortController().signal, () => {
      console.log('held')
      return new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const holder = execa(process.execPath, ['--input-type=module-typescript', '--eval', script], { reject: false })
  const kill = () => holder.kill('SIGKILL')
  onTestFinished(() => void kill())
  const [said] = await once(holder.stdout, 'data')
  expect(String(said)).toBe('held\n')
  return { kill }
}

it('is held by one at a time, in one process too', async () => {
  const file = join(await temporaryDirectory(), 'new', 'a.lock')
  let inside = 0
  const work = async () => {
    expect(++inside).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
    return 'done'
  }
  const all = await Promise.all(Array.from({ length: 8 }, () => withLock(file, never, work)))
  expect(all).toEqual(Array(8).fill('done'))
})

it.each([
  ['rejects', () => Promise.reject(new Error('no luck'))],
  [
    'throws',
    () => {
      throw new Error('no luck')
    },
  ],
])('is given back at once when the work %s', async (_, work) => {
  const file = join(await temporaryDirectory(), 'a.lock')
  await expect(withLock(file, never, work)).rejects.toThrow('no luck')
  // Checks at once: garbage collection of the connection would release a forgotten lock later.
  const other = new Sqlite(file, { timeout: 0 })
  onTestFinished(() => void other.close())
  expect(other.exec('BEGIN IMMEDIATE').inTransaction).toBe(true)
})

it('dies with its holder, and is not had before', async () => {
  const file = join(await temporaryDirectory(), 'a.lock')
  const { kill } = await startHolder(file)
  let killed = false
  const mine = withLock(file, never, () => killed)
  killed = true
  kill()
  expect(await mine).toBe(true)
})

it('is not awaited after an interruption, and not taken', async () => {
  const file = join(await temporaryDirectory(), 'a.lock')
  await startHolder(file)
  const interrupt = new AbortController()
  const mine = withLock(file, interrupt.signal, () => 'worked')
  interrupt.abort('SIGINT')
  await expect(mine).rejects.toBe('SIGINT')
  await expect(withLock(file, interrupt.signal, () => 'worked')).rejects.toBe('SIGINT')
})

it('is an empty file, its owner’s alone', async () => {
  const folder = join(await temporaryDirectory(), 'new')
  const names = await withLock(join(folder, 'a.lock'), never, () => readdir(folder))
  expect(names).toEqual(['a.lock'])
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'a.lock'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'a.lock'))).size).toBe(0)
})

it.each([
  ['a file where the folder should be', async (folder: string) => writeFile(folder, '')],
  [
    'something else in its file',
    async (folder: string) => {
      await mkdir(folder)
      await writeFile(join(folder, 'a.lock'), 'This is not a database, though long enough. '.repeat(50))
    },
  ],
])('is refused with %s', async (_, prepare) => {
  const folder = join(await temporaryDirectory(), 'place')
  await prepare(folder)
  const file = join(folder, 'a.lock')
  await expect(withLock(file, never, () => 'worked')).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(file),
    hint: expect.stringContaining('PAYCTL_CONFIG_DIR'),
  })
})
