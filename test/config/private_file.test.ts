import { spawnSync } from 'node:child_process'
import fs, { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { keep } from '../../src/cli/completion/service_values.ts'
import { announce, writeReady } from '../../src/config/running_emulators.ts'
import { webhooksFolder } from '../../src/files/directories.ts'
import { removeDrafts, replaceContent, replaceFile } from '../../src/files/private_file.ts'
import { newRecord, remember } from '../../src/webhooks/temporary_subscription.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { ready } from './ready.ts'

const record = newRecord({
  base_url: 'http://127.0.0.1:4010',
  user: 'maria',
  url: 'http://127.0.0.1:4242',
  own_url: true,
  secret_sha256: 'a'.repeat(64),
})

/** Description, name of a file, and a function that writes this file in a folder. */
const writers: readonly (readonly [string, string, (folder: string) => unknown])[] = [
  ['the ready file', 'ready.json', (folder) => writeReady(join(folder, 'ready.json'), ready())],
  ['the announcement of an emulator', `emulators/${process.pid}.json`, (folder) => announce(folder, ready())],
  ['what tail remembers', `webhooks/tail-${'a'.repeat(16)}.json`, (folder) => remember(folder, record)],
  [
    'candidates of completion',
    'completion-accounts.json',
    (folder) => keep({ directory: folder, list: 'accounts', owner: 'maria' }, []),
  ],
]

it.each(writers)('%s never goes through a link that waits in its folder', async (_, name, write) => {
  const folder = await temporaryDirectory()
  const mine = join(folder, 'mine')
  writeFileSync(mine, 'untouched', { mode: 0o644 })
  for (const made of ['emulators', webhooksFolder('')]) mkdirSync(join(folder, made))
  const file = join(folder, name)
  for (const planted of [file, `${file}.${process.pid}.tmp`, `${file}.tmp`]) symlinkSync(mine, planted)

  await write(folder)

  expect(readFileSync(mine, 'utf8')).toBe('untouched')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(expect.any(Object))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('a draft lies where nobody else can go, and is gone when it could not be written', async () => {
  const folder = await temporaryDirectory()
  const file = join(folder, 'file')
  writeFileSync(file, 'before')
  const failing = (draft: string): void => {
    expect(statSync(join(draft, '..')).mode & 0o777).toBe(0o700)
    writeFileSync(draft, 'half')
    throw new Error('no room')
  }

  expect(() => replaceFile(file, failing)).toThrow('no room')

  expect(readdirSync(folder)).toEqual(['file'])
  expect(readFileSync(file, 'utf8')).toBe('before')
})

it('a file that replaces another takes neither its mode nor its readers', async () => {
  const file = join(await temporaryDirectory(), 'file')
  writeFileSync(file, 'before', { mode: 0o666 })
  const { ino } = statSync(file)

  replaceContent(file, 'after')

  expect(statSync(file)).toMatchObject({ mode: 0o100600, size: 5 })
  expect(statSync(file).ino).not.toBe(ino)
})

it.skipIf(process.platform !== 'linux')('a name of an open file stays, and what the file has so far too', async () => {
  const folder = await temporaryDirectory()
  const [link, log] = [join(folder, 'stdout'), join(folder, 'log')]
  writeFileSync(log, 'before\n')
  const descriptor = fs.openSync(log, 'a')
  onTestFinished(() => fs.closeSync(descriptor))
  fs.symlinkSync(`/proc/self/fd/${descriptor}`, link)

  replaceContent(link, 'after\n')

  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(log, 'utf8')).toBe('before\nafter\n')
})

it('a file is on the disk before it takes the place of another, and its name after: a power cut leaves one of them whole', async () => {
  const file = join(await temporaryDirectory(), 'file')
  const steps: string[] = []
  const { fsyncSync, renameSync } = fs
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    steps.push('sync')
    fsyncSync(descriptor)
  })
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    steps.push('rename')
    renameSync(from, to)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  replaceContent(file, 'content')

  expect(steps).toEqual(['sync', 'rename', 'sync'])
  expect(readFileSync(file, 'utf8')).toBe('content')
})

it('the draft of a process that was killed is removed, one that is being written is not', async () => {
  const folder = await temporaryDirectory()
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  for (const writer of [pid, process.ppid]) mkdirSync(join(folder, `file.tmp-${writer}-Ab3dEf`))
  writeFileSync(join(folder, `file.tmp-${pid}-Ab3dEf`, 'file'), 's3cret')

  removeDrafts(folder)

  expect(readdirSync(folder)).toEqual([`file.tmp-${process.ppid}-Ab3dEf`])
})
