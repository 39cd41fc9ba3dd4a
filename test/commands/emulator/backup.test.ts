import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { withLock } from '../../../src/lock/lock.ts'
import { nextTurn } from '../../../src/real_time.ts'
import { newFolder } from '../../emulator/store/folder.ts'
import { adminKey, digestOf, newKey } from '../../emulator/teams/company.ts'
import { startPayctl, surroundings } from '../../support/payctl_process.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { startProcess } from '../../support/running.ts'
import { serve } from '../../support/server.ts'

async function start(options: EmulatorOptions = {}) {
  const folder = newFolder()
  const emulator = await startEmulator({ worlds: folder, settle: 'manual', rateLimit: null, ...options })
  onTestFinished(() => emulator.close())
  return { emulator, folder }
}

const env = ({ baseUrl, token }: Emulator) => ({ PAYCTL_BASE_URL: baseUrl, PAYCTL_TOKEN: token })

/** Runs a command against an emulator; returns its result with --json. */
async function run(emulator: Emulator, argv: readonly string[], expected = 0) {
  const { code, stdout, stderr } = await runPayctl([...argv, '--json'], { env: env(emulator) })
  expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' })
  return { result: JSON.parse(stdout || 'null'), stderr }
}

const backUp = async (emulator: Emulator, folder: string) =>
  (await run(emulator, ['emulator', 'backup', folder])).result

