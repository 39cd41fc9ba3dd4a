import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Emulator, type EmulatorOptions, EmulatorRefusal, startEmulator } from '../../../emulator/index.ts'
import { openDataFile } from '../../../emulator/store/data_file.ts'
import { ibanOf, paid } from '../../conformance/fixture.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { allPayments, apiOn } from '../payments.ts'
import { contentsOf, newFolder } from './folder.ts'

async function start(data: string, options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ data, settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Sends `many` payments of 100 minor units, which stay unfinished. */
async function pay(emulator: Emulator, many: number) {
  const api = apiOn(emulator)
  const source = emulator.accounts().find(({ currency }) => currency === 'CRC')?.id
  const order = { source_account_id: source, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') }
  return Promise.all(Array.from({ length: many }, (_, at) => paid(api, order, `key-${at}`)))
}

/** Folders with a data file of an emulator with payments: after a crash, and after a clean end. */
let crashed: string
let used: string

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-data-files-'))
  crashed = join(folder, 'crashed')
  used = join(folder, 'used')
  for (const each of [crashed, used]) mkdirSync(each)
  const emulator = await startEmulator({ data: join(used, 'world.db'), settle: 'manual' })
  await pay(emulator, 50)
  copyFiles(used, crashed)
  await emulator.close()
  return () => rmSync(folder, { recursive: true })
})

function copyFiles(from: string, to: string): void {
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name))
}

function copyOf(original: string): { folder: string; file: string } {
  const folder = newFolder()
  copyFiles(original, folder)
  return { folder, file: join(folder, 'world.db') }
}

/** A folder with a used and closed data file, `world.db`. */
const usedFile = () => copyOf(used)

/** A folder with a data file after a crash: the content is still in the log next to the file. */
const crashedFile = () => copyOf(crashed)

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]))

function overwrite(file: string, at: number, bytes: Buffer): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, bytes.length, at)
  closeSync(opened)
}

/**
 * Starts on a file that can't be used: returns the refusal, which must have a hint, and checks that the folder is
 * unchanged.
 */
