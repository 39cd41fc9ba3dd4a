import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ConnectionPool } from '../../../emulator/store/connection_pool.ts'
import type { ControlId, CreatedWorld } from '../../../src/contract/index.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

interface Made extends WorldUnderTest {
  readonly made: CreatedWorld
}

/** Asks for work in a world; returns the status of the answer. */
type Work = (world: Made) => Promise<number>

/** The client reports the answer 410 as the cause of an unknown outcome. */
const pay: Work = (world) =>
  world.pay({ recipient_phone: '87000001' }).then(
    () => 201,
    ({ cause }) => cause.status,
  )

const get =
  (path: string): Work =>
  async ({ made }) => {
    const answer = await fetch(`${made.base_url}${path}`)
    await answer.arrayBuffer()
    return answer.status
  }

const post =
  (id: ControlId, body: Readonly<Record<string, unknown>>): Work =>
  async (world) =>
    (await world.ask(id, { body })).status

const fork: Work = ({ ask, made }) =>
  ask('control.worlds.create', { body: { from: { world: made.name } } }).then(({ status }) => status)

/** State of a world, in so far as it is the same in all new worlds from one seed. */
async function contentOf({ steer, client }: Made) {
  const { world: _, clock: _clock, ...state } = await steer('control.state')
  const { data: payments } = await client.call('payments.history', { query: {} })
  return { state, ledger: await steer('control.ledger'), payments }
}

it.each<[string, { readonly isReused: boolean }, Work]>([
  ['a payment', { isReused: true }, pay],
  ['a wait', { isReused: true }, post('control.wait', { deliveries: 3 })],
  ['a stream of events', { isReused: true }, get('/_emulator/events')],
  ['a story', { isReused: true }, get('/_emulator/story')],
  ['a move of the clock', { isReused: true }, post('control.clock.advance', { ms: 60_000 })],
  ['a new user', { isReused: true }, post('control.users.create', { name: 'Elena Mora' })],
  ['a reset', { isReused: true }, post('control.reset', {})],
  ['an export', { isReused: false }, get('/_emulator/export')],
  ['the start of its moments', { isReused: false }, post('control.moments.keep', {})],
  ['a snapshot', { isReused: false }, post('control.snapshots.create', { name: 'rent', replace: true })],
  ['a query', { isReused: false }, post('control.sql', { query: 'SELECT count(*) FROM payments' })],
  ['a fork', { isReused: false }, fork],
])(
  'a world that ends during %s leaves nothing to later worlds, which may use its connection',
  async (_, { isReused }, work) => {
    const open = vi.spyOn(ConnectionPool.prototype, 'open')
    onTestFinished(() => open.mockRestore())
    const { make, steer } = await startWorld()
    const fresh = await contentOf(await make())
    open.mockClear()

    for (const turns of [0, 1, 3, 10]) {
      const world = await make()
      await pay(world)
      const answer = work(world)
      for (let n = 0; n < turns; n++) await turn()
      await steer('control.worlds.delete', { params: { name: world.made.name } })
      expect([200, 201, 410]).toContain(await answer)
      for (const later of [await make(), await make()]) expect(await contentOf(later)).toEqual(fresh)
    }

    const connections = open.mock.results.map(({ value }) => value.connection)
    if (isReused) expect(new Set(connections).size).toBeLessThan(connections.length)
  },
)
