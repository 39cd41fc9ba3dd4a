import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { controlEndpoints, type Endpoint } from '../../src/contract/index.ts'
import {
  ControlRefusal,
  connectEmulator,
  type Emulator,
  type EmulatorOptions,
  EmulatorRefusal,
  type EmulatorWorld,
  startEmulator,
} from '../../src/testing/index.ts'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

function clientOf({ baseUrl, token }: Pick<EmulatorWorld, 'baseUrl' | 'token'>) {
  const client = createClient({ baseUrl, token, retries: 0, strict: true })
  onTestFinished(() => client.close())
  return client
}

const pay = ({ baseUrl, token, accounts }: Pick<EmulatorWorld, 'baseUrl' | 'token' | 'accounts'>) =>
  clientOf({ baseUrl, token }).call('payments.create', {
    headers: { 'X-Idempotency-Key': 'k' },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })

const answers = (url: string): Promise<number> =>
  fetch(`${url}/_emulator/health`).then(
    ({ status }) => status,
    () => 0,
  )

/** Refusal that `work` throws. */
const refusalOf = async (work: () => Promise<unknown>) => {
  const error = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ControlRefusal)) throw error
  return { status: error.status, message: error.message, name: error.name }
}

describe('using', () => {
  it('ends the world, then the emulator, with the block', async () => {
    const urls: string[] = []
    {
      await using emulator = await startEmulator()
      {
        await using world = await emulator.world({ name: 'a' })
        urls.push(world.baseUrl)
        expect(await answers(world.baseUrl)).toBe(200)
      }
      expect(await answers(`${emulator.baseUrl}/w/a`)).toBe(410)
      expect(await answers(emulator.baseUrl)).toBe(200)
      urls.push(emulator.baseUrl)
    }
    for (const url of urls) expect(await answers(url)).toBe(0)
  })

  it('is at ease with a world that has ended, and with an emulator that has', async () => {
    const emulator = await start()
    const [deleted, left] = [await emulator.world(), await emulator.world()]
    await emulator.control.worlds.delete({ name: deleted.name })
    await deleted.close()
    await deleted.close()
    await emulator.close()
    await left.close()
  })
})

