import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { payctl } from './payctl.ts'

const gone =
  'This world of the emulator is new: 1 payment was sent from here to an earlier world, and is gone with that world.'

/** A payment that was sent to an emulator which has been reset since. */
async function afterReset() {
  const emulator = await startEmulator({ settle: 0 })
  onTestFinished(() => emulator.close())
  const cli = payctl(emulator.baseUrl, { token: emulator.token })
  const send = (...argv: readonly string[]) =>
    cli.run('payments', 'send', '--from', 'CRC', '--to', '87000001', '--amount', '5', '--yes', ...argv)
  const { id } = JSON.parse((await send('--idempotency-key', 'order-1', '--json')).stdout)
  await emulator.control.reset()
  return { emulator, cli, send, id }
}

describe('in a world that was made again', () => {
  test.each([['get'], ['watch'], ['receipt']])(
    '%s says that the payment is gone with the earlier world',
    async (verb) => {
      const { cli, id } = await afterReset()
      for (const text of [id, id.slice(-8)]) {
        const { code, stderr } = await cli.run('payments', verb, text)
        expect(code).toBe(3)
        expect(stderr).toContain(
          `Payment ${id} was sent to an earlier world of this emulator, and is gone with that world`,
        )
        expect(stderr).toMatch(/To look for the payment in the current world:\nnext: {2}payctl payments history/)
      }
    },
  )

  test('get last, history and resume last say so', async () => {
    const { cli } = await afterReset()
    const last = await cli.run('payments', 'get', 'last')
    const resumed = await cli.run('payments', 'resume', 'last')

    expect(last).toMatchObject({ code: 3, stderr: expect.stringContaining(`You have sent no payment yet. ${gone}`) })
    expect(resumed).toMatchObject({ code: 3, stderr: expect.stringContaining(gone) })
    for (const argv of [[], ['--all'], ['--channel', 'pin']]) {
      const { code, stderr } = await cli.run('payments', 'history', ...argv)
      expect({ code, stderr }).toEqual({ code: 0, stderr: `No payments.\n${gone}\n` })
    }
  })

  test('send says that the payment with this key is a new one', async () => {
    const { cli, send } = await afterReset()
    const again = await send('--idempotency-key', 'order-1')

    expect(again.code).toBe(0)
    expect(again.stderr).toContain(
      'The key order-1 was sent to an earlier world of this emulator, and its payment is gone with that world: this is a new payment.',
    )
    expect((await send('--idempotency-key', 'order-1')).stderr).not.toContain('earlier world')
    expect(JSON.parse((await cli.run('payments', 'history', '--json')).stdout)).toHaveLength(1)
    expect((await cli.run('payments', 'history')).stderr).not.toContain('earlier')
  })

  test('resume says that a payment in doubt existed only in the earlier world', async () => {
    const { cli } = await afterReset()
    const [{ id }] = JSON.parse((await cli.run('payments', 'outbox', '--json')).stdout)
    const { code, stderr } = await cli.run('payments', 'resume', id)
    expect(code).toBe(6)
    expect(stderr).toContain('was sent in an emulator world that is gone (the emulator was reset or replaced)')
  })
})

test('a payment that no world had is only not found', async () => {
  const { cli } = await afterReset()
  const { code, stderr } = await cli.run('payments', 'get', '3f2504e0-4f89-41d3-9a0c-0305e82c3301')
  expect(code).toBe(3)
  expect(stderr).not.toContain('earlier world')
})

test('if the world is made again while send asks, send claims nothing and names the current history', async () => {
  const { emulator, cli } = await afterReset()
  const paying = ['payments', 'send', '--from', 'CRC', '--to', '87000001', '--amount', '5']
  const { code, stderr } = await cli.ask(
    async () => {
      await emulator.control.reset()
      return 'y\n'
    },
    ...paying,
  )

  expect(code).toBe(10)
  expect(stderr).toContain('the answers come from a different world than before: the emulator was reset or replaced')
  expect(stderr).toMatch(/To look for the payment in the current world:\nnext: {2}payctl payments history/)
})
