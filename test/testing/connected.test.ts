import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import {
  type ConnectedEmulator,
  ControlRefusal,
  connectEmulator,
  type EmulatorOptions,
  EmulatorRefusal,
  type EmulatorWorld,
  type NewWorldOptions,
  startEmulator,
  worldForEach,
} from '../../src/testing/index.ts'
import { fileWith } from '../emulator/seed_file/seeded.ts'
import { serve } from '../support/server.ts'

const controlToken = 'control-token-of-the-test'

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', controlToken, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

async function connected(options: EmulatorOptions = {}): Promise<ConnectedEmulator> {
  const { controlUrl: url } = await start(options)
  const emulator = await connectEmulator({ url, controlToken })
  onTestFinished(() => emulator.close())
  return emulator
}

const pay = ({ client, accounts }: EmulatorWorld, key = 'k') =>
  client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })

describe('a suite under a running emulator', () => {
  it.each([
    ['a seed', () => ({ seed: 'demo' }) as const],
    ['a file', async ({ control }: ConnectedEmulator) => ({ file: await control.export() })],
  ] as const)('has strict worlds from %s with the option strict, although the emulator is not', async (_, from) => {
    const emulator = await start()
    vi.stubEnv('PAYCTL_CONTROL_URL', emulator.controlUrl)
    vi.stubEnv('PAYCTL_CONTROL_TOKEN', controlToken)
    onTestFinished(() => void vi.unstubAllEnvs())
    const hooks = { beforeEach: [], afterEach: [], afterAll: [] } as Record<string, (() => Promise<void>)[]>
    const hook = (name: string) => (work: () => Promise<void>) => hooks[name]?.push(work)
    const world = worldForEach(
      { beforeEach: hook('beforeEach'), afterEach: hook('afterEach'), afterAll: hook('afterAll') },
      { strict: true, from: await from(emulator) },
    )
    await hooks.beforeEach?.[0]?.()
    await fetch(`${world().baseUrl}/api/nothing`)
    await expect(hooks.afterEach?.[0]?.()).rejects.toThrow('1 breach of the contract')
    await hooks.afterAll?.[0]?.()
  })
})

const refusalOf = (work: Promise<unknown>): Promise<ControlRefusal> =>
  work.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error) => (error instanceof ControlRefusal ? error : Promise.reject(error)),
  )

/** A receiver of webhooks that accepts every delivery. */
async function receiver(): Promise<string> {
  const url = await serve((request, response) => void request.resume().on('end', () => response.end()))
  return `${url}/hook`
}