describe('a world of the library', () => {
  it('has all that its clients need, and shares nothing', async () => {
    const emulator = await start()
    const world = await emulator.world({ name: 'shop-7' })
    expect(world).toMatchObject({
      name: 'shop-7',
      baseUrl: `${emulator.baseUrl}/w/shop-7`,
      authUrl: `${emulator.baseUrl}/w/shop-7`,
      token: emulator.token,
      clientId: emulator.clientId,
      clientSecret: emulator.clientSecret,
      user: { name: 'María Fernández Rojas' },
    })
    expect(world.accounts()).toEqual(emulator.accounts())
    await pay(world)
    await world.control.clock.advance({ ms: 60_000 })
    expect(await clientOf(world).call('payments.history')).toMatchObject({ data: [{ status: 'completed' }] })
    expect(await clientOf(emulator).call('payments.history')).toMatchObject({ data: [] })
    const [paying] = (await world.client.call('accounts.list')).data
    expect(paying?.balance.value).toBe(Number(emulator.accounts()[0]?.balance) - 1000)
    expect((await emulator.control.clock.get()).offset_ms).toBeLessThanOrEqual(0)
  })

  it('lists its moments, and forks at one of them', async () => {
    const emulator = await start({ moments: 8 })
    await using world = await emulator.world({ name: 'shop-7' })
    await pay(world)
    const [, before] = await world.moments()
    await using fork = await emulator.world({ from: { world: 'shop-7', moment: before?.id ?? '' } })
    expect(await clientOf(fork).call('payments.history')).toMatchObject({ data: [] })
    expect(await world.moments({ request: 'r1' })).toMatchObject([{ before: before?.id, cause: { id: 'r1' } }])
    expect(await emulator.moments()).toMatchObject([{ id: 'm1', cause: { kind: 'start' } }])
  })

  it('begins with a stopped clock if payments settle by hand, also after a reset, unless set otherwise', async () => {
    const manual = await start()
    const world = await manual.world()
    const frozen = async ({ control }: Pick<EmulatorWorld, 'control'>) => (await control.clock.get()).frozen
    expect([await frozen(manual), await frozen(world)]).toEqual([true, true])
    await world.control.clock.unfreeze()
    expect(await frozen(await manual.world({ from: { world: world.name } }))).toBe(false)
    await world.control.reset()
    expect(await frozen(world)).toBe(true)
    expect(await frozen(await manual.world({ from: { seed: { users: [{ name: 'Ana' }] } } }))).toBe(true)
    expect(await frozen(await manual.world({ from: { seed: { clock: { frozen: false } } } }))).toBe(false)
    for (const options of [{ clock: 'running' }, { settle: 1000 }, { settle: 'instant' }] as const) {
      const running = await start(options)
      expect([await frozen(running), await frozen(await running.world())]).toEqual([false, false])
    }
  })

  it('is a fork, or made of a snapshot, and lives as long as it is used or forever', async () => {
    const emulator = await start()
    await emulator.control.credits.create({ to: '88001234', amount: 500 })
    const { name } = await emulator.control.snapshots.create({ name: 'credited' })
    await emulator.control.reset()
    const [before] = emulator.accounts()
    const kept = await emulator.world({ from: { snapshot: name }, ttl: 1500 })
    const fork = await emulator.world({ from: { world: kept.name } })
    for (const world of [kept, fork]) expect(world.accounts()[0]?.balance).toBe(Number(before?.balance) + 500)
    expect(await emulator.control.worlds.get({ name: kept.name })).toMatchObject({ ttl_seconds: 2 })
    expect(await emulator.control.worlds.get({ name: fork.name })).toMatchObject({ ttl_seconds: null })
  })

  it('answers on its own port, until it is closed', async () => {
    const emulator = await start()
    const world = await emulator.world({ port: 0 })
    expect(new URL(world.baseUrl).pathname).toBe('/')
    expect((await pay(world)).status).toBe('pending')
    await world.close()
    expect(await answers(world.baseUrl)).toBe(0)
  })

  it('is listed in pages, and so is what it was asked', async () => {
    const emulator = await start()
    const world = await emulator.world({ name: 'a' })
    for (let asked = 0; asked < 3; asked += 1) await world.client.call('user.get')
    expect(await emulator.control.worlds.list({ per_page: 1 })).toMatchObject({ data: [{ name: 'a' }], last_page: 2 })
    expect(await emulator.control.worlds.list({ per_page: 1, page: 2 })).toMatchObject({ data: [{ name: 'default' }] })
    const newest = await world.control.requests.list({ per_page: 2 })
    expect(newest).toMatchObject({ data: [{ id: 'r3' }, { id: 'r2' }], total: 3, last_page: 2, last: 3 })
    await world.client.call('user.get')
    const rest = await world.control.requests.list({ per_page: 2, page: 2, before: newest.last + 1 })
    expect(rest).toMatchObject({ data: [{ id: 'r1' }], total: 3, next_page_url: null })
    expect(await world.control.requests.list({ since: newest.last })).toMatchObject({ data: [{ id: 'r4' }], last: 4 })
    expect(await refusalOf(() => world.control.requests.list({ per_page: 0 }))).toMatchObject({ status: 422 })
  })

  it('is not made with what is refused', async () => {
    const emulator = await start()
    await expect(emulator.world({ form: { world: 'default' } } as object)).rejects.toThrow(EmulatorRefusal)
    expect(await refusalOf(() => emulator.world({ name: 'A b' }))).toMatchObject({
      status: 422,
      message: expect.stringContaining('lower case letters'),
    })
    expect(await refusalOf(() => emulator.world({ name: 'default' }))).toMatchObject({ status: 409 })
    expect(await refusalOf(() => emulator.world({ from: {} }))).toMatchObject({ status: 422 })
    expect(await refusalOf(() => emulator.world({ ttl: Number.NaN }))).toMatchObject({ status: 422 })
    expect((await emulator.control.worlds.list()).total).toBe(1)
  })

  it('has no control any more when it has ended', async () => {
    const emulator = await start()
    const world = await emulator.world({ name: 'a' })
    await world.control.worlds.delete({ name: 'a' })
    expect(await refusalOf(() => world.control.clock.get())).toMatchObject({
      status: 410,
      message: expect.stringMatching(/^The world a ended at .*: it was deleted$/),
    })
  })
})

