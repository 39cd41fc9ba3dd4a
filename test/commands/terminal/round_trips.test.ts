import { request as forward } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../emulator/control/world.ts'
import { surroundings } from '../../support/payctl_process.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { serve } from '../../support/server.ts'
import { keys, openPayctl } from '../../support/terminal.ts'

/** Milliseconds that an answer takes. */
const latency = 500

/** A proxy that records all requests in groups: no answer was sent between two requests of a group. */
async function countingProxy(target: string) {
  const trips: string[][] = []
  let isAnswered = true
  const url = await serve(async (incoming, response) => {
    const { method, url: path = '/', headers } = incoming
    if (isAnswered) trips.push([])
    isAnswered = false
    trips.at(-1)?.push(`${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/, '{id}')}`)
    const body = await buffer(incoming)
    await pause(latency)
    const address = new URL(path, target)
    forward(address, { method, headers: { ...headers, host: address.host } }, (answer) => {
      isAnswered = true
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    }).end(body)
  })
  return { url, trips: () => trips.map((trip) => trip.toSorted()) }
}

async function setUp() {
  const world = await startWorld({})
  const proxy = await countingProxy(world.emulator.baseUrl)
  const home = await temporaryDirectory()
  const env = {
    ...surroundings(world.emulator),
    PAYCTL_BASE_URL: proxy.url,
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
  }
  return { world, open: (...argv: readonly string[]) => openPayctl(argv, { env }), ...proxy }
}

const payment = ['--to', '8700-0001', '--amount', '5']

describe('payments send at a terminal', () => {
  test.each([
    ['an account by its currency', () => 'CRC', 'GET /api/accounts'],
    ['an account by its id', ({ colones }: { colones: string }) => colones, 'GET /api/accounts/{id}'],
  ])('asks after two round trips, with %s', async (_, from, account) => {
    const { world, open, trips } = await setUp()
    const terminal = open('payments', 'send', '--from', from(world), ...payment)
    await terminal.shows('(y/N)')

    expect(trips()).toEqual([
      [account, 'GET /api/phone/information/87000001', 'GET /api/user'],
      ['POST /api/payments/validate'],
    ])

    terminal.type(`y${keys.enter}`)
    expect(await terminal.ended).toBe(0)
    expect(trips().slice(2)).toEqual([['POST /api/payments']])
  })

  test('reads the holder once where the name is compared too', async () => {
    const { open, trips } = await setUp()
    const terminal = open('payments', 'send', '--from', 'CRC', ...payment, '--expect-name', 'Nobody')
    expect(await terminal.ended).toBe(6)

    expect(trips()).toEqual([['GET /api/accounts', 'GET /api/phone/information/87000001', 'GET /api/user']])
  })

  test('reads no account twice that was chosen from the list', async () => {
    const { open, trips } = await setUp()
    const terminal = open('payments', 'send', ...payment)
    await terminal.answer('From:', keys.enter)
    await terminal.answer('Description', keys.enter)
    await terminal.shows('(y/N)')

    expect(
      trips()
        .flat()
        .filter((request) => request.includes('accounts')),
    ).toEqual(['GET /api/accounts'])
    expect(trips().at(-1)).toEqual(['POST /api/payments/validate'])
  })
})

test.each([
  [['accounts', 'balance', 'CRC'], 'GET /api/accounts'],
  [['accounts', 'balance', 'id'], 'GET /api/accounts/{id}/balance'],
  [['payments', 'get', 'last'], 'GET /api/payments/history'],
])('%j takes one request', async (argv, request) => {
  const { world, open, trips } = await setUp()
  await world.pay({ recipient_phone: '87000001' }, 500)
  const terminal = open(...argv.map((word) => (word === 'id' ? world.colones : word)))
  expect(await terminal.ended).toBe(0)

  expect(trips()).toEqual([[request]])
})
