import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../../emulator/store/migrations.ts'
import { worldFile } from '../../../src/contract/index.ts'
import {
  type Emulator,
  type EmulatorOptions,
  EmulatorRefusal,
  type EmulatorWorld,
  startEmulator,
} from '../../../src/testing/index.ts'
import { startReceiver } from '../control/receiver.ts'
import { startWorld } from '../control/world.ts'
import { newFolder } from '../store/folder.ts'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

const balanceOf = async ({ name, control }: Pick<EmulatorWorld, 'name' | 'control'>) =>
  (await control.worlds.get({ name })).accounts[0]?.balance

const phone = { recipient_phone: '87000001' } as const
const hour = 3_600_000

describe('a file of a world', () => {
  it('goes on in another emulator: payments under way, waiting deliveries, the clock', async () => {
    const here = await startWorld()
    const receiver = await startReceiver()
    await here.client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.completed'] } })
    await here.steer('control.clock.advance', { body: { ms: 24 * hour } })
    await here.steer('control.clock.freeze')
    const paid = await here.pay(phone, 100_000)
    const { now } = await here.steer('control.clock.get')
    const file = await here.emulator.control.export()
    await here.emulator.close()

    const there = await start({ token: 'another-token', seed: 'empty' })
    const world = await there.world({ from: { file } })
    const read = async (path: string) => {
      const answer = await fetch(`${world.baseUrl}${path}`, { headers: { Authorization: 'Bearer another-token' } })
      return ((await answer.json()) as { data: unknown }).data
    }
    expect(await world.control.clock.get()).toMatchObject({ now, frozen: true })
    expect(await read(`/api/payments/${paid.id}`)).toMatchObject({ status: 'pending', amount: { value: 100_000 } })
    expect(world.accounts()[0]).toMatchObject({ id: here.colones, balance: 249_900_000 })
    await world.control.clock.advance({ ms: 60_000 })
    expect(await read(`/api/payments/${paid.id}`)).toMatchObject({ status: 'completed' })
    expect(receiver.received).toHaveLength(1)
    expect(await world.control.ledger()).toMatchObject({ balanced: true })
    expect(there.accounts()).toEqual([])
  })

  it('goes on from the moment of the export, however late that is, also after a reset', async () => {
    const emulator = await start()
    await emulator.control.clock.set({ time: '2040-01-01T00:00:00Z' })
    await emulator.control.clock.speed({ speed: 0.5 })
    const file = await emulator.control.export()
    const late = await exportedBefore(file, 30 * 24 * hour)
    const world = await emulator.world({ from: { file: late } })
    const began = Date.parse('2040-01-01T00:00:00Z')
    const age = async () => Date.parse((await world.control.clock.get()).now) - began
    expect(await age()).toBeLessThan(hour)
    expect(await age()).toBeGreaterThanOrEqual(0)
    await world.control.clock.advance({ ms: 24 * hour })
    await world.control.reset()
    expect(await age()).toBeLessThan(hour)
    expect(await world.control.clock.get()).toMatchObject({ speed: 0.5 })
  })

  it('is what the world of it goes back to, and forks of that are its forks', async () => {
    const emulator = await start()
    await emulator.control.credits.create({ to: '88001234', amount: 500 })
    const file = await emulator.control.export()
    const world = await emulator.world({ name: 'bug', from: { file } })
    await world.control.credits.create({ to: '88001234', amount: 70 })
    const fork = await emulator.world({ from: { world: 'bug' } })
    expect([await balanceOf(world), await balanceOf(fork)]).toEqual([250_000_570, 250_000_570])
    await world.control.reset()
    expect(await balanceOf(world)).toBe(250_000_500)
    const { made_from } = await emulator.control.worlds.get({ name: 'bug' })
    expect(made_from).toEqual({ file: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const again = await emulator.world({ from: { file: await world.control.export() } })
    expect(await balanceOf(again)).toBe(250_000_500)
  })

  it('can hold whatever the emulator can be brought to: none of its own files is refused', async () => {
    const guide = readFileSync(new URL('../../../docs/guide/seeds.md', import.meta.url), 'utf8')
    const seedFile = join(newFolder(), 'world.yaml')
    writeFileSync(seedFile, /```yaml\n([^`]*)```/.exec(guide)?.[1] ?? '')
    for (const seed of [{ seedFile }, { seed: 'demo' }] as const) {
      const emulator = await start({
        ...seed,
        rngSeed: 7,
        oauthClients: [{ id: 'app', redirectUris: ['com.example.app:/callback'] }],
      })
      const { control, client } = emulator
      const [account] = emulator.accounts()
      const id = account?.id ?? ''
      await client.call('webhooks.create', {
        body: { url: 'http://127.0.0.1:9/ñ?a=b', events: ['payment.processing'] },
      })
      for (const to of ['processing', 'completed', 'failed', 'timeout', 'system_error'] as const) {
        const body = {
          source_account_id: id,
          recipient_phone: 'seedFile' in seed ? '61119999' : '87000001',
          amount: 100,
        }
        const paid = await client.call('payments.create', { headers: { 'X-Idempotency-Key': to }, body })
        await control.payments.move({ id: paid.id, to, after_ms: to === 'failed' ? 3_600_000 : 0 })
      }
      await control.accounts.set({ id, status: 'inactive', balance: 1 })
      await control.tokens.mint({ scopes: ['read-user'], expires_in: 60 })
      await control.rails.set({ pin: 'offline' })
      await control.fx.set({ bid: 500.5, ask: null, spread: 0.1 })
      await control.fees.set({ pin: 0 })
      await control.rateLimit.set({ limit: null })
      await control.clock.speed({ speed: 0.001 })
      await control.clock.runUntilIdle({ ms: 60_000 })
      const world = await emulator.world({ from: { file: await control.export() } })
      const [here, there] = [await control.state(), await world.control.state()]
      expect({ ...there, world: '', clock: {}, fx: {} }).toEqual({ ...here, world: '', clock: {}, fx: {} })
      await emulator.close()
    }
  })

  it('holds nothing that was deleted', async () => {
    const { control } = await start()
    const name = 'Somebody Deleted'
    await control.registry.add({ phone: '71112222', name, document_number: '0109990888' })
    expect(Buffer.from(await control.export()).includes(name)).toBe(true)
    await control.registry.remove({ address: '71112222' })
    expect(Buffer.from(await control.export()).includes(name)).toBe(false)
  })

  it('is taken over HTTP, under a name and for a time', async () => {
    const { baseUrl } = await start()
    const exported = await fetch(`${baseUrl}/_emulator/export`)
    expect(exported.headers.get('content-type')).toBe(worldFile.type)
    const file = await exported.arrayBuffer()
    const send = async (query: string, body: ArrayBuffer | string, type: string = worldFile.type) => {
      const headers = { 'Content-Type': type }
      const answer = await fetch(`${baseUrl}/_emulator/import${query}`, { method: 'POST', body, headers })
      return { status: answer.status, body: await answer.json() }
    }
    expect(await send('?name=a&ttl_seconds=60', file)).toMatchObject({
      status: 201,
      body: { data: { name: 'a', ttl_seconds: 60, base_url: `${baseUrl}/w/a` } },
    })
    expect(await send('?name=a', file)).toMatchObject({ status: 409 })
    expect(await send('?name=A', file)).toMatchObject({ status: 422 })
    expect(await send('', '{}', 'application/json')).toMatchObject({ status: 415 })
    expect(await send('', 'text')).toMatchObject({ status: 422 })
    expect((await fetch(`${baseUrl}/_emulator/import`, { method: 'POST' })).status).toBe(422)
    const { port, data } = { port: 0, data: await send('?port=0', file) }
    expect(new URL((data.body as { data: { base_url: string } }).data.base_url).port).not.toBe(String(port))
  })

  it('can be longer than any other body', async () => {
    const emulator = await start()
    const name = 'x'.repeat(200)
    for (let n = 0; n < 4000; n += 1) {
      emulator.control.registry.add({ phone: `7${String(n).padStart(7, '0')}`, name, document_number: '0109990888' })
    }
    const { registry } = emulator.control
    await registry.list()
    const file = await emulator.control.export()
    expect(file.length).toBeGreaterThan(1024 * 1024)
    const headers = { 'Content-Type': worldFile.type }
    const answer = await fetch(`${emulator.baseUrl}/_emulator/import`, { method: 'POST', body: file, headers })
    expect(answer.status).toBe(201)
  })

  it('is given to the library as a path or as bytes, and as one thing', async () => {
    const emulator = await start()
    const path = join(newFolder(), 'a.sqlite')
    writeFileSync(path, await emulator.control.export())
    expect((await emulator.world({ from: { file: path } })).accounts()).toEqual(emulator.accounts())
    const both = { file: path, seed: 'demo' } as { file: string }
    await expect(emulator.world({ from: both })).rejects.toThrow(EmulatorRefusal)
    await expect(emulator.world({ from: { file: `${path}x` } })).rejects.toThrow('can’t be read')
    const own = fileURLToPath(import.meta.url)
    await expect(emulator.world({ from: { file: own } })).rejects.toThrow('was not made by payctl emulate')
    // A caller of control endpoints must not make the emulator read its files.
    const body = JSON.stringify({ from: { file: path } })
    const headers = { 'Content-Type': 'application/json' }
    const asked = await fetch(`${emulator.baseUrl}/_emulator/worlds`, { method: 'POST', headers, body })
    expect(asked.status).toBe(422)
  })

  it('can be a data file that is closed, and of an older payctl', async () => {
    const data = join(newFolder(), 'world.db')
    const first = await startEmulator({ data, settle: 'manual' })
    await first.control.credits.create({ to: '88001234', amount: 500 })
    await first.close()
    const emulator = await start()
    const closed = await emulator.world({ from: { file: data } })
    expect(closed.accounts()[0]?.balance).toBe(250_000_500)

    const old = new Sqlite(join(newFolder(), 'old.db'))
    old.pragma(`application_id = ${0x7063746c}`)
    for (const step of migrations.slice(0, 3)) old.exec(step)
    old.pragma('user_version = 3')
    old.exec(
      `INSERT INTO users VALUES (1, '01900000-0000-7000-8000-000000000001', 'Ana', 'a@example.com', NULL, NULL, '1', 0, 0, 0)`,
    )
    const world = await emulator.world({ from: { file: old.serialize() } })
    expect(world.user.name).toBe('Ana')
    old.close()
  })
})

/** The file, changed as if it had been exported `ms` milliseconds earlier. */
async function exportedBefore(file: Uint8Array, ms: number): Promise<Uint8Array> {
  const copy = new Sqlite(Buffer.from(file))
  copy.prepare(`UPDATE settings SET value = value - ? WHERE name = 'exported_at'`).run(ms)
  const clock = JSON.parse(copy.prepare(`SELECT value FROM settings WHERE name = 'clock'`).pluck().get() as string)
  const earlier = { ...clock, offset_ms: clock.offset_ms + ms }
  copy.prepare(`UPDATE settings SET value = ? WHERE name = 'clock'`).run(JSON.stringify(earlier))
  return copy.serialize()
}
