import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createControlClient } from '../../src/client/control_client.ts'
import { type EmulatorWorld, startEmulator, type WorldEvent } from '../../src/testing/index.ts'

async function start() {
  const emulator = await startEmulator({ settle: 0, controlToken: 'control-of-this-test-alone' })
  onTestFinished(() => emulator.close())
  return emulator
}

const pay = ({ client, accounts }: Pick<EmulatorWorld, 'client' | 'accounts'>, key = 'k') =>
  client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })

describe('the events of a world', () => {
  it('are typed, and returning early closes the connection', async () => {
    const emulator = await start()
    await using world = await emulator.world()
    let paid: Extract<WorldEvent, { type: 'payment' }> | undefined
    for await (const event of world.events()) {
      if (event.type === 'open') await pay(world)
      if (event.type !== 'payment' || event.payment.status !== 'completed') continue
      paid = event
      break
    }
    expect(paid).toMatchObject({ from: 'processing', payment: { channel: 'sinpe_movil', amount: { value: 1000 } } })
    expect(paid?.account_id).toBe(world.accounts()[0]?.id)
  })

  it('end with the world, which is then refused', async () => {
    const emulator = await start()
    const world = await emulator.world({ name: 'shop' })
    const seen: WorldEvent[] = []
    for await (const event of world.events()) {
      seen.push(event)
      if (event.type === 'open') await emulator.control.worlds.delete({ name: 'shop' })
    }
    expect(seen.at(-1)).toMatchObject({ type: 'end', reason: 'deleted' })
    await expect(world.events().next()).rejects.toMatchObject({ name: 'ControlRefusal', status: 410 })
  })

  it('of the default world end with a reset, and begin again with the new world', async () => {
    const emulator = await start()
    const events = emulator.events()
    await events.next()
    await emulator.control.reset()
    expect((await events.next()).value).toMatchObject({ type: 'end', reason: 'reset' })
    expect((await events.next()).done).toBe(true)
    const again = emulator.events()
    expect((await again.next()).value).toMatchObject({ type: 'open', world: { id: emulator.worldId } })
    await again.return()
  })
})

/** A server that sends the nth of `answers` to the nth connection, and the Last-Event-ID headers that it received. */
async function answering(...answers: readonly ((response: ServerResponse) => void)[]) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id']?.toString())
    const answer = answers[asked.length - 1]
    if (answer) answer(response)
    else response.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const control = createControlClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay: async () => {},
  })
  onTestFinished(async () => {
    await control.close()
    server.closeAllConnections()
    server.close()
  })
  return { asked, control }
}

const frame = (number: number, event: object) =>
  `id: s-${number}\nevent: x\ndata: ${JSON.stringify({ id: `s-${number}`, at: '2026-01-05T18:00:00.000000Z', ...event })}\n\n`
const begin = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' })

describe('a connection that is lost', () => {
  it('is made again after the last whole event', async () => {
    const { asked, control } = await answering(
      (response) =>
        begin(response).write(
          frame(1, { type: 'resync', reason: 'behind' }) + frame(2, { type: 'resync', reason: 'slow' }) + 'id: s-3\nev',
          () => response.destroy(),
        ),
      (response) => response.destroy(),
      (response) => response.writeHead(503).end(),
      (response) =>
        begin(response).end(
          `:\n\n${frame(3, { type: 'resync', reason: 'slow' })}${frame(3, { type: 'end', reason: 'stopped' })}`,
        ),
    )
    const seen: string[] = []
    for await (const { type, id } of control.events()) seen.push(`${type} ${id}`)
    expect(seen).toEqual(['resync s-1', 'resync s-2', 'resync s-3', 'end s-3'])
    expect(asked).toEqual([undefined, 's-2', 's-2', 's-2'])
  })

  it('counts no connection of a quiet world as a failure', async () => {
    const quiet = Array.from({ length: 20 }, () => (response: ServerResponse) => begin(response).end(':\n\n'))
    const { asked, control } = await answering(
      ...quiet,
      (response) => response.destroy(),
      (response) => begin(response).end(frame(1, { type: 'end', reason: 'stopped' })),
    )
    const seen: string[] = []
    for await (const { id } of control.events()) seen.push(id)
    expect(seen).toEqual(['s-1'])
    expect(asked).toHaveLength(22)
  })

  it('is given up after some attempts', async () => {
    const { asked, control } = await answering()
    await expect(control.events().next()).rejects.toMatchObject({ name: 'NetworkError' })
    expect(asked.length).toBe(15)
  })

  it.each([
    [
      'is not a stream',
      (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'),
    ],
    ['is not an event', (response: ServerResponse) => begin(response).end('data: [1]\n\n')],
  ])('is not made again where the answer %s', async (_, answer) => {
    const { asked, control } = await answering(answer)
    await expect(control.events().next()).rejects.toMatchObject({ name: 'ContractError' })
    expect(asked).toHaveLength(1)
  })
})
