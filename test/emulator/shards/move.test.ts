import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/testing/index.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { OAuthApp } from '../oauth/oauth_app.ts'
import { newFolder } from '../store/folder.ts'

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

const ask = async ({ baseUrl, token }: Emulator, name: string, path = '/api/accounts') => {
  const answer = await fetch(`${baseUrl}/w/${name}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  const { message } = (await answer.json()) as { message: string }
  return { status: answer.status, message }
}

const credit = ({ baseUrl }: Emulator, name: string) =>
  fetch(`${baseUrl}/w/${name}/_emulator/credits`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: '88001234', amount: 700 }),
  })

const digestOf = (file: Uint8Array) => createHash('sha256').update(file).digest('hex')

/** Two shards, with a world in the first shard. */
async function shards(options: EmulatorOptions = {}) {
  const [s2, s3] = [await start({ shard: 's2', ...options }), await start({ shard: 's3' })]
  await s2.control.worlds.create({ name: 'shop-7' })
  await credit(s2, 's2.shop-7')
  const exported = async () => {
    const answer = await fetch(`${s2.baseUrl}/w/s2.shop-7/_emulator/export`)
    return new Uint8Array(await answer.arrayBuffer())
  }
  return { s2, s3, exported }
}

/** A gateway that passes requests on, and answers 502 itself after a request to a path in `fails` was carried out. */
async function gatewayTo({ baseUrl }: Emulator, fails: (path: string) => boolean): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = method === 'GET' ? undefined : await buffer(request)
    const passed = Object.entries(headers).filter(([name]) => ['authorization', 'content-type'].includes(name))
    const answer = await fetch(`${baseUrl}${url}`, {
      method,
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      ...(body && { body: new Uint8Array(body) }),
    })
    if (fails(url)) response.writeHead(502).end('Bad Gateway')
    else response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' })
    if (!response.writableEnded) response.end(new Uint8Array(await answer.arrayBuffer()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const moving = (from: Pick<Emulator, 'baseUrl'>, to: Emulator, ...more: readonly string[]) =>
  runPayctl([
    'emulator',
    'worlds',
    'move',
    's2.shop-7',
    '--to',
    to.baseUrl,
    '--base-url',
    from.baseUrl,
    '--json',
    ...more,
  ])

describe('a world that moves to another shard', () => {
  it('has its money, payments and tokens there, and its old URL says where it is', async () => {
    const { s2, s3 } = await shards()
    const balances = async (emulator: Emulator, name: string) =>
      (await emulator.control.worlds.get({ name })).accounts.map(({ balance }) => balance)
    const before = await balances(s2, 's2.shop-7')
    const { code, stdout } = await moving(s2, s3)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 's2.shop-7', base_url: `${s3.baseUrl}/w/s3.shop-7` })
    expect(await balances(s3, 's3.shop-7')).toEqual(before)
    expect((await ask(s3, 's3.shop-7')).status).toBe(200)
    const message = `World s2.shop-7 has moved: its base URL is ${s3.baseUrl}/w/s3.shop-7`
    expect(await ask(s2, 's2.shop-7')).toEqual({ status: 421, message })
    await expect(s2.control.worlds.get({ name: 's2.shop-7' })).rejects.toMatchObject({ status: 421, message })
    expect((await s2.control.worlds.list({})).data.map(({ name }) => name)).toEqual(['default'])
  })

  it('keeps its copy if a gateway answers in place of its emulator', async () => {
    const { s2, s3 } = await shards()
    const gateway = await gatewayTo(s2, (path) => path.endsWith('/moved'))
    const { code, stderr } = await moving({ baseUrl: gateway }, s3)
    expect({ code, stderr }).toEqual({
      code: 10,
      stderr: expect.stringContaining('but its emulator did not confirm the end of s2.shop-7'),
    })
    expect((await ask(s2, 's2.shop-7')).status).toBe(421)
    expect((await ask(s3, 's3.shop-7')).status).toBe(200)
  })

  it('is not copied if it is the default world', async () => {
    const { s2, s3 } = await shards()
    for (const name of ['default', 's2.default']) {
      const move = ['emulator', 'worlds', 'move', name, '--to', s3.baseUrl, '--base-url', s2.baseUrl]
      expect(await runPayctl(move)).toEqual({
        code: 6,
        stdout: '',
        stderr:
          'error: The default world can’t move: it ends with its emulator.\n' +
          '  Export the world, and import the file there:\n' +
          `next:  payctl emulator export <file> --base-url ${s2.baseUrl}\n`,
      })
    }
    expect((await s3.control.worlds.list({ status: 'ended' })).data).toEqual([])
  })

  it('has its OAuth tokens and codes there', async () => {
    const { s2, s3 } = await shards()
    const appAt = (baseUrl: string) => new OAuthApp({ baseUrl, authUrl: baseUrl } as Emulator)
    const before = appAt(`${s2.baseUrl}/w/s2.shop-7`)
    const [first, code] = [await before.signIn(), await before.code()]
    expect((await moving(s2, s3)).code).toBe(0)
    const after = appAt(`${s3.baseUrl}/w/s3.shop-7`)
    expect((await after.asked(first.access_token)).status).toBe(200)
    const refreshed = await after.refresh(first.refresh_token)
    expect((await after.asked(refreshed.body.access_token)).status).toBe(200)
    expect((await after.exchange(code)).status).toBe(200)
  })

  it('is moved with the control token of the flag', async () => {
    const controlToken = 'a-control-token-of-this-test-0123'
    const [s2, s3] = [await start({ shard: 's2', controlToken }), await start({ shard: 's3', controlToken })]
    await s2.control.worlds.create({ name: 'shop-7' })
    const { code, stderr } = await moving(s2, s3, '--control-token', controlToken)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('gets another name if one is given, and none that is taken', async () => {
    const { s2, s3 } = await shards()
    await s3.control.worlds.create({ name: 'shop-7' })
    expect((await moving(s2, s3)).code).toBe(6)
    expect((await ask(s2, 's2.shop-7')).status).toBe(200)
    expect(JSON.parse((await moving(s2, s3, '--name', 'shop-9')).stdout).base_url).toBe(`${s3.baseUrl}/w/s3.shop-9`)
  })

  it('stays if it has changed since the export', async () => {
    const { s2, exported } = await shards()
    const file = digestOf(await exported())
    await credit(s2, 's2.shop-7')
    const move = { name: 's2.shop-7', base_url: 'http://127.0.0.1:9/w/s3.shop-7', file }
    await expect(s2.control.worlds.moved(move)).rejects.toMatchObject({ status: 409 })
    await expect(s2.control.worlds.moved({ ...move, file: digestOf(await exported()) })).resolves.toMatchObject({
      base_url: move.base_url,
    })
  })

  it('stays if it was reset since the export, and then changed as often as before', async () => {
    const { s2, exported } = await shards()
    const file = digestOf(await exported())
    await fetch(`${s2.baseUrl}/w/s2.shop-7/_emulator/reset`, { method: 'POST' })
    await credit(s2, 's2.shop-7')
    const move = { name: 's2.shop-7', base_url: 'http://127.0.0.1:9/w/s3.shop-7', file }
    await expect(s2.control.worlds.moved(move)).rejects.toMatchObject({ status: 409 })
  })

  it('stays if it is the default world, or was not exported', async () => {
    const { s2 } = await shards()
    const to = { base_url: 'http://127.0.0.1:9/w/s3.shop-7', file: 'a'.repeat(64) }
    for (const name of ['default', 's2.shop-7']) {
      await expect(s2.control.worlds.moved({ name, ...to })).rejects.toMatchObject({ status: 409 })
    }
    await expect(s2.control.worlds.moved({ name: 's2.none', ...to })).rejects.toMatchObject({ status: 404 })
    await expect(s2.control.worlds.moved({ name: 's2.shop-7', ...to, base_url: 'x' })).rejects.toMatchObject({
      status: 422,
    })
  })

  it('is removed by the next start if a kill left its file, and only it', async () => {
    const folder = newFolder()
    const { s2, s3 } = await shards({ worlds: folder })
    await s2.control.snapshots.create({ name: 'start' })
    const other = await s2.control.worlds.create({ name: 'other', from: { snapshot: 'start' } })
    await s2.control.worlds.create({ name: 'shop-8' })
    await s2.close()
    const copy = join(folder, 'copy')
    copyFileSync(join(folder, 's2.shop-7.sqlite'), copy)
    const before = await start({ shard: 's2', worlds: folder })
    await moving(before, s3)
    await before.close()
    renameSync(copy, join(folder, 's2.shop-7.sqlite'))
    const again = await start({ shard: 's2', worlds: folder })
    expect((await ask(again, 's2.shop-7')).status).toBe(421)
    expect(existsSync(join(folder, 's2.shop-7.sqlite'))).toBe(false)
    expect((await ask(again, 's2.shop-8')).status).toBe(200)
    await credit(again, other.name)
    const reset = await fetch(`${again.baseUrl}/w/${other.name}/_emulator/reset`, { method: 'POST' })
    expect(reset.status).toBe(200)
    expect((await again.control.worlds.get({ name: other.name })).made_from).toEqual({ snapshot: 'start' })
  })

  it.each(['{"na', '{"name":"../x","base_url":"http://127.0.0.1"}', 'null'])(
    'is unknown at its old shard if the file about it is broken, which the emulator says: %s',
    async (content) => {
      const folder = newFolder()
      const { s2, s3 } = await shards({ worlds: folder })
      await s2.control.worlds.create({ name: 'shop-8' })
      await moving(s2, s3)
      await s2.close()
      const file = join(folder, 'moved', 's2.shop-7.json')
      writeFileSync(file, content)
      const notices: string[] = []
      const again = await start({ shard: 's2', worlds: folder, onNotice: (text) => notices.push(text) })
      expect((await ask(again, 's2.shop-7')).status).toBe(404)
      expect((await ask(again, 's2.shop-8')).status).toBe(200)
      expect(notices).toEqual([
        `${file} does not say where the world s2.shop-7 has moved: requests to this world get a 404. Restore the file, or remove it.`,
      ])
    },
  )

  it('is known at its old shard after a restart, until a new world has its name', async () => {
    const folder = newFolder()
    const { s2, s3 } = await shards({ worlds: folder })
    await moving(s2, s3)
    await s2.close()
    const again = await start({ shard: 's2', worlds: folder })
    expect((await ask(again, 's2.shop-7')).status).toBe(421)
    expect(readdirSync(folder).filter((name) => name.includes('shop-7'))).toEqual([])
    await again.control.worlds.create({ name: 'shop-7' })
    expect((await ask(again, 's2.shop-7')).status).toBe(200)
    expect(readdirSync(join(folder, 'moved'))).toEqual([])
  })

  it('is still known at its old shard if a new world of its name can’t be written', async () => {
    const folder = newFolder()
    const { s2, s3 } = await shards({ worlds: folder })
    await moving(s2, s3)
    const obstacle = join(folder, 's2.shop-7.sqlite.draft')
    mkdirSync(obstacle)
    await expect(s2.control.worlds.create({ name: 'shop-7' })).rejects.toThrow('directory')
    expect((await ask(s2, 's2.shop-7')).status).toBe(421)
    rmdirSync(obstacle)
    await s2.control.worlds.create({ name: 'shop-7' })
    expect((await ask(s2, 's2.shop-7')).status).toBe(200)
  })

  it('has a generated name that no later world gets by itself, after a restart too', async () => {
    const folder = newFolder()
    const [s2, s3] = [await start({ shard: 's2', worlds: folder }), await start({ shard: 's3' })]
    const { name } = await s2.control.worlds.create({})
    const move = ['emulator', 'worlds', 'move', name, '--to', s3.baseUrl, '--base-url', s2.baseUrl]
    expect((await runPayctl(move)).code).toBe(0)
    await s2.close()

    const again = await start({ shard: 's2', worlds: folder })
    expect((await again.control.worlds.create({})).name).not.toBe(name)
    expect((await ask(again, name)).status).toBe(421)
  })
})
