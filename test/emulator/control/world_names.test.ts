import { existsSync, readdirSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { worldHeader } from '../../../src/contract/index.ts'
import { newFolder } from '../store/folder.ts'
import { startWorld, type World } from './world.ts'

const phone = { recipient_phone: '87000001' } as const

/** Answer of the world with this name to a request with an optional world id: its status, world and body. */
const asked = async ({ emulator }: World, name: string, id?: string) => {
  const headers = { Authorization: `Bearer ${emulator.token}`, ...(id !== undefined && { [worldHeader]: id }) }
  const answer = await fetch(`${emulator.baseUrl}/w/${name}/api/user`, { headers })
  return { status: answer.status, world: answer.headers.get(worldHeader), ...((await answer.json()) as object) }
}

const requestsOf = async ({ steer }: Pick<World, 'steer'>) =>
  (await steer('control.requests.list', { query: {} })).data.map(({ path }) => path)

const endOf = (world: World, name: string) => world.steer('control.worlds.delete', { params: { name } })

/** Ended worlds, each with the number and the paths of its late requests. */
const lateIn = async ({ steer }: World) =>
  (await steer('control.worlds.list', { query: { status: 'ended' } })).data.flatMap((world) =>
    world.status === 'ended' ? [[world.id, world.late_requests, ...world.latest.map(({ path }) => path)]] : [],
  )

describe.each<readonly [string, () => { readonly worlds?: string }]>([
  ['in memory', () => ({})],
  ['in a folder', () => ({ worlds: newFolder() })],
])('the name of an ended world %s', (_, options) => {
  it('may be taken again, by a world that shares nothing with the one before', async () => {
    const world = await startWorld(options())
    const first = await world.make({ name: 'shop-7' })
    await first.pay(phone)
    await first.steer('control.rails.set', { body: { pin: 'offline' } })
    await endOf(world, 'shop-7')
    const second = await world.make({ name: 'shop-7' })
    expect(second.made.id).not.toBe(first.made.id)
    expect(await second.steer('control.rails.get')).toMatchObject({ pin: 'online' })
    expect((await second.client.call('payments.history')).data).toEqual([])
    await endOf(world, 'shop-7')
    expect((await asked(world, 'shop-7')).status).toBe(410)
    expect((await world.steer('control.worlds.list', { query: {} })).data).toMatchObject([
      { name: 'shop-7', id: second.made.id, status: 'ended', late_requests: 1 },
      { name: 'shop-7', id: first.made.id, status: 'ended', late_requests: 0 },
      { name: 'default' },
    ])
  })

  it('leads to the new world, except for requests with an id of the ended world', async () => {
    const world = await startWorld(options())
    const first = await world.make({ name: 'shop-7' })
    const { world: second } = await first.steer('control.reset')
    expect((await asked(world, 'shop-7', first.made.id)).status).toBe(200)
    const ended = await endOf(world, 'shop-7')
    expect(ended.id).toBe(second)
    const next = await world.make({ name: 'shop-7' })

    for (const id of [undefined, next.made.id, '00000000-0000-4000-8000-000000000000']) {
      expect(await asked(world, 'shop-7', id)).toMatchObject({ status: 200, world: next.made.id })
    }
    for (const id of [first.made.id, second, second.toUpperCase()]) {
      expect(await asked(world, 'shop-7', id)).toMatchObject({
        status: 410,
        world: null,
        message: expect.stringMatching(/^The world shop-7 ended at .*: it was deleted$/),
      })
    }
    const control = ['/_emulator/clock/freeze', '/_emulator/reset']
    for (const path of control) {
      const url = `${world.emulator.baseUrl}/w/shop-7${path}`
      expect((await fetch(url, { method: 'POST', headers: { [worldHeader]: second } })).status).toBe(410)
    }

    expect(await requestsOf(next)).toEqual(['/api/user', '/api/user', '/api/user'])
    expect(await next.steer('control.clock.get')).toMatchObject({ frozen: false })
    expect(await lateIn(world)).toEqual([[second, 5, '/api/user', '/api/user', '/api/user', ...control]])
  })

  it('does not let a request that began in the ended world reach the new one', async () => {
    const world = await startWorld(options())
    await world.make({ name: 'shop-7' })
    const { begun, answer } = begin(`${world.emulator.baseUrl}/w/shop-7/_emulator/credits`)
    begun.write('{"to":"88001234",')
    await expect
      .poll(async () => (await world.steer('control.worlds.get', { params: { name: 'shop-7' } })).requests)
      .toBe(1)
    await endOf(world, 'shop-7')
    const next = await world.make({ name: 'shop-7' })
    begun.end('"amount":500}')
    const { statusCode, headers } = await answer
    expect([statusCode, headers[worldHeader.toLowerCase()]]).not.toContain(next.made.id)
    expect(statusCode).toBe(410)
    expect((await next.client.call('accounts.list')).data[0]?.balance.value).toBe(next.made.accounts[0]?.balance)
  })

  it('waits for the end of the world: the new one keeps its file and its port', async () => {
    const made = options()
    const world = await startWorld(made)
    await world.make({ name: 'shop-7', port: 0 })
    for (let round = 0; round < 3; round++) {
      const ending = endOf(world, 'shop-7')
      const next = await world.make({ name: 'shop-7', port: 0 })
      await ending
      expect(await next.client.call('user.get')).toMatchObject({ name: 'María Fernández Rojas' })
      if (made.worlds !== undefined) expect(existsSync(join(made.worlds, 'shop-7.sqlite'))).toBe(true)
    }
  })
})

it('the delivery ids of a world are not those of an earlier world, even after a thousand worlds', async () => {
  const world = await startWorld()
  const subscription = { url: 'http://127.0.0.1:9/hook', events: ['payment.created' as const] }
  const idOfDelivery = async () => {
    const { client, pay, steer } = await world.make()
    await client.call('webhooks.create', { body: subscription })
    await pay(phone)
    return (await steer('control.deliveries.list', { query: {} })).data[0]?.id
  }
  expect(await idOfDelivery()).toBe('whd_1000000000001')
  for (let count = 0; count < 998; count++) await world.emulator.control.worlds.create()
  expect([await idOfDelivery(), await idOfDelivery()]).toEqual(['whd_1000000000000001', 'whd_1001000000000001'])
})

/** Starts a POST: sends its headers, but no body yet. */
function begin(url: string): { readonly begun: ClientRequest; readonly answer: Promise<IncomingMessage> } {
  const { promise: answer, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const begun = request(url, { method: 'POST', headers: { 'Content-Type': 'application/json' } }, (response) => {
    text(response).then(() => resolve(response), reject)
  })
  begun.on('error', reject).flushHeaders()
  onTestFinished(() => void begun.destroy())
  return { begun, answer }
}

describe('the end of a world in a folder', () => {
  it('is complete before the name is used again, whichever comes first', async () => {
    const folder = newFolder()
    const worlds = new Worlds({ settle: 'manual', worlds: folder })
    onTestFinished(() => worlds.close())
    const first = await worlds.create({ name: 'a' })
    const ending = worlds.end('a', 'expiry')
    const [next, refused] = await Promise.allSettled([worlds.create({ name: 'a' }), worlds.create({ name: 'a' })])
    await ending
    expect(next).toMatchObject({ status: 'fulfilled', value: { name: 'a' } })
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { status: 409, message: 'World a already exists' },
    })
    expect(worlds.find('a').world.id).not.toBe(first.world.id)
    expect(readdirSync(folder)).toContain('a.sqlite')
  })
})

describe('a generated name', () => {
  it('is used only once: nobody can choose it later', async () => {
    const world = await startWorld()
    await world.make({ name: 'w2' })
    await world.make()
    expect((await world.make()).made.name).toBe('w3')
    for (const name of ['w1', 'w2', 'w3']) await endOf(world, name)
    for (const name of ['w1', 'w3']) {
      const { status, body } = await world.ask('control.worlds.create', { body: { name } })
      expect([status, body.message]).toEqual([
        409,
        `The name ${name} was generated for another world, and requests to that world must not reach a new one. Choose another name.`,
      ])
    }
    expect((await world.make({ name: 'w2' })).made.name).toBe('w2')
    expect((await world.make({ name: 'w4' })).made.name).toBe('w4')
    expect((await world.make()).made.name).toBe('w5')
  })
})
