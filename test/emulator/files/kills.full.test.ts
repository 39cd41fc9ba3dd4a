import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Page, WorldEntry } from '../../../src/contract/index.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { randomNumbers } from '../random_numbers.ts'
import { newFolder } from '../store/folder.ts'

const rounds = 30

/** Maximum number of worlds in a round, so that the folder stays small. */
const most = 12

/** Number of names: enough that one is always free. */
const names = 20

interface Answer {
  readonly status: number
  readonly data: unknown
}

const apiAt = (url: string) => ({
  async call(method: string, path: string, body?: object | Uint8Array<ArrayBuffer>): Promise<Answer> {
    const isFile = body instanceof Uint8Array
    const type = isFile ? 'application/vnd.sqlite3' : 'application/json'
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': type }, body: isFile ? body : JSON.stringify(body) }),
    })
    const { data } = (await answer.json()) as { data: unknown }
    return { status: answer.status, data }
  },
  async file(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await fetch(`${url}${path}`)).arrayBuffer())
  },
})

async function liveWorlds({ call }: ReturnType<typeof apiAt>): Promise<ReadonlyMap<string, string>> {
  const { data } = await call('GET', '/_emulator/worlds?status=live&per_page=1000')
  const ids = (data as Page<WorldEntry>).data.map(async ({ name }) => {
    const opened = await call('GET', `/_emulator/worlds/${name}`)
    return [name, (opened.data as WorldEntry).id] as const
  })
  return new Map(await Promise.all(ids))
}

test('however often it is killed while worlds are made, forked, imported and deleted, the folder opens with all of them', async () => {
  const roll = randomNumbers(20260107)
  const folder = join(newFolder(), 'worlds')
  /**
   * Ids of worlds that must exist, and names of worlds that may exist: the requests to create or end these had no
   * answer.
   */
  const [made, doubtful] = [new Map<string, string>(), new Set<string>()]
  const start = () => startEmulate(['--worlds', folder, '--settle', 'manual'])
  let number = 0

  for (let round = 0; round < rounds; round++) {
    const emulator = await start()
    const api = apiAt(emulator.ready.base_url)
    const { call, file } = api
    const live = await liveWorlds(api)
    expect([...live]).toEqual(expect.arrayContaining([...made]))
    for (const [name, id] of [...live].filter(([name]) => name !== 'default')) {
      expect(made.has(name) || doubtful.has(name), name).toBe(true)
      expect((await call('GET', `/w/${name}/_emulator/ledger`)).data).toMatchObject({ balanced: true })
      made.set(name, id)
    }
    doubtful.clear()
    const exported = await file('/_emulator/export')

    const making = async () => {
      // Reuses names of ended worlds.
      const name = `world-${++number % names}`
      if (made.has(name) || doubtful.has(name)) return
      const [parent = 'default'] = [...made.keys()].filter(() => roll() < 0.3)
      const kind = Math.floor(roll() * 3)
      doubtful.add(name)
      const { status, data } =
        kind === 0
          ? await call('POST', `/_emulator/import?name=${name}`, exported)
          : await call('POST', '/_emulator/worlds', { name, ...(kind === 1 && { from: { world: parent } }) })
      if (status === 201) made.set(name, (data as WorldEntry).id)
      doubtful.delete(name)
    }
    const deleting = async () => {
      const [name] = [...made.keys()].filter(() => roll() < 0.5)
      if (name === undefined) return
      made.delete(name)
      doubtful.add(name)
      const { status } = await call('DELETE', `/_emulator/worlds/${name}`)
      if (status === 200) doubtful.delete(name)
    }
    const client = async () => {
      for (;;) await (made.size > most || roll() < 0.3 ? deleting() : making())
    }
    // When the emulator is killed, the requests of a client fail, which ends the client.
    const clients = Array.from({ length: 3 }, () => client().catch(() => {}))
    setTimeout(() => emulator.child.kill('SIGKILL'), Math.floor(roll() * 300))
    await once(emulator.child, 'exit')
    await Promise.all(clients)
  }

  const emulator = await start()
  expect([...(await liveWorlds(apiAt(emulator.ready.base_url)))]).toEqual(expect.arrayContaining([...made]))
  await emulator.stop()
})