async function refused(folder: string, file: string): Promise<EmulatorRefusal> {
  const before = contentsOf(folder)
  const error = await startEmulator({ data: file, settle: 'manual' }).then(
    (emulator) => emulator.close(),
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(EmulatorRefusal)
  expect(error.message).toContain(file)
  expect(error.hint).toMatch(/\w/)
  expect(contentsOf(folder)).toEqual(before)
  return error
}

describe('a data file', () => {
  test('survives a restart: accounts, payments, references, keys and the clock', async () => {
    const file = join(newFolder(), 'world.db')
    const first = await start(file)
    const made = await pay(first, 3)
    await first.control.advanceClock(86_400_000)
    const accounts = first.accounts()
    const payments = await allPayments(apiOn(first))
    await first.close()

    const second = await start(file)

    expect(second.accounts()).toEqual(accounts)
    expect(await allPayments(apiOn(second))).toEqual(payments)
    expect((await pay(second, 3)).map(({ id }) => id)).toEqual(made.map(({ id }) => id))
    const [created] = await pay(second, 4).then((answers) => answers.slice(3))
    const [newest, ...older] = await allPayments(apiOn(second))
    expect(newest?.id).toBe(created?.id)
    expect(newest?.created_at.localeCompare(older[0]?.completed_at ?? '')).toBeGreaterThanOrEqual(0)
    expect(new Set([newest, ...older].map((payment) => payment?.channel_reference)).size).toBe(4)
  })

  test('opens again after its clock has reached the last time there is, and so do its export and seed', async () => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    const time = '9999-01-01T00:00:00.000Z'
    const first = await start(file)
    await first.control.clock.set({ time })
    const { seed } = await first.control.seed()
    const exported = await (await fetch(`${first.baseUrl}/_emulator/export`)).arrayBuffer()
    await first.close()
    writeFileSync(join(folder, 'export.db'), new Uint8Array(exported))

    for (const options of [{ data: file }, { data: join(folder, 'export.db') }, { seed }]) {
      const again = await startEmulator({ ...options, settle: 'manual' })
      onTestFinished(() => again.close())
      expect((await again.control.clock.get()).now).toBe(time)
    }
  })

  test('takes up the payments that were unfinished', async () => {
    const { file } = usedFile()

    const emulator = await start(file)
    expect(emulator.control.checkLedger()).toMatchObject({ unfinished: 50, problems: [] })
    await emulator.control.advanceClock(60_000)

    expect(emulator.control.checkLedger()).toMatchObject({ unfinished: 0, problems: [] })
    expect((await allPayments(apiOn(emulator))).every(({ status }) => status === 'completed')).toBe(true)
  })

  test('is as good after a crash', async () => {
    const { file } = crashedFile()

    const emulator = await start(file)

    expect(emulator.control.checkLedger()).toMatchObject({ payments: 50, problems: [] })
  })

  test('is written so that a power cut leaves it whole', () => {
    const connection = openDataFile(join(newFolder(), 'world.db'), () => {})
    onTestFinished(() => void connection.close())
    const [mode, synchronous] = ['journal_mode', 'synchronous'].map((name) => connection.pragma(name, { simple: true }))

    expect(mode).toBe('wal')
    expect(synchronous).toBeGreaterThanOrEqual(1) // NORMAL: SQLite forces the log to disk before it writes the file
  })

  test('closed, is one file', async () => {
    const { folder, file } = usedFile()
    await (await start(file)).close()

    expect(readdirSync(folder)).toEqual(['world.db'])
  })

  test('and the log beside it are for their owner only', async () => {
    const folder = newFolder()

    await pay(await start(join(folder, 'world.db')), 1)

    expect(modesIn(folder)).toEqual({ 'world.db': '600', 'world.db-wal': '600' })
  })

  test('is for its owner only while it is being made', () => {
    const folder = newFolder()
    let modes = {}

    openDataFile(join(folder, 'world.db'), () => {
      modes = modesIn(folder)
    }).close()

    expect(modes).toEqual({ 'world.db': '600', 'world.db-journal': '600' })
  })

  test('that others could read, with its log, is closed to them', async () => {
    const { folder, file } = crashedFile()
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o664)
    const log = openSync(`${file}-wal`, 'r')

    await start(file)

    expect(modesIn(folder)['world.db']).toBe('600')
    expect(fstatSync(log).mode & 0o777).toBe(0o600)
    closeSync(log)
  })

  test('is not made where a link points', async () => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    symlinkSync(join(folder, 'elsewhere'), file)

    expect((await refused(folder, file)).message).toContain('is a link')
  })

  test.each(['world.db', 'world.db-wal', 'world.db-journal'])('is refused when others can write %s', async (name) => {
    const { folder, file } = usedFile()
    writeFileSync(join(folder, name), '', { flag: 'a' })
    chmodSync(join(folder, name), 0o602)
    expect((await refused(folder, file)).message).toBe(`Other users can write to ${join(folder, name)}.`)
  })

  test('is refused in a folder that others can write, unless they can’t remove or rename it', async () => {
    const { folder, file } = usedFile()
    chmodSync(folder, 0o777)
    await expect(startEmulator({ data: file })).rejects.toThrow(`Other users can write to ${folder}.`)
    chmodSync(folder, 0o1777)
    await start(file)
  })

  test('is refused with a link for its log', async () => {
    const { folder, file } = usedFile()
    symlinkSync(join(newFolder(), 'x'), `${file}-wal`)
    expect((await refused(folder, file)).message).toBe(`${file}-wal is a link.`)
  })

  test.runIf(process.geteuid?.() === 0)('is refused when it, or its folder, belongs to another user', async () => {
    const { folder, file } = usedFile()
    for (const path of [file, folder]) {
      chownSync(path, nobody, nobody)
      await expect(startEmulator({ data: file })).rejects.toThrow(`${path} belongs to another user.`)
      chownSync(path, 0, 0)
    }
  })

  test('may be an empty file that is there already', async () => {
    const file = join(newFolder(), 'world.db')
    writeFileSync(file, '')

    expect((await start(file)).accounts().length).toBe(2)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('whose creation a crash interrupted is made again', async () => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    const unfinished = `
      const connection = new (require('better-sqlite3'))(process.argv[1])
      connection.pragma('cache_size = 5')
      connection.exec('BEGIN EXCLUSIVE; CREATE TABLE t (a)')
      const insert = connection.prepare('INSERT INTO t VALUES (?)')
      for (let n = 0; n < 2000; n++) insert.run('x'.repeat(500))
      process.kill(process.pid, 'SIGKILL')`
    spawnSync(process.execPath, ['-e', unfinished, file], { cwd: join(import.meta.dirname, '../../..') })
    expect(statSync(file).size).toBeGreaterThan(0)
    expect(existsSync(`${file}-journal`)).toBe(true)

    expect((await start(file)).accounts().length).toBe(2)
  })
})