describe.each([
  ['in this process', start],
  ['connected', connected],
])('an emulator %s', (_, reach: (options?: EmulatorOptions) => Promise<ConnectedEmulator>) => {
  it('makes worlds that have all, and share nothing', async () => {
    const emulator = await reach()
    await using world = await emulator.world({ name: 'shop-7', from: { seed: 'demo' }, ttl: 60_000 })
    expect(world).toMatchObject({ name: 'shop-7', baseUrl: `${emulator.baseUrl}/w/shop-7`, token: emulator.token })
    expect(world.user.name).toBe(emulator.user.name)
    expect(world.accounts()).toEqual(emulator.accounts())
    const { id } = await pay(world)
    await world.control.clock.advance({ ms: 60_000 })
    expect(await world.until.payment(id, 'completed')).toEqual({ id, status: 'completed' })
    const { balance } = await world.client.call('accounts.balance', { params: { id: world.accounts()[0]?.id ?? '' } })
    expect(balance).toBe(Number(emulator.accounts()[0]?.balance) - 1000)
    expect((await emulator.client.call('payments.history')).data).toEqual([])
    expect((await emulator.control.clock.get()).offset_ms).toBeLessThanOrEqual(0)
    expect(await world.control.clock.get()).toMatchObject({ frozen: true })
  })

  it('keeps handles of an ended world away from the next world of its name', async () => {
    const emulator = await reach()
    const first = await emulator.world({ name: 'shop-7', port: 0 })
    await emulator.control.worlds.delete({ name: 'shop-7' })
    await using next = await emulator.world({ name: 'shop-7' })
    const late = await emulator.world({ name: 'other' })
    await late.close()
    await using last = await emulator.world({ name: 'other' })

    expect(last.worldId).not.toBe(late.worldId)
    expect((await refusalOf(late.control.clock.advance({ ms: 60_000 }))).status).toBe(410)
    const { baseUrl, token } = late
    const client = createClient({ baseUrl, token, world: late.worldId, retries: 0 })
    await expect(client.call('user.get')).rejects.toMatchObject({ status: 410 })
    // With another base URL, the client no longer belongs to the ended world.
    const moved = client.with({ baseUrl: emulator.baseUrl })
    expect(await moved.call('user.get')).toMatchObject({ name: emulator.user.name })
    await Promise.all([client.close(), moved.close()])
    await Promise.all([first.close(), late.close()])
    for (const world of [next, last]) {
      expect(await world.control.worlds.get({ name: world.name })).toMatchObject({ id: world.worldId, status: 'live' })
      expect((await world.client.call('user.get')).name).toBe(emulator.user.name)
    }
  })

  it('makes worlds with a chaos profile of a file, and says what of chaos it does not take', async () => {
    const emulator = await reach()
    const profileFile = fileWith('too_many_requests: 1\n')
    await using world = await emulator.world({ chaos: { seed: 7, profileFile } })
    expect(await world.control.chaos()).toMatchObject({ seed: 7, profile: 'custom' })
    await expect(world.client.with({ calm: false }).call('user.get')).rejects.toMatchObject({ status: 429 })

    const asked = async (chaos: object) => await emulator.world({ chaos } as NewWorldOptions)
    await expect(asked({ seed: 1, profileFile: 'nowhere.yaml' })).rejects.toThrow('nowhere.yaml can’t be read')
    await expect(asked({ seed: 1, profile: 'mild', profileFile })).rejects.toThrow(
      'Both a profile and a profile file are given.',
    )
    await expect(asked({ seed: 1, profileFile: fileWith('resets: 2\n') })).rejects.toThrow(/:1:9: resets: must be at/)
    const mistyped = [
      { seed: 1, profle: 'hostile' },
      { seed: 1, profileFile, profle: 'hostile' },
    ]
    for (const chaos of mistyped) {
      expect(await refusalOf(asked(chaos))).toMatchObject({
        status: 422,
        message: 'The chaos.profle field does not exist.',
      })
    }
    expect((await emulator.control.worlds.list()).total).toBe(2)
  })

  it('makes a world from a file with every option of a world', async () => {
    const emulator = await reach()
    const from = { file: await emulator.control.export() }
    const strict = await emulator.world({ from, strict: true, chaos: null })
    await fetch(`${strict.baseUrl}/api/nothing`)
    await expect(strict.close()).rejects.toThrow('1 breach of the contract')
    await using chaotic = await emulator.world({ from, strict: false, chaos: { seed: 7, profile: { resets: 1 } } })
    expect(chaotic.strict).toBe(false)
    expect(await chaotic.control.chaos()).toMatchObject({ seed: 7, profile: 'custom' })
    await using mild = await emulator.world({ from, chaos: { seed: 8 } })
    expect(await mild.control.chaos()).toMatchObject({ seed: 8, profile: 'mild' })

    const asked = (options: object) => refusalOf(emulator.world({ from, ...options } as NewWorldOptions))
    expect(await asked({ chaos: { seed: 7, profle: 'hostile' } })).toMatchObject({
      status: 422,
      message: 'The chaos.profle field does not exist.',
    })
    expect(
      await asked({ chaos: { seed: 7, profile: { faults: [{ kind: 'resets', at: 'nowhere', nth: 1 }] } } }),
    ).toMatchObject({ status: 422, errors: { 'chaos.profile.faults.0.at': [expect.any(String)] } })
    expect(await asked({ chaos: 'hostile' })).toMatchObject({
      status: 422,
      message: 'The chaos field must be an object.',
    })
    expect(await asked({ strict: 'yes' })).toMatchObject({
      status: 422,
      message: 'The strict field must be true or false.',
    })
  })

  it('turns chaos off in a world from a file, as in any other world', async () => {
    const emulator = await reach({ chaos: { seed: 1, profile: 'hostile' } })
    const from = { file: await emulator.control.export() }
    await using calm = await emulator.world({ from, chaos: null })
    expect(await calm.control.chaos()).toMatchObject({ seed: null })
    await using world = await emulator.world({ from })
    expect(await world.control.chaos()).toMatchObject({ seed: 1 })
  })

  it('has a client that is made once, shows each answer, and closes with the world', async () => {
    const emulator = await reach()
    const world = await emulator.world()
    const { client } = world
    expect(world.client).toBe(client)
    await world.control.faults.add({ endpoint: 'user.get', status: 429 })
    await expect(client.call('user.get')).rejects.toMatchObject({ name: 'ApiError', status: 429 })
    expect((await client.call('user.get')).id).toBe(world.user.id)
    await world.close()
    await expect(client.call('user.get')).rejects.toThrow('The client was closed')
    await world.close()
    expect(await refusalOf(world.control.clock.get())).toMatchObject({ status: 410 })
    expect((await emulator.client.call('user.get')).id).toBe(emulator.user.id)
  })

  it('waits, and says what was seen instead', async () => {
    const emulator = await reach()
    await using world = await emulator.world()
    const url = await receiver()
    await world.client.call('webhooks.create', { body: { url, events: ['payment.created'] } })
    const { id } = await pay(world)
    const count = await world.until.deliveries(url, 1, { event: 'payment.created' })
    expect(count).toEqual({ delivered: 1, pending: 0, exhausted: 0 })
    expect(await refusalOf(world.until.deliveries(url, 2, { timeout: 1 }))).toMatchObject({
      status: 409,
      message: 'Delivered: 1 of 2, pending: 0, exhausted: 0, after 1 ms',
      errors: { deliveries: { delivered: 1 } },
    })
    expect(await world.until.requests('payments.create', 1)).toEqual({ came: 1, answered: 1 })
    expect(await world.until.noMoreRequests('payments.create', 1, { within: 1 })).toEqual({ came: 1, answered: 1 })
    expect(await refusalOf(world.until.noMoreRequests('payments.create', 0, { within: 600_000 }))).toMatchObject({
      status: 409,
      message: '1 request to payments.create came, and the limit is 0',
    })
    const early = await refusalOf(world.until.payment(id, 'completed', { timeout: 1 }))
    expect(early.message).toBe('The payment is pending, not completed, after 1 ms')
    expect((await refusalOf(world.until.idle({ timeout: 1 }))).message).toMatch(/^The world is not idle: the next step/)
    const idle = world.until.idle()
    await world.control.clock.advance({ ms: 60_000 })
    expect(await idle).toEqual({ sending: false, next_due_at: null })
    const never = await refusalOf(world.until.payment(id, 'failed'))
    expect(never.message).toBe('The payment is completed, not failed, and will never be')
  })

  it('refuses options that there are not, and says which may be meant', async () => {
    const emulator = await reach()
    const wrong = (options: object) => emulator.world(options).catch((error) => error)
    expect(await wrong({ form: {} })).toMatchObject({ message: "world() has no option 'form'." })
    expect(await wrong({ Name: 'a' })).toMatchObject({ hint: 'Did you mean name?' })
    expect(await wrong({ from: { seeds: 'demo' } })).toMatchObject({ hint: 'Did you mean seed?' })
    expect(await wrong(null as never)).toBeInstanceOf(EmulatorRefusal)
    expect(await wrong({ name: 'A b' })).toMatchObject({ name: 'ControlRefusal', status: 422 })
    expect(await wrong({ from: { world: 'other' } })).toMatchObject({
      status: 404,
      message: 'World other does not exist',
    })
    expect(await wrong({ name: 'default' })).toMatchObject({ status: 409 })
  })

  it('is steered by the same calls, which refuse the same in the same words', async () => {
    const { control } = await reach()
    expect(await control.rails.set({ pin: 'offline' })).toMatchObject({ pin: 'offline' })
    expect((await control.state()).rails).toMatchObject({ pin: 'offline' })
    const wrong = await refusalOf(control.clock.advance({ ms: -1 }))
    expect(wrong).toMatchObject({
      status: 422,
      message: 'The ms field must be at least 0.',
      errors: { ms: expect.any(Array) },
    })
    expect(await refusalOf(control.tokens.revoke({ id: '99' }))).toMatchObject({ message: 'Token not found' })
    const unknown = control.clock.advance({ seconds: 1 } as never)
    expect((await refusalOf(unknown)).message).toBe(
      'control.clock.advance takes no seconds. It takes ms, delivery_timeout_ms.',
    )
  })
})

