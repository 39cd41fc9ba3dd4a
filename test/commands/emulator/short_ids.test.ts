import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { runPayctl } from '../../support/run_payctl.ts'

/** An emulator with two payments that wait to be moved, and payctl for it. */
async function setUp() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
  const payctl = (...argv: readonly string[]) => runPayctl(argv, { env })
  const read = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await payctl(...argv, '--json')
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const [account] = emulator.accounts().filter(({ currency }) => currency === 'CRC')
  if (!account) throw new Error('no account')
  const send = async (): Promise<string> =>
    (await read('payments', 'send', '--from', account.id, '--to', '87000001', '--amount', '10', '--yes')).id
  return { payctl, read, account, first: await send(), second: await send() }
}

describe('ids of the emulator’s commands', () => {
  it('of payments may be a part, or last, and it is said which one was taken', async () => {
    const { payctl, first, second } = await setUp()
    for (const [text, id] of [
      [first.slice(-6), first],
      [`...${first.slice(-5).toUpperCase()}`, first],
      ['last', second],
    ] as const) {
      for (const command of [
        ['emulator', 'show', text],
        ['emulator', 'wait', '--payment', text, '--status', 'pending'],
      ]) {
        const { code, stderr } = await payctl(...command)
        expect({ code, stderr }).toEqual({ code: 0, stderr: `Payment ${id}\n` })
      }
    }
    const moved = await payctl('emulator', 'payment', first.slice(-6), 'completed', '--json')
    expect(JSON.parse(moved.stdout)).toMatchObject({ id: first, status: 'completed' })
    expect((await payctl('emulator', 'show', 'r1')).code).toBe(0)
  })

  it('of accounts may be their IBAN, or the end of it or of the id', async () => {
    const { read, account } = await setUp()
    for (const text of [account.id.slice(-4), `...${account.id.slice(-5)}`, account.iban, account.iban.slice(-12)]) {
      expect(await read('emulator', 'account', text)).toMatchObject({ id: account.id })
    }
    const credit = await read('emulator', 'credit', '--to', `...${account.id.slice(-4)}`, '--amount', '5')
    expect(credit.payee).toMatchObject({ iban: account.iban })
  })

  it('of subscriptions may be a part, here and where they are the service’s', async () => {
    const { read, payctl } = await setUp()
    const { id } = await read('webhooks', 'create', '--url', 'http://127.0.0.1:9/hook', '--events', 'all')
    const part = id.slice(-8)
    const rule = ['--fault', 'drop', '--subscription', part]
    expect(await read('emulator', 'faults', 'add', ...rule)).toMatchObject({ subscription: id })
    for (const verb of ['get', 'suspend', 'resume']) {
      const { code, stderr } = await payctl('webhooks', verb, `...${part}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: `Subscription ${id}\n` })
    }
    expect((await payctl('webhooks', 'delete', part, '--yes')).code).toBe(0)
    expect(await payctl('webhooks', 'get', part)).toMatchObject({ code: 3 })
  })

  it('of deliveries may be the number in them', async () => {
    const { read, payctl, first } = await setUp()
    await read('webhooks', 'create', '--url', 'http://127.0.0.1:9/hook', '--events', 'all')
    await payctl('emulator', 'payment', first, 'completed')
    const [{ id }] = await read('emulator', 'deliveries')
    const number = String(Number(id.replace('whd_', '')))
    expect(await read('emulator', 'deliveries', 'show', number)).toMatchObject({ id })
    expect(await read('emulator', 'deliveries', 'resend', number)).toMatchObject({ id })
  })

  it.each([
    [['payment', '00000', 'completed'], 3, 'No payment of this world has the id 00000'],
    [['payment', 'abc', 'completed'], 2, "'abc' is not an id of a payment, nor part of one."],
    [['payment', "%' or '1'='1", 'completed'], 2, 'is not an id of a payment'],
    [['account', 'zzzz'], 2, "'zzzz' is not an id of an account, nor part of one."],
  ])('%j is refused', async (command, code, why) => {
    const { payctl } = await setUp()
    const refused = await payctl('emulator', ...command)
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(why) })
  })

  it('that fit several are refused with all of them, and nothing is moved', async () => {
    const { payctl, read, first, second } = await setUp()
    const { code, stderr } = await payctl('emulator', 'payment', first.slice(0, 8), 'completed')
    expect(code).toBe(2)
    for (const id of [first, second]) expect(stderr).toContain(`${id} (10.00 CRC, pending, `)
    expect((await read('payments', 'history')).map(({ status }: { status: string }) => status)).not.toContain(
      'completed',
    )
  })
})