test('a data file opens again after a kill in the middle of a transaction that its journal can undo', async () => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  const first = await start(file)
  await pay(first, 3)
  await first.close()
  // Each start switches the file to the write-ahead log, in a transaction like this one.
  const unfinished = `
    const connection = new (require('better-sqlite3'))(process.argv[1])
    connection.pragma('journal_mode = DELETE')
    connection.pragma('cache_size = 1')
    connection.exec('BEGIN IMMEDIATE; DELETE FROM payments; UPDATE settings SET value = zeroblob(500000)')
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['-e', unfinished, file], { cwd: join(import.meta.dirname, '../../..') })
  expect(existsSync(`${file}-journal`)).toBe(true)

  const again = await start(file)
  expect((await again.control.state()).payments).toMatchObject({ pending: 3 })
  expect(existsSync(`${file}-journal`)).toBe(false)
})

describe('a data file that can’t be used is left alone', () => {
  test('made by a newer payctl', async () => {
    for (const { folder, file } of [usedFile(), crashedFile()]) {
      overwrite(file, 60, Buffer.from([0, 0, 0, 99]))

      expect((await refused(folder, file)).message).toContain('newer')
    }
  })

  test('another program’s SQLite database', async () => {
    const folder = newFolder()
    const file = join(folder, 'other.db')
    const other = new Sqlite(file)
    other.exec('CREATE TABLE payments (id TEXT); INSERT INTO payments VALUES (1)')
    other.close()

    expect((await refused(folder, file)).message).toContain('not made by payctl')
  })

  test.each([
    ['text', 'dear diary\n'],
    ['a single byte', 'x'],
    ['zeros', '\0'.repeat(8192)],
    ['only the first words of a database', 'SQLite format 3\0'],
  ])('a file of %s', async (_, content) => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    writeFileSync(file, content)

    await refused(folder, file)
  })

  test('a folder', async () => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    mkdirSync(file)

    expect((await refused(folder, file)).message).toContain('not a file')
  })

  test('in a folder that is not there', async () => {
    const folder = newFolder()

    expect((await refused(folder, join(folder, 'nowhere', 'world.db'))).hint).toContain('mkdir -p')
  })

  test('in a file taken for a folder', async () => {
    const { folder, file } = usedFile()

    await refused(folder, join(file, 'world.db'))
  })

  test.each([1, 2, 3, 4, 5])('with garbage over one of its pages, try %i', async (part) => {
    const { folder, file } = usedFile()
    const pages = statSync(file).size / 2048
    overwrite(file, Math.floor((pages * part) / 6) * 2048, randomBytes(2048))

    expect((await refused(folder, file)).message).toContain('damaged')
  })

  test('with garbage in it after a crash', async () => {
    const { folder, file } = crashedFile()
    overwrite(file, 3 * 2048, randomBytes(4096))

    expect((await refused(folder, file)).message).toContain('damaged')
  })

  test.each([50, 100, 4096, 5000, -4096])('cut to %i bytes', async (length) => {
    const { folder, file } = usedFile()
    truncateSync(file, length < 0 ? statSync(file).size + length : length)

    await refused(folder, file)
  })

  test('in use by an emulator in another process', async () => {
    const folder = newFolder()
    const file = join(folder, 'world.db')
    const holder = await startEmulate(['--data', file])

    expect((await refused(folder, file)).message).toContain('in use')
    await holder.stop()
  })

  // This test computes no hashes: a read of the file in the process that has it open would release the lock.
  test('in use by an emulator in this process, and then still closed to others', async () => {
    const file = join(newFolder(), 'world.db')
    const first = await start(file)
    await pay(first, 3)

    await expect(startEmulator({ data: file })).rejects.toThrow('in use')
    const other = await startEmulate(['--data', file]).catch(String)
    if (typeof other !== 'string') await other.kill()

    expect(other).toContain('in use')
    expect(first.control.checkLedger()).toMatchObject({ payments: 3, problems: [] })
  })

  test('that may only be read', async () => {
    const { folder, file } = usedFile()
    chmodSync(file, 0o444)

    await asOrdinaryUser(folder, async () => {
      expect((await refused(folder, file)).hint).toContain('permissions')
    })
  })

  test('in a folder that may only be read', async () => {
    const { folder, file } = usedFile()
    chmodSync(folder, 0o555)

    await asOrdinaryUser(folder, async () => {
      expect((await refused(folder, file)).hint).toContain('permissions')
      await refused(folder, join(folder, 'new.db'))
    })
    chmodSync(folder, 0o755)
  })
})

const nobody = 65_534

/**
 * Runs work without root's privileges, because root ignores permissions: gives the folder to another user, and acts as
 * that user meanwhile.
 */
async function asOrdinaryUser(folder: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work()
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}

test('the spread of the file stays after a restart and a reset, and another spread is refused', async () => {
  const data = join(newFolder(), 'world.db')
  await start(data, { fxSpread: 0.1 }).then((first) => first.close())

  await expect(startEmulator({ data, fxSpread: 0.004 })).rejects.toMatchObject({
    message: `${data} has a spread of 0.1; fxSpread 0.004 would change nothing.`,
    hint: 'Leave fxSpread out, and set the spread once the emulator is running: emulator.control.fx.set({ spread: 0.004 })',
  })
  const again = await start(data)
  expect(await again.control.fx.get()).toMatchObject({ spread: 0.1 })
  await again.control.reset()
  expect(await again.control.fx.get()).toMatchObject({ spread: 0.1 })
  await again.close()
})

test('a file that was made without a spread takes no other one either', async () => {
  const data = join(newFolder(), 'world.db')
  await start(data).then((first) => first.close())
  await expect(startEmulator({ data, fxSpread: 0.1 })).rejects.toThrow('has a spread of 0.004')
  await start(data, { fxSpread: 0.004 }).then((same) => same.close())
})

test.each([
  [{ seed: 'empty' }, 'already holds a world made from the seed demo'],
  [{ fxSpread: 0.01 }, 'has a spread of 0.02'],
] as const)('what the file outranks is refused, and the file is not kept: %j', async (options, why) => {
  const data = join(newFolder(), 'world.db')
  const emulator = await startEmulator({ data, fxSpread: 0.005 })
  const set = { bid: null, ask: null, spread: 0.02, offline: false }
  await fetch(`${emulator.controlUrl}/_emulator/fx`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(set),
  }).then((answer) => expect(answer.status).toBe(200))
  await emulator.close()

  await expect(startEmulator({ data, ...options })).rejects.toMatchObject({
    name: 'EmulatorRefusal',
    message: expect.stringContaining(why),
  })

  const again = await startEmulator({ data, seed: 'demo', fxSpread: 0.02 })
  await again.close()
})