describe('connecting', () => {
  it('to one of the worlds makes that its own', async () => {
    const { controlUrl, ...emulator } = await start()
    const { controlUrl: url } = await emulator.world({ name: 'shop-7' })
    const world = await connectEmulator({ url, controlToken })
    await pay(world)
    await world.close()
    expect(await emulator.control.worlds.get({ name: 'shop-7' })).toMatchObject({ status: 'live' })
    expect((await emulator.client.call('payments.history')).data).toEqual([])
  })

  it('says what is wrong', async () => {
    const { controlUrl: url } = await start()
    const wrong = (options: object) => connectEmulator(options as { url: string }).catch((error) => error)
    expect(await wrong({ url })).toMatchObject({ name: 'ControlRefusal', status: 401 })
    expect(await wrong({ url, controlToken: 'another' })).toMatchObject({ name: 'ControlRefusal', status: 401 })
    expect(await wrong({ url, token: 'x' })).toMatchObject({ message: "connectEmulator has no option 'token'." })
    expect(await wrong({ url: `${url}/w/other`, controlToken })).toMatchObject({ status: 404 })
    expect(await wrong({ url: 'http://127.0.0.1:1/?a' })).toMatchObject({ name: 'InvalidRequestError' })
    expect(await wrong({ url: 'here' })).toMatchObject({ name: 'EmulatorRefusal' })
    expect(await wrong({})).toMatchObject({ name: 'EmulatorRefusal' })
    expect(await wrong(null as never)).toMatchObject({ name: 'EmulatorRefusal' })
  })
})