describe('control', () => {
  const rows = Object.entries<Endpoint>(controlEndpoints).filter(([, { stream }]) => !stream)

  it.each(rows)('of the library has %s, and no name in two parts of its input', async (id, row) => {
    const { control } = await start()
    const [, group = '', verb] = /^control\.([^.]+)(?:\.(.+))?$/.exec(id) ?? []
    const found = Reflect.get(control, group)
    expect(typeof (verb === undefined ? found : Reflect.get(found, verb))).toBe('function')
    const names = [row.params, row.query, row.body].flatMap((part) => Object.keys(part?.properties ?? {}))
    expect(names).toEqual([...new Set(names)])
    expect(row.headers).toBeUndefined()
  })

  it('answers as over HTTP, in a copy', async () => {
    const emulator = await start()
    const { control } = emulator
    const steered = async (path: string) => {
      const { data } = (await (await fetch(`${emulator.baseUrl}/_emulator/${path}`)).json()) as { data: unknown }
      return data
    }
    await control.clock.freeze()
    await control.rails.set({ pin: 'offline' })
    expect(await control.rails.get()).toEqual(await steered('rails'))
    expect(await control.users.list()).toEqual(await steered('users'))
    expect(await control.scenarios()).toEqual(await steered('scenarios'))
    expect(await control.deliveries.list({ per_page: 3 })).toMatchObject({ per_page: 3 })
    const rule = await control.faults.add({ endpoint: 'user.get', status: 401 })
    Object.assign(rule, { status: 200 })
    expect(await control.faults.list()).toMatchObject([{ endpoint: 'user.get', status: 401, times: 1 }])
  })

  it('refuses what HTTP refuses, in the same words, and what is not in the table', async () => {
    const { control, baseUrl } = await start()
    const wrong = { endpoint: 'user.get', status: 418 } as const
    const response = await fetch(`${baseUrl}/_emulator/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(wrong),
    })
    const { message } = (await response.json()) as { message: string }
    expect(await refusalOf(() => control.faults.add(wrong))).toEqual({ name: 'ControlRefusal', status: 422, message })
    expect(await refusalOf(() => control.clock.advance({ ms: -1 }))).toMatchObject({ status: 422 })
    expect(await refusalOf(() => control.clock.advance({} as { ms: number }))).toMatchObject({ status: 422 })
    expect(await refusalOf(() => control.tokens.revoke({ id: '99' }))).toMatchObject({ message: 'Token not found' })
    expect(await refusalOf(() => control.clock.advance({ ms: 1, seconds: 1 } as { ms: number }))).toMatchObject({
      message: expect.stringMatching(/^control\.clock\.advance takes no seconds\. It takes ms/),
    })
    expect(await refusalOf(() => control.clock.advance(5 as never))).toMatchObject({ status: 422 })
  })

  it('keeps the names that it had', async () => {
    const emulator = await start()
    const before = emulator.worldId
    await emulator.control.advanceClock(1000)
    emulator.control.addFault({ endpoint: 'user.get', status: 401 })
    emulator.control.clearFaults()
    expect(emulator.control.checkLedger()).toMatchObject({ balanced: true })
    expect(await emulator.control.reset()).toMatchObject({ world: expect.not.stringMatching(before) })
    expect(emulator.worldId).not.toBe(before)
  })

  it('has types that say what each takes', async () => {
    const { control } = await start()
    const wrong = [
      // @ts-expect-error
      () => control.clock.advance(),
      // @ts-expect-error
      () => control.clock.advance({ ms: '1' }),
      // @ts-expect-error
      () => control.clock.advanced({ ms: 1 }),
      // @ts-expect-error
      () => control.state({ of: 'everything' }),
    ]
    expect(wrong).toHaveLength(4)
    const balanced: boolean = (await control.state()).ledger_balanced
    expect(balanced).toBe(true)
    await control.deliveries.list()
    await control.deliveries.list({ page: 1 })
  })
})

describe('two worlds', () => {
  it('are compared by name or as they were made, in this process and over HTTP', async () => {
    const emulator = await start()
    await using fork = await emulator.world({ from: { world: 'default' } })
    await pay(emulator)
    await pay(fork)
    expect(await emulator.compare(emulator, fork)).toMatchObject({ same: true, items: [] })
    const { id } = await fork.client.call('user.get')
    expect(id).toBe(emulator.user.id)
    const connected = await connectEmulator({ url: emulator.controlUrl })
    onTestFinished(() => connected.close())
    expect(await connected.compare('default', fork)).toMatchObject({
      same: false,
      items: [{ change: 'added', second: { kind: 'request', what: 'GET /api/user' } }],
    })
  })
})
