import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { type Emulator, type EmulatorOptions, type EmulatorWorld, startEmulator } from '../../../src/testing/index.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { startReceiver } from '../control/receiver.ts'
import { contentsOf, newFolder } from '../store/folder.ts'

const isRoot = process.geteuid?.() === 0

async function start(worlds: string, options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ worlds, settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

type Controlled = Pick<EmulatorWorld, 'name' | 'control'>

const balanceOf = async ({ name, control }: Controlled) => (await control.worlds.get({ name })).accounts[0]?.balance

const credit = ({ control }: Controlled, amount: number) => control.credits.create({ to: '88001234', amount })

/** A world of this name in a newly started emulator. */
async function worldIn({ control, baseUrl }: Emulator, name: string) {
  const made = await control.worlds.get({ name })
  const steer = async (path: string, body?: object) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await fetch(`${baseUrl}/w/${name}/_emulator/${path}`, body && init)
    return ((await answer.json()) as { data: { balanced: boolean } }).data
  }
  return { ...made, balance: made.accounts[0]?.balance, steer }
}

describe('a folder of worlds', () => {
  it('has them again at the next start, with what they go back to and how long they may be idle', async () => {
    const folder = join(newFolder(), 'worlds')
    const first = await start(folder)
    await credit(first, 5)
    await first.control.snapshots.create({ name: 'five' })
    const shop = await first.world({ name: 'shop-7', from: { snapshot: 'five' }, ttl: 600_000 })
    await credit(shop, 70)
    const fork = await first.world({ from: { world: 'shop-7' } })
    await credit(fork, 900)
    expect(readdirSync(folder).filter((name) => name.endsWith('.sqlite'))).toEqual([
      'default.sqlite',
      'shop-7.sqlite',
      'w1.sqlite',
    ])
    const { data: before } = await first.control.worlds.list()
    await first.close()

    const second = await start(folder)
    const kept = (entries: typeof before) =>
      entries.map((world) => ({ ...world, idle_ms: 0, requests: 0, open: true, revision: null }))
    expect(kept((await second.control.worlds.list()).data)).toEqual(kept(before))
    expect(await second.control.snapshots.list()).toMatchObject([{ name: 'five', world: 'default' }])
    expect(await balanceOf(second)).toBe(250_000_005)
    const [again, other] = [await worldIn(second, 'shop-7'), await worldIn(second, 'w1')]
    expect([again.balance, other.balance]).toEqual([250_000_075, 250_000_975])
    await again.steer('reset', {})
    await other.steer('reset', {})
    expect((await worldIn(second, 'shop-7')).balance).toBe(250_000_005)
    expect((await worldIn(second, 'w1')).balance).toBe(250_000_075)
    expect(await again.steer('ledger')).toMatchObject({ balanced: true })
    await second.control.reset()
    expect(await balanceOf(second)).toBe(250_000_000)
    await second.control.snapshots.restore({ name: 'five' })
    await second.close()

    const third = await start(folder)
    await credit(third, 1)
    await third.control.reset()
    expect(await balanceOf(third)).toBe(250_000_005)
    expect((await worldIn(third, 'w1')).balance).toBe(250_000_075)
    expect((await third.control.worlds.list()).data.at(-1)).toMatchObject({ made_from: { snapshot: 'five' } })
  })

  it('goes on after a kill: payments under way, waiting deliveries', async () => {
    const folder = newFolder()
    const receiver = await startReceiver()
    const emulator = await startEmulate(['--worlds', folder, '--settle', 'manual'])
    const { base_url: url, token } = emulator.ready
    const made = await fetch(`${url}/_emulator/worlds`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'shop' }),
    })
    const { accounts } = ((await made.json()) as { data: { accounts: { id: string }[] } }).data
    const client = createClient({ baseUrl: `${url}/w/shop`, token, retries: 0 })
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.completed'] } })
    await client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'k' },
      body: { source_account_id: accounts[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
    })
    await client.close()
    await emulator.kill()

    const again = await start(folder)
    const shop = await worldIn(again, 'shop')
    expect(shop.balance).toBe(249_999_000)
    await shop.steer('clock/advance', { ms: 60_000 })
    expect(receiver.received).toHaveLength(1)
    expect(await shop.steer('ledger')).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it('loses a world that is deleted, and what only that went back to', async () => {
    const folder = newFolder()
    const emulator = await start(folder)
    await credit(emulator, 5)
    const [one, two] = [await emulator.world({ from: { world: 'default' } }), await emulator.world()]
    expect(readdirSync(join(folder, 'origins'))).toHaveLength(2)
    await one.close()
    expect(readdirSync(folder).filter((name) => name.startsWith('w1'))).toEqual([])
    expect(readdirSync(join(folder, 'origins'))).toHaveLength(1)
    await two.control.reset()
    expect((await worldIn(emulator, 'w2')).balance).toBe(250_000_000)
    await emulator.control.snapshots.create({ name: 'a' })
    await emulator.control.snapshots.delete({ name: 'a' })
    expect(readdirSync(join(folder, 'snapshots'))).toEqual([])
    await emulator.close()

    const again = await start(folder)
    expect((await again.control.worlds.list()).data).toMatchObject([{ name: 'w2' }, { name: 'default' }])
    // The name `w1` is free again: no sender of requests to the old world survived its emulator.
    await again.world({ name: 'w1' })
  })

  it('has no file of a world that was refused', async () => {
    const folder = newFolder()
    const emulator = await start(folder, { onFault: () => {} })
    // No file is opened in a folder in which others can write.
    chmodSync(folder, 0o777)
    await expect(emulator.world({ name: 'a' })).rejects.toThrow()
    chmodSync(folder, 0o700)
    expect(readdirSync(folder).filter((name) => name.startsWith('a.'))).toEqual([])
    expect((await emulator.control.worlds.list()).data).toMatchObject([{ name: 'default' }])
    await emulator.close()
    const again = await start(folder)
    expect((await again.control.worlds.list()).data).toMatchObject([{ name: 'default' }])
    expect(await balanceOf(await again.world({ name: 'a' }))).toBe(250_000_000)
  })

  it('has no unfinished file of a snapshot that could not be written', async () => {
    const folder = newFolder()
    const { control } = await start(folder, { onFault: () => {} })
    // No file can replace a folder.
    mkdirSync(join(folder, 'snapshots', 'a.sqlite'))
    await expect(control.snapshots.create({ name: 'a' })).rejects.toThrow()
    expect(readdirSync(join(folder, 'snapshots'))).toEqual(['a.sqlite'])
  })

  it('lists a snapshot that can’t be used as broken, and all others', async () => {
    const folder = newFolder()
    const first = await start(folder)
    await credit(first, 5)
    for (const name of ['damaged', 'good', 'lost', 'open', 'turned']) await first.control.snapshots.create({ name })
    await first.close()
    const file = (name: string) => join(folder, 'snapshots', `${name}.sqlite`)
    writeFileSync(file('damaged'), 'dear diary')
    chmodSync(file('open'), 0o666)
    for (const name of ['lost', 'turned']) rmSync(file(name))
    mkdirSync(file('turned'))

    const { control } = await start(folder)
    const broken = { world: null, taken_at: null, size_bytes: expect.any(Number) }
    expect(await control.snapshots.list()).toEqual([
      {
        ...broken,
        name: 'damaged',
        size_bytes: 10,
        problem: expect.stringContaining('damaged.sqlite was not made by'),
      },
      expect.objectContaining({ name: 'good', world: 'default', taken_at: expect.any(String), problem: null }),
      { ...broken, name: 'open', problem: expect.stringContaining(`Other users can write to ${file('open')}.`) },
      { ...broken, name: 'turned', problem: `${file('turned')} can’t be read: EISDIR.` },
    ])
    await expect(control.snapshots.restore({ name: 'damaged' })).rejects.toThrow('Snapshot damaged can’t be read: ')
    const taken = 'Snapshot damaged already exists, although its file can’t be used.'
    await expect(control.snapshots.create({ name: 'damaged' })).rejects.toThrow(taken)
    expect(await control.snapshots.delete({ name: 'damaged' })).toMatchObject({ name: 'damaged', world: null })
    expect(existsSync(file('damaged'))).toBe(false)
    await control.snapshots.restore({ name: 'good' })
    await control.snapshots.create({ name: 'open', replace: true })
    const left = (await control.snapshots.list()).map(({ name, problem }) => [name, problem === null])
    expect(left).toEqual([
      ['good', true],
      ['open', true],
      ['turned', false],
    ])
  })

  it('is for its owner only', async () => {
    const folder = join(newFolder(), 'worlds')
    const emulator = await start(folder)
    await emulator.world({ name: 'a' })
    await emulator.control.snapshots.create({ name: 'b' })
    for (const path of ['', 'origins', 'snapshots']) {
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700)
      for (const name of readdirSync(join(folder, path))) {
        const { mode } = statSync(join(folder, path, name))
        expect([name, mode & 0o077]).toEqual([name, 0])
      }
    }
  })

  it('loses what was cut off by a crash, and nothing else', async () => {
    const folder = newFolder()
    const emulator = await start(folder)
    await emulator.world({ name: 'a' })
    await emulator.close()
    const left = ['b.sqlite.draft', `origins/${'0'.repeat(64)}.sqlite`, 'snapshots/c.sqlite.draft']
    const own = ['notes.txt', 'notes.txt-wal', 'x.draft', 'b.sqlite-wal']
    for (const name of [...left, ...own]) writeFileSync(join(folder, name), 'x')
    const again = await start(folder)
    expect((await again.control.worlds.list()).data).toMatchObject([{ name: 'a' }, { name: 'default' }])
    expect(left.filter((name) => existsSync(join(folder, name)))).toEqual([])
    expect(own.filter((name) => existsSync(join(folder, name)))).toEqual(own)
    expect(await balanceOf(await again.world({ name: 'b' }))).toBe(250_000_000)
  })

  it.each(['snapshots', 'origins', 'a.sqlite', 'a.sqlite-wal', 'snapshots/b.sqlite', 'snapshots/b.sqlite.draft'])(
    'is refused with a link called %s, and nothing elsewhere changes',
    async (name) => {
      const [elsewhere, folder] = [newFolder(), newFolder()]
      for (const file of ['b.sqlite.draft', 'b.sqlite-wal']) writeFileSync(join(elsewhere, file), 'dear diary')
      const before = contentsOf(elsewhere)
      const link = join(folder, name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(name.includes('.') ? join(elsewhere, 'b.sqlite.draft') : elsewhere, link)
      await expect(startEmulator({ worlds: folder })).rejects.toThrow(`${link} is a link.`)
      expect(contentsOf(elsewhere)).toEqual(before)
    },
  )

  it.each(['', 'snapshots', 'default.sqlite'])('is refused when others can write %j', async (name) => {
    const folder = newFolder()
    const first = await start(folder)
    await first.control.snapshots.create({ name: 'a' })
    await first.close()
    const path = join(folder, name)
    chmodSync(path, statSync(path).mode | 0o002)
    await expect(startEmulator({ worlds: folder })).rejects.toThrow(`Other users can write to ${path}.`)
  })

  it.runIf(isRoot)('is refused when a folder or file in it belongs to another user', async () => {
    const folder = newFolder()
    await (await start(folder)).close()
    for (const path of [folder, join(folder, 'origins'), join(folder, 'default.sqlite')]) {
      chownSync(path, 65_534, 65_534)
      await expect(startEmulator({ worlds: folder })).rejects.toThrow(`${path} belongs to another user.`)
      chownSync(path, 0, 0)
    }
    await start(folder)
  })

  it('is refused when another emulator has it, in this process or another', async () => {
    const folder = newFolder()
    const other = await startEmulate(['--worlds', folder])
    await expect(startEmulator({ worlds: folder })).rejects.toThrow('in use by another emulator')
    await other.stop()
    await start(folder)
    await expect(startEmulator({ worlds: folder })).rejects.toThrow('in use by another emulator')
  })

  it('is refused when the default world can’t be used, or there is a data file too', async () => {
    const folder = newFolder()
    await (await start(folder)).close()
    await expect(startEmulator({ worlds: folder, data: join(folder, 'x') })).rejects.toThrow('exclude each other')
    writeFileSync(join(folder, 'default.sqlite'), 'dear diary')
    await expect(startEmulator({ worlds: folder })).rejects.toThrow('default.sqlite was not made by payctl emulate')
    await expect(startEmulator({ worlds: join(folder, 'default.sqlite') })).rejects.toThrow('EEXIST')
    mkdirSync(join(folder, 'empty'))
    await start(join(folder, 'empty'))
  })

  it('takes a file that was exported as a world, where it goes on from the export', async () => {
    const [here, folder] = [await start(newFolder()), newFolder()]
    await here.control.clock.set({ time: '2040-01-01T00:00:00Z' })
    writeFileSync(join(folder, 'bug.sqlite'), await here.control.export())
    const there = await start(folder)
    const world = await there.world({ from: { world: 'bug' } })
    const { now } = await world.control.clock.get()
    expect(now.slice(0, 10)).toBe('2040-01-01')
    await world.control.reset()
    expect((await world.control.clock.get()).now.slice(0, 10)).toBe('2040-01-01')
  })
})
