import { describe, expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { account, iban, loseAnswers, startService } from './service.ts'

const sending = ['payments', 'send', '--from', account, '--to', iban, '--amount', '1500.25', '--yes', '--json']

/** A service with this many payments, and the payctl that sent them. */
async function setUp(count = 1) {
  const service = await startService()
  const cli = payctl(service.url)
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1) ids.push(JSON.parse((await cli.run(...sending)).stdout).id)
  service.received.length = 0
  return { service, cli, ids, id: ids[0] ?? '', pathsOf: () => service.received.map(({ path }) => path) }
}

describe('the id of a payment', () => {
  test('is not looked for when it is whole', async () => {
    const { cli, id, pathsOf } = await setUp()
    const { stdout, stderr } = await cli.run('payments', 'get', id.toUpperCase(), '--json')
    expect(JSON.parse(stdout)).toMatchObject({ id })
    expect(pathsOf()).toEqual([`/api/payments/${id}`])
    expect(stderr).toBe('')
  })

  test.each([
    ['its end', (id: string) => id.slice(-5)],
    ['its end, as lists show it', (id: string) => `...${id.slice(-6).toUpperCase()}`],
    ['its beginning', (id: string) => id.slice(0, 10)],
    ['its middle', (id: string) => id.slice(9, 34)],
  ])('may be %s, and it is said which one was taken', async (_, partOf) => {
    const { cli, id } = await setUp(3)
    for (const verb of ['get', 'watch', 'receipt']) {
      const { code, stderr } = await cli.run('payments', verb, partOf(id))
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`Payment ${id}\n`) })
    }
  })

  test('is found in the history on a machine that did not send it', async () => {
    const { service, id, pathsOf } = await setUp(2)
    const { stdout } = await payctl(service.url).run('payments', 'get', id.slice(-8), '--json')
    expect(JSON.parse(stdout)).toMatchObject({ id })
    expect(pathsOf()).toEqual(['/api/payments/history', `/api/payments/${id}`])
    expect(service.received[0]?.query).toEqual({ per_page: '1000' })
  })

  test('that fits several is refused with all of them', async () => {
    const { service, cli, ids } = await setUp(2)
    const [first, second] = [...service.payments.values()]
    if (!first || !second) throw new Error('no payments')
    Object.assign(second, { id: `${first.id.slice(0, 8)}${second.id.slice(8)}` })
    const { code, stderr } = await cli.run('payments', 'get', (ids[0] ?? '').slice(0, 8))
    expect(code).toBe(2)
    expect(stderr).toContain('error: Number of matches for this part of an id: 2.\n')
    for (const { id } of [first, second]) {
      expect(stderr).toMatch(new RegExp(`^  ${id}: 1,500\\.25 CRC, \\d{4}-\\d\\d-\\d\\d [\\d:]{8} \\(UTC`, 'm'))
    }
  })

  test.each([
    [
      '0000ffff0000',
      3,
      /No payment has an id with 0000ffff0000 in it\. Searched: 1 payment, and the payments sent from here\./,
    ],
    ['abc', 2, /'abc' is too short for the id of a payment/],
    ['not-an-id', 2, /is not an id, nor part of one/],
    ['int_8tvxwwmszemv', 2, /is the id of an intent, not of a payment.+payments outbox int_8tvxwwmszemv/s],
    ['2026010537022010000102590', 2, /is a reference, not an id.+payments find/s],
  ])('%s is refused', async (text, code, why) => {
    const { cli } = await setUp()
    expect(await cli.run('payments', 'get', text)).toMatchObject({ code, stderr: expect.stringMatching(why) })
  })
})

test.each(['get', 'watch', 'receipt'])('payments %s judges the text before it looks for a login', async (verb) => {
  const cli = payctl('http://127.0.0.1:1', { token: undefined })
  expect(await cli.run('payments', verb, 'abc')).toMatchObject({ code: 2, stderr: expect.stringMatching(/too short/) })
})

describe('the last payment', () => {
  test('is the newest that the service has of the user’s', async () => {
    const { service, cli } = await setUp(2)
    const newest = [...service.payments.values()].at(-1)
    const { stdout, stderr } = await cli.run('payments', 'get', 'last', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ id: newest?.id })
    expect(stderr).toBe(`Last payment ${newest?.id}\n`)
    expect(service.received[0]?.query).toMatchObject({ transfer_type: 'debit' })
  })

  test('is not passed off as one that was asked for later and is in doubt', async () => {
    const { service, cli } = await setUp(1)
    loseAnswers(service)
    await cli.run(...sending, '--retries', '0')
    service.before = () => undefined
    const { stderr } = await cli.run('payments', 'get', 'last', '--json')
    expect(stderr).toMatch(/A request after that payment has the status unknown: payctl payments resume int_/)
  })

  test('is none of another user', async () => {
    const { cli } = await setUp(1)
    const { code, stderr } = await cli.as({ token: 'bob' }).run('payments', 'get', 'last')
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('You have sent no payment yet') })
  })
})

describe('the id of an intent', () => {
  const intentsOf = async (cli: ReturnType<typeof payctl>): Promise<{ id: string; status: string }[]> =>
    JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

  test.each([
    ['its end', (id: string) => id.slice(-5)],
    ['its beginning', (id: string) => id.slice(0, 9)],
    ['its beginning without int_', (id: string) => id.slice(4, 10)],
    ['its middle', (id: string) => id.slice(6, 14)],
    ['last', () => 'last'],
  ])('may be %s, to read and to resume', async (_, partOf) => {
    const { cli } = await setUp(2)
    const [newest] = await intentsOf(cli)
    const id = newest?.id ?? ''
    for (const verb of ['intents', 'resume']) {
      const { code, stderr } = await cli.run('payments', verb, partOf(id), '--json')
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(id) })
    }
  })

  test('may be the key of the payment, whatever its form', async () => {
    const { cli } = await setUp(1)
    await cli.run(...sending, '--idempotency-key', 'order-19')
    const [newest] = await intentsOf(cli)
    for (const verb of ['outbox', 'resume']) {
      const { code, stderr } = await cli.run('payments', verb, 'order-19', '--json')
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(newest?.id ?? '') })
      expect(await cli.run('payments', verb, 'order-20')).toMatchObject({ code: 2 })
    }
  })

  test('last is that of the user, never another’s', async () => {
    const { cli } = await setUp(1)
    const other = cli.as({ token: 'bob' })
    for (const verb of ['intents', 'resume']) {
      const { code, stderr } = await other.run('payments', verb, 'last')
      expect({ code, stderr }).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('Nothing was sent from here by'),
      })
    }
  })

  test.each([
    ['zzzzz', 3, 'No intent zzzzz on this machine'],
    ['int_ab', 2, "'int_ab' is too short for the id of an intent"],
    ['a%bcd', 2, "'a%bcd' is not an id"],
  ])('%s is refused', async (text, code, why) => {
    const { cli } = await setUp()
    expect(await cli.run('payments', 'resume', text)).toMatchObject({ code, stderr: expect.stringContaining(why) })
  })
})