async function pay(emulator: Emulator, world: string, key: string) {
  const { accounts, base_url: baseUrl, token } = await emulator.control.worlds.get({ name: world })
  const answer = await fetch(`${baseUrl}/api/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-idempotency-key': key },
    body: JSON.stringify({
      source_account_id: accounts[0]?.id,
      channel: 'sinpe_movil',
      recipient_phone: '87000001',
      amount: 100,
      description: 'Pago de la prueba',
    }),
  })
  expect(answer.status).toBe(201)
}

/** Everything that is paid and booked in a world. */
async function booked(emulator: Emulator, world: string) {
  // A world that was used can be closed only in a later turn of the event loop.
  await nextTurn()
  const control = emulator.controlOf(world)
  const { data } = await control.payments.list({ per_page: 1000 })
  const { accounts } = await emulator.control.worlds.get({ name: world })
  // Oldest first.
  return { ledger: await control.ledger(), accounts, payments: data.toReversed() }
}

/** The emulator behind a proxy that changes requests without a body, or their answers. */
async function proxyOf(
  emulator: Emulator,
  change: (url: string, pass: (url: string) => Promise<Response>) => Promise<Response>,
): Promise<Emulator> {
  const baseUrl = await serve(async ({ method = 'GET', url = '', headers }, answer) => {
    const { authorization = '' } = headers
    const passed = await change(url, (to) => fetch(`${emulator.baseUrl}${to}`, { method, headers: { authorization } }))
    answer.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' })
    answer.end(Buffer.from(await passed.arrayBuffer()))
  })
  return { ...emulator, baseUrl }
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

describe('payctl emulator backup', () => {
  it('copies worlds while people pay in them, and each copy is a moment of its world', async () => {
    const { emulator } = await start({ openWorlds: 10 })
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n']
    for (const name of names) {
      await emulator.control.worlds.create({ name })
      for (const key of ['1', '2']) await pay(emulator, name, `${name}${key}`)
    }
    const folder = join(newFolder(), 'backup')
    let isOver = false
    // Fewer worlds than may be open at the same time: the backup opens a world too.
    const payers = names.slice(0, 4).map(async (name) => {
      for (let number = 3; !isOver; number++) await pay(emulator, name, `${name}${number}`)
    })
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 15, copied: 15, unchanged: 0, left_out: [] })
    isOver = true
    await Promise.all(payers)

    const { emulator: fresh } = await start()
    const { result } = await run(fresh, ['emulator', 'restore', folder], 6)
    expect(result).toMatchObject({ restored: names.toReversed(), replaced: [], existing: ['default'] })
    for (const name of names) {
      const [before, after] = [await booked(emulator, name), await booked(fresh, name)]
      expect(after.ledger).toMatchObject({ balanced: true, problems: [] })
      expect(after.payments.length).toBeGreaterThanOrEqual(2)
      expect(before.payments.slice(0, after.payments.length)).toEqual(after.payments)
    }
  })

  it('copies a world again only after a change', async () => {
    const { emulator } = await start({ openWorlds: 2 })
    for (const name of ['a', 'b', 'c']) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    const files = () => readdirSync(join(folder, 'worlds')).toSorted()
    const before = files()
    await booked(emulator, 'b')
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 4, copied: 0, unchanged: 4 })
    expect(files()).toEqual(before)
    await pay(emulator, 'b', 'one')
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 4, copied: 1, unchanged: 3 })
    await emulator.controlOf('b').clock.advance({ ms: 60_000 })
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 4, copied: 1, unchanged: 3 })
    await emulator.controlOf('b').reset()
    expect(await backUp(emulator, folder)).toMatchObject({ copied: 1, unchanged: 3 })
    await emulator.control.worlds.delete({ name: 'c' })
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 3, copied: 0, unchanged: 3 })
    expect(files().map((file) => file.split('.')[0])).toEqual(['a', 'b', 'default'])
    for (const file of files()) expect(statSync(join(folder, 'worlds', file)).mode & 0o777).toBe(0o600)
  })

  it('copies a world whose file somebody has replaced', async () => {
    const { emulator, folder: worlds } = await start({ openWorlds: 2 })
    for (const name of ['a', 'b', 'c']) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    const file = manifestOf(folder).worlds.find(({ name }: { name: string }) => name === 'b').file
    writeFileSync(join(worlds, 'c.sqlite'), readFileSync(join(folder, 'worlds', file)))
    expect(await backUp(emulator, folder)).toMatchObject({ copied: 1, unchanged: 3 })
  })

  it('leaves the last backup whole when it is killed, and goes on where it was', async () => {
    const { emulator } = await start()
    const names = Array.from({ length: 25 }, (_, at) => `w${at}`)
    for (const name of names) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    const before = readFileSync(join(folder, 'manifest.json'), 'utf8')
    const count = () => readdirSync(join(folder, 'worlds')).filter((file) => file.endsWith('.sqlite')).length
    const all = count()
    for (const name of names) await pay(emulator, name, name)
    const child = startPayctl(emulator, ['emulator', 'backup', folder], { process: true })
    await vi.waitFor(() => expect(count()).toBeGreaterThan(all + 3), { timeout: 25_000, interval: 1 })
    child.kill('SIGKILL')
    await child.catch(() => {})
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(before)
    const written = statSync(join(folder, 'worlds')).mtimeMs
    const { emulator: fresh } = await start()
    await run(fresh, ['emulator', 'restore', folder, 'w3'])
    expect((await booked(fresh, 'w3')).payments).toEqual([])

    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 26, copied: 25, unchanged: 1, left_out: [] })
    expect(statSync(join(folder, 'worlds')).mtimeMs).toBeGreaterThan(written)
    expect(count()).toBe(26)
    await run(fresh, ['emulator', 'restore', folder, '--replace'])
    for (const name of ['default', ...names]) expect(await booked(fresh, name)).toEqual(await booked(emulator, name))
  })

  it('keeps the copies of worlds that an emulator has lost, unless a flag removes them', async () => {
    const { emulator } = await start()
    for (const name of ['a', 'b']) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    const before = readFileSync(join(folder, 'manifest.json'), 'utf8')

    const { emulator: empty } = await start()
    const { stderr } = await run(empty, ['emulator', 'backup', folder], 6)
    expect(stderr).toContain('Worlds in the backup that the emulator no longer has: 2 of 3.')
    expect(stderr).toContain(`payctl emulator backup ${folder} --prune`)
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(before)
    const { emulator: restored } = await start()
    await run(restored, ['emulator', 'restore', folder, 'a'])

    const { result } = await run(empty, ['emulator', 'backup', folder, '--prune'])
    expect(result).toMatchObject({ worlds: 1 })
  })

  it('removes the copies of worlds that were deleted', async () => {
    const { emulator } = await start()
    for (const name of ['a', 'b']) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    await emulator.control.worlds.delete({ name: 'a' })
    expect(await backUp(emulator, folder)).toMatchObject({ worlds: 2, copied: 0, unchanged: 2 })
  })

  it('misses no world if others end while the list is read', async () => {
    const { emulator } = await start()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await emulator.control.worlds.create({ name })
    let lists = 0
    // Passes requests on to the emulator, and shortens the pages of the list of worlds to two worlds.
    const proxy = await proxyOf(emulator, async (url, pass) => {
      const answer = await pass(url.replace('per_page=1000', 'per_page=2'))
      // The newest world was on the first page, so the second page begins one world later.
      if (url.startsWith('/_emulator/worlds?') && ++lists === 1) await emulator.control.worlds.delete({ name: 'e' })
      return answer
    })
    const folder = newFolder()
    await run(proxy, ['emulator', 'backup', folder])
    const copied = manifestOf(folder).worlds.map(({ name }: { name: string }) => name)
    expect(copied.toSorted()).toEqual(['a', 'b', 'c', 'd', 'default'])
  })

  it('says that it waits for another backup', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    await backUp(emulator, folder)
    const { promise: hasWaited, resolve } = Promise.withResolvers<void>()
    let backup: Promise<unknown> | undefined
    await withLock(join(folder, 'lock'), new AbortController().signal, async () => {
      const onStderr = (text: string) => void (text.includes('Another backup is writing to this folder') && resolve())
      backup = runPayctl(['emulator', 'backup', folder], { env: env(emulator), onStderr })
      await hasWaited
    })
    expect(await backup).toMatchObject({ code: 0 })
  })

  it('refuses a folder that has other files, and changes nothing there', async () => {
    const { emulator, folder: worlds } = await start()
    const around = newFolder()
    mkdirSync(join(around, 'worlds'))
    writeFileSync(join(around, 'worlds', 'default.sqlite'), 'a world of an emulator')
    for (const folder of [worlds, around]) {
      const before = readdirSync(folder)
      const { code, stderr } = await runPayctl(['emulator', 'backup', folder], { env: env(emulator) })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('default.sqlite, but no backup.') })
      expect(readdirSync(folder)).toEqual(before)
    }
    const empty = await runPayctl(['emulator', 'backup', ''], { env: env(emulator) })
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('The name of the folder is empty.') })
  })

  it('says that it can’t write, and keeps the earlier backup', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    await backUp(emulator, folder)
    const before = manifestOf(folder)
    await pay(emulator, 'default', 'one')
    const { exitCode, stderr } = await startProcess(['emulator', 'backup', folder], {
      through: ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh'],
      env: surroundings(emulator),
      reject: false,
    })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(
        `The backup can’t be written to ${folder}: the file would exceed the size limit.`,
      ),
    })
    expect(manifestOf(folder)).toEqual(before)
  })

  it('copies a snapshot once, again after it was replaced, and not after it was deleted', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    const files = () => readdirSync(join(folder, 'snapshots')).map((file) => file.split('.')[0])
    await emulator.control.snapshots.create({ name: 'one' })
    await emulator.control.snapshots.create({ name: 'two' })
    expect(await backUp(emulator, folder)).toMatchObject({ snapshots: 2, snapshots_copied: 2, snapshots_left_out: [] })
    expect(await backUp(emulator, folder)).toMatchObject({ copied: 0, snapshots: 2, snapshots_copied: 0 })
    await emulator.control.snapshots.create({ name: 'one', replace: true })
    expect(await backUp(emulator, folder)).toMatchObject({ snapshots: 2, snapshots_copied: 1 })
    expect(files().toSorted()).toEqual(['one', 'two'])
    await emulator.control.snapshots.delete({ name: 'two' })
    expect(await backUp(emulator, folder)).toMatchObject({ snapshots: 1, snapshots_copied: 0 })
    expect(files()).toEqual(['one'])
  })

  it('keeps the copies of snapshots that an emulator has lost, unless a flag removes them', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    for (const name of ['one', 'two']) await emulator.control.snapshots.create({ name })
    await backUp(emulator, folder)
    const before = manifestOf(folder)
    for (const name of ['one', 'two']) await emulator.control.snapshots.delete({ name })

    const { stderr } = await run(emulator, ['emulator', 'backup', folder], 6)
    expect(stderr).toContain('The emulator has none of the 2 snapshots in the backup.')
    expect(manifestOf(folder)).toEqual(before)
    const { result } = await run(emulator, ['emulator', 'backup', folder, '--prune'])
    expect(result).toMatchObject({ worlds: 1, snapshots: 0 })
  })

  it('keeps the copies of snapshots that an older emulator does not export', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    await emulator.control.snapshots.create({ name: 'one' })
    await backUp(emulator, folder)
    await emulator.control.snapshots.create({ name: 'one', replace: true })
    const older = await proxyOf(emulator, (url, pass) => pass(url.replace('/snapshots/one/export', '/unknown')))

    const { result, stderr } = await run(older, ['emulator', 'backup', folder], 6)
    expect(result).toMatchObject({ snapshots: 1, snapshots_copied: 0, snapshots_left_out: [{ name: 'one' }] })
    expect(stderr).toContain('The emulator may be older than this payctl.')
    expect(existsSync(join(folder, 'snapshots', manifestOf(folder).snapshots[0].file))).toBe(true)
  })

  it('leaves out a snapshot that can’t be read, keeps its last copy, and ends with 6', async () => {
    const { emulator, folder: worlds } = await start()
    const folder = newFolder()
    for (const name of ['bad', 'good']) await emulator.control.snapshots.create({ name })
    await backUp(emulator, folder)
    const [last] = manifestOf(folder).snapshots
    await emulator.close()
    writeFileSync(join(worlds, 'snapshots', 'bad.sqlite'), 'broken')
    const { emulator: again } = await start({ worlds })
    const { result, stderr } = await run(again, ['emulator', 'backup', folder], 6)
    expect(result).toMatchObject({ left_out: [], snapshots: 2, snapshots_copied: 0 })
    expect(stderr).toContain('Snapshot bad was left out: ')
    expect(manifestOf(folder).snapshots).toContainEqual(last)
    expect(existsSync(join(folder, 'snapshots', last.file))).toBe(true)
  })

  it('leaves out a world that can’t be opened, keeps its last copy, and ends with 6', async () => {
    const { emulator, folder: worlds } = await start({ openWorlds: 2, onNotice: () => {} })
    for (const name of ['a', 'b', 'c']) await emulator.control.worlds.create({ name })
    const folder = newFolder()
    await backUp(emulator, folder)
    const last = manifestOf(folder).worlds.find(({ name }: { name: string }) => name === 'c')
    writeFileSync(join(worlds, 'c.sqlite'), 'broken')
    const { result, stderr } = await run(emulator, ['emulator', 'backup', folder], 6)
    expect(result).toMatchObject({ worlds: 4, left_out: [{ name: 'c', problem: expect.stringContaining('c.sqlite') }] })
    expect(stderr).toContain('World c was left out: ')
    expect(manifestOf(folder).worlds).toContainEqual(last)
    expect(existsSync(join(folder, 'worlds', last.file))).toBe(true)
  })
})

describe('payctl emulator restore', () => {
  async function backedUp() {
    const { emulator } = await start()
    await emulator.control.worlds.create({ name: 'shop', ttl_seconds: 600 })
    await pay(emulator, 'shop', 'one')
    const folder = newFolder()
    await backUp(emulator, folder)
    const { file } = manifestOf(folder).worlds.find(({ name }: { name: string }) => name === 'shop')
    return { emulator, folder, file: join(folder, 'worlds', file) }
  }

  it('refuses damaged copies before it changes anything', async () => {
    const { folder, file } = await backedUp()
    const { emulator: fresh } = await start()
    const whole = readFileSync(file)
    const flipped = Buffer.from(whole)
    flipped[5000] = (flipped[5000] ?? 0) ^ 1
    const spoil = [() => writeFileSync(file, flipped), () => truncateSync(file, 4096), () => rmSync(file)]
    for (const damage of spoil) {
      writeFileSync(file, whole)
      damage()
      const { code, stderr } = await runPayctl(['emulator', 'restore', folder], { env: env(fresh) })
      expect({ code, stderr }).toEqual({
        code: 6,
        stderr: expect.stringContaining('nothing was restored: shop (worlds/shop.'),
      })
      expect(stderr).toContain('Restore the files from another copy of the folder')
      await expect(fresh.control.worlds.get({ name: 'shop' })).rejects.toThrow()
    }
  })

  it('refuses a folder without a backup, and a damaged manifest', async () => {
    const { emulator, folder } = await backedUp()
    mkdirSync(join(folder, 'unreadable', 'manifest.json'), { recursive: true })
    const unreadable = await runPayctl(['emulator', 'restore', join(folder, 'unreadable')], { env: env(emulator) })
    expect(unreadable).toMatchObject({ code: 2, stderr: expect.stringContaining('can’t be read: it is a folder.') })
    const nothing = await runPayctl(['emulator', 'restore', newFolder()], { env: env(emulator) })
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('has no backup') })
    const missing = await runPayctl(['emulator', 'restore', folder, 'shop-9'], { env: env(emulator) })
    expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining('The backup has no world shop-9.') })
    writeFileSync(join(folder, 'manifest.json'), readFileSync(join(folder, 'manifest.json')).subarray(0, 99))
    for (const command of ['backup', 'restore']) {
      const { code, stderr } = await runPayctl(['emulator', command, folder], { env: env(emulator) })
      expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('manifest.json is damaged') })
    }
  })

  it('leaves a world that exists, and puts it back with a flag', async () => {
    const { emulator, folder } = await backedUp()
    const before = await booked(emulator, 'shop')
    await pay(emulator, 'shop', 'two')
    const after = await booked(emulator, 'shop')
    const { result, stderr } = await run(emulator, ['emulator', 'restore', folder, 'shop'], 6)
    expect(result).toMatchObject({ restored: [], replaced: [], existing: ['shop'] })
    expect(stderr).toContain(`payctl emulator restore ${folder} shop --replace`)
    expect(await booked(emulator, 'shop')).toEqual(after)
    const replaced = await run(emulator, ['emulator', 'restore', folder, 'shop', '--replace'])
    expect(replaced.result).toMatchObject({ replaced: ['shop'] })
    expect(await booked(emulator, 'shop')).toEqual(before)
    expect((await emulator.control.worlds.get({ name: 'shop' })).ttl_seconds).toBe(600)
    const { data } = await emulator.control.worlds.list({ status: 'live' })
    expect(data.map(({ name }) => name).toSorted()).toEqual(['default', 'shop'])
    expect(await emulator.control.snapshots.list()).toEqual([])
  })

  it('makes snapshots as they were taken, all or one, and replaces them only with a flag', async () => {
    const { emulator } = await start()
    await emulator.control.worlds.create({ name: 'shop' })
    await pay(emulator, 'shop', 'one')
    await emulator.controlOf('shop').snapshots.create({ name: 'paid' })
    await emulator.control.snapshots.create({ name: 'start' })
    const taken = await emulator.control.snapshots.list()
    const folder = newFolder()
    await backUp(emulator, folder)
    const shown = (all: typeof taken) => all.map(({ size_bytes, ...snapshot }) => snapshot)

    const { emulator: fresh } = await start()
    const all = await run(fresh, ['emulator', 'restore', folder], 6)
    expect(all.result).toMatchObject({ snapshots: { restored: ['paid', 'start'], replaced: [], existing: [] } })
    expect(shown(await fresh.control.snapshots.list())).toEqual(shown(taken))
    await fresh.control.worlds.create({ name: 'again', from: { snapshot: 'paid' } })
    expect((await booked(fresh, 'again')).payments).toMatchObject((await booked(emulator, 'shop')).payments)

    const one = ['emulator', 'restore', folder, '--snapshot', 'paid']
    await fresh.control.snapshots.create({ name: 'paid', replace: true })
    const refused = await run(fresh, one, 6)
    expect(refused.result).toMatchObject({ restored: [], existing: [], snapshots: { existing: ['paid'] } })
    expect(refused.stderr).toContain(`payctl emulator restore ${folder} --snapshot paid --replace`)
    const replaced = await run(fresh, [...one, '--replace'])
    expect(replaced.result.snapshots).toEqual({ restored: [], replaced: ['paid'], existing: [] })
    expect(shown(await fresh.control.snapshots.list())).toEqual(shown(taken))
    const none = await runPayctl([...one.slice(0, -1), 'gone'], { env: env(fresh) })
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('The backup has no snapshot gone.') })
    const both = await runPayctl(['emulator', 'restore', folder, 'shop', '--snapshot', 'paid'], { env: env(fresh) })
    expect(both.code).toBe(2)
  })

  it('says that a quota leaves no room for a snapshot, not that the snapshot exists', async () => {
    const { emulator } = await start()
    const folder = newFolder()
    for (const name of ['one', 'two']) await emulator.control.snapshots.create({ name })
    await backUp(emulator, folder)
    const [teams, key] = [join(newFolder(), 'teams.json'), newKey('shop')]
    const shop = { keys: { ci: digestOf(key) }, quotas: { snapshots: 1 } }
    writeFileSync(teams, JSON.stringify({ teams: { shop } }))
    const { emulator: shared } = await start({ teams, controlToken: adminKey })
    const restore = (name: string) =>
      runPayctl(['emulator', 'restore', folder, '--snapshot', name], {
        env: { PAYCTL_BASE_URL: shared.baseUrl, PAYCTL_CONTROL_TOKEN: key },
      })

    expect((await restore('one')).code).toBe(0)
    expect((await restore('one')).stderr).toContain('Not replaced, because they exist: snapshot one.')
    const { code, stderr } = await restore('two')
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('its limit for snapshots: 1') })
  })

  it('checks the copies of snapshots before it changes anything, and reads a backup without snapshots', async () => {
    const { emulator } = await start()
    await emulator.control.snapshots.create({ name: 'start' })
    const folder = newFolder()
    await backUp(emulator, folder)
    const { snapshots, ...without } = manifestOf(folder)
    truncateSync(join(folder, 'snapshots', snapshots[0].file), 4096)
    const { emulator: fresh } = await start()
    const { code, stderr } = await runPayctl(['emulator', 'restore', folder], { env: env(fresh) })
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('start (snapshots/start.') })
    expect(await fresh.control.snapshots.list()).toEqual([])
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(without))
    expect((await run(fresh, ['emulator', 'restore', folder], 6)).result.snapshots.restored).toEqual([])
  })

  it('makes worlds that continue: payments under way complete', async () => {
    const { folder } = await backedUp()
    const { emulator: fresh } = await start()
    await run(fresh, ['emulator', 'restore', folder, 'shop'])
    expect(await fresh.control.worlds.get({ name: 'shop' })).toMatchObject({ ttl_seconds: 600, rng_stream: 'shop' })
    await fresh.controlOf('shop').clock.advance({ ms: 60_000 })
    expect((await fresh.controlOf('shop').ledger()).unfinished).toBe(0)
  })
})
