import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/testing/index.ts'
import { newFolder } from '../store/folder.ts'

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Answer to a request to a world, by the name in its URL. */
async function ask({ baseUrl, token }: Emulator, name: string, path = '/api/accounts') {
  const answer = await fetch(`${baseUrl}/w/${name}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  return { status: answer.status, ...((await answer.json()) as { message: string }) }
}

describe('a shard', () => {
  it('begins the names of its worlds with its own, and answers URLs with them', async () => {
    const s2 = await start({ shard: 's2' })
    const given = await s2.control.worlds.create({ name: 'shop-7' })
    expect(given).toMatchObject({ name: 's2.shop-7', base_url: `${s2.baseUrl}/w/s2.shop-7` })
    const full = await s2.control.worlds.create({ name: 's2.shop-8' })
    expect(full).toMatchObject({ name: 's2.shop-8', base_url: `${s2.baseUrl}/w/s2.shop-8` })
    expect((await s2.control.worlds.create({})).name).toBe('s2.w1')
    const imported = await s2.control.import({ name: 'copy', file: await s2.control.export() })
    expect(imported.name).toBe('s2.copy')
    expect((await ask(s2, 's2.shop-7')).status).toBe(200)
  })

  it('refuses a name that is taken, generated, or too long with the prefix', async () => {
    const s2 = await start({ shard: 's2' })
    const refusal = (name: string) => s2.control.worlds.create({ name }).catch(({ status }) => status)
    await s2.control.worlds.create({ name: 'shop-7' })
    const generated = await s2.control.worlds.create({})
    await s2.control.worlds.delete({ name: generated.name })
    expect(await refusal('shop-7')).toBe(409)
    expect(await refusal('s2.shop-7')).toBe(409)
    expect(await refusal('w1')).toBe(409)
    expect(await refusal('default')).toBe(409)
    expect(await refusal('x'.repeat(61))).toBe(422)
    expect((await s2.control.worlds.create({ name: 'x'.repeat(60) })).name).toHaveLength(63)
  })

  it.each(['/api/accounts', '/_emulator/state', '/nowhere'])(
    'answers 421 to a request for a world of another shard, and names both: %s',
    async (path) => {
      const s2 = await start({ shard: 's2' })
      expect(await ask(s2, 's3.shop-7', path)).toMatchObject({
        status: 421,
        message: 'World s3.shop-7 belongs to the shard s3. This is the shard s2',
      })
    },
  )

  it('answers 421 where a control call names a world of another shard', async () => {
    const { control } = await start({ shard: 's2' })
    await expect(control.worlds.get({ name: 's3.shop-7' })).rejects.toMatchObject({ status: 421 })
    await expect(control.worlds.delete({ name: 's3.shop-7' })).rejects.toMatchObject({ status: 421 })
    const from = { world: 's3.shop-7' }
    await expect(control.worlds.create({ from })).rejects.toMatchObject({ status: 421 })
  })

  it('answers 404 for its own worlds that do not exist, 410 for those that ended', async () => {
    const s2 = await start({ shard: 's2' })
    await s2.control.worlds.create({ name: 'shop-7' })
    await s2.control.worlds.delete({ name: 's2.shop-7' })
    expect((await ask(s2, 's2.shop-7')).status).toBe(410)
    expect((await ask(s2, 's2.shop-8')).status).toBe(404)
    expect((await ask(s2, 'shop-8')).status).toBe(404)
  })

  it('has its default world under its own name, too', async () => {
    const s2 = await start({ shard: 's2' })
    expect((await ask(s2, 's2.default', '/_emulator/state')).status).toBe(200)
    const answer = await fetch(`${s2.baseUrl}/w/s2.default/_emulator/health`)
    expect(answer.headers.get('X-Emulator-World')).toBe(s2.worldId)
    const shown = await s2.control.worlds.get({ name: 's2.default' })
    expect(shown).toMatchObject({ name: 'default', id: s2.worldId, base_url: `${s2.baseUrl}/w/s2.default` })
    await expect(s2.control.worlds.delete({ name: 's2.default' })).rejects.toMatchObject({ status: 409 })
  })

  it('opens the page of a world under the name that leads to the shard', async () => {
    const s2 = await start({ shard: 's2' })
    await s2.control.worlds.create({ name: 'shop-7' })
    const urlIn = async (name: string) => {
      const answer = await fetch(`${s2.baseUrl}/w/${name}/_emulator/page-codes`, { method: 'POST' })
      return ((await answer.json()) as { data: { url: string } }).data.url
    }
    expect(await urlIn('s2.shop-7')).toContain(`${s2.baseUrl}/w/s2.shop-7/_emulator/#code=`)
    expect(await urlIn('s2.default')).toContain(`${s2.baseUrl}/w/s2.default/_emulator/#code=`)
  })

  it('keeps the worlds of its folder under the names that they had before', async () => {
    const folder = newFolder()
    const before = await start({ worlds: folder })
    await before.control.worlds.create({ name: 'shop-7' })
    await before.control.worlds.create({ name: 'eu.shop-8' })
    await before.close()
    const s2 = await start({ worlds: folder, shard: 's2' })
    expect((await ask(s2, 'shop-7')).status).toBe(200)
    expect((await ask(s2, 'eu.shop-8')).status).toBe(200)
    expect((await ask(s2, 'eu.shop-9')).status).toBe(421)
    await s2.control.worlds.create({ name: 'shop-7' })
    expect(readdirSync(folder).filter((name) => name.endsWith('shop-7.sqlite'))).toEqual([
      's2.shop-7.sqlite',
      'shop-7.sqlite',
    ])
  })

  it('finds a file that was copied into its folder', async () => {
    const [one, other] = [newFolder(), newFolder()]
    const first = await start({ worlds: one, shard: 's2' })
    await first.control.worlds.create({ name: 'shop-7' })
    await first.close()
    copyFileSync(join(one, 's2.shop-7.sqlite'), join(other, 's2.shop-7.sqlite'))
    const second = await start({ worlds: other, shard: 's2' })
    expect((await ask(second, 's2.shop-7')).status).toBe(200)
  })

  it('refuses the folder of another shard', async () => {
    const folder = newFolder()
    const s2 = await start({ worlds: folder, shard: 's2' })
    await s2.close()
    await expect(startEmulator({ worlds: folder, shard: 's3' })).rejects.toThrow('belongs to the shard s2')
    await start({ worlds: folder })
  })

  it.each(['S2', 's.2', '', '-s', 'x'.repeat(17)])('is not called %j', async (shard) => {
    await expect(startEmulator({ shard })).rejects.toThrow('The option shard takes a name')
  })
})
