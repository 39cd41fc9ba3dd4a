import { describe, expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { account, iban, paymentOf, type Service, startService } from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--yes', '--retries', '0']

const setUp = async (...statuses: string[]) => {
  const service = await startService()
  service.statuses = statuses
  return { service, cli: payctl(service.url) }
}

/** A payment that exists at the service. */
const existing = (service: Service): string => {
  const payment = paymentOf({ key: 'elsewhere', body: { amount: 1000 } })
  service.payments.set('elsewhere', payment)
  return payment.id
}

const isReading = (path: string) => /^\/api\/payments\/[0-9a-f-]{36}$/.test(path)

describe('send --wait', () => {
  test('is exit 0 when the payment completes; stdout has its last state only', async () => {
    const { service, cli } = await setUp('pending', 'processing', 'completed')

    const { code, stdout, stderr } = await cli.run(...send, '--wait', '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
    expect(stderr).toContain('is processing')
    expect(service.payments.size).toBe(1)
  })

  test('is exit 8 with the reason when it ends otherwise', async () => {
    const { cli } = await setUp('failed')

    const { code, stdout, stderr } = await cli.run(...send, '--wait', '--json')

    expect(code).toBe(8)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed' })
    expect(stderr).toContain('Account closed')
  })

  test.each([
    ['completed', 0],
    ['failed', 8],
  ])('has one shape with --wait and without, and one status: %s', async (end, code) => {
    const { cli } = await setUp(end)
    const print = async (...flags: readonly string[]) => {
      const run = await cli.run(...send, ...flags, '--json')
      return { ...run, payment: JSON.parse(run.stdout) }
    }

    const sent = await print('--idempotency-key', 'sent')
    const awaited = await print('--idempotency-key', 'awaited', '--wait')
    const known = JSON.parse((await cli.run('payments', 'intents', awaited.payment.intent.id, '--json')).stdout)

    expect({ sent: sent.code, awaited: awaited.code }).toEqual({ sent: 0, awaited: code })
    expect(Object.keys(awaited.payment).toSorted()).toEqual(Object.keys(sent.payment).toSorted())
    expect(sent.payment).toMatchObject({ status: 'pending', payee: null, intent: { payment_status: 'pending' } })
    expect(awaited.payment).toMatchObject({ status: end, intent: { payment_status: end } })
    expect(awaited.payment.recipient_iban ?? awaited.payment.recipient_phone).toBeTruthy()
    expect(known).toMatchObject({ payment_status: end })
  })

  test('is exit 9 with the command to go on when the time is up', async () => {
    const { service, cli } = await setUp('processing')

    const { code, stdout, stderr } = await cli.run(...send, '--wait-timeout', '1s', '--json')

    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'processing' })
    expect(stderr).toContain(`payctl payments watch ${[...service.payments.values()][0]?.id}`)
  })

  test('is exit 9, not 12, when the service is gone once the payment has been sent', async () => {
    const { service, cli } = await setUp('pending')
    service.before = ({ path }, response) => {
      if (!isReading(path)) return undefined
      response.destroy()
      return 'handled'
    }

    const { code, stdout, stderr } = await cli.run(...send, '--wait', '--json')

    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pending' })
    expect(stderr).toContain('has been sent, but its status could not be read')
  })

  test('does not wait for an answer beyond its time', async () => {
    const { service, cli } = await setUp('pending')
    service.before = ({ path }) => (isReading(path) ? 'handled' : undefined)

    const { code } = await cli.run(...send, '--wait-timeout', '50ms')

    expect(code).toBe(9)
  })

  test('interrupted is exit 130 and says that the payment goes on', async () => {
    const { service, cli } = await setUp('pending')
    const looked = new Promise<void>((resolve) => {
      service.before = ({ path }) => {
        if (isReading(path)) resolve()
        return undefined
      }
    })

    const { code, stdout, stderr } = await cli.interrupt(looked, ...send, '--wait', '--json')

    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pending' })
    expect(stderr).toContain('payctl payments watch')
  })
})

const another = paymentOf({ key: 'another', body: { amount: 500 } })

describe('an answer that is another payment’s', () => {
  test.each<[string, object]>([
    ['id', { id: another.id }],
    ['key, without an id', { id: null, idempotency_key: another.idempotency_key }],
    ['amount', { amount: another.amount }],
  ])('by its %s is not news of the awaited payment: exit 9', async (_, changes) => {
    const { service, cli } = await setUp('pending')
    service.before = ({ path }) => {
      const [payment] = service.payments.values()
      return isReading(path) ? [200, { ...payment, ...changes, status: 'completed' }] : undefined
    }

    const { code, stdout, stderr } = await cli.run(...send, '--wait', '--json')

    const [payment] = service.payments.values()
    expect({ code, payment: JSON.parse(stdout) }).toMatchObject({
      code: 9,
      payment: { id: payment?.id, status: 'pending' },
    })
    expect(stderr).toMatch(/answered with/)
    expect(stderr).not.toContain('is completed')
  })

  test.each(['watch', 'get', 'receipt'])('is not shown as the one that was asked for: %s', async (verb) => {
    const { service, cli } = await setUp()
    const id = existing(service)
    service.before = ({ path }) => (isReading(path) ? [200, { ...another, status: 'completed' }] : undefined)

    const { code, stdout, stderr } = await cli.run('payments', verb, id)

    expect(code).toBe(12)
    expect(stdout).not.toContain(another.id)
    expect(stderr).toContain(`${id} was requested, but the service answered with ${another.id}`)
  })

  test('with the key of a sent payment says nothing about it: exit 10', async () => {
    const { service, cli } = await setUp('pending')
    await cli.run(...send, '--idempotency-key', 'order-1')
    service.before = ({ path }) => (isReading(path) ? [200, { ...another, id: null }] : undefined)

    const { code, stderr } = await cli.run(...send, '--idempotency-key', 'order-1')

    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('another payment') })
  })
})

describe('watch', () => {
  test('prints each status once, an object each', async () => {
    const { service, cli } = await setUp('pending', 'pending', 'processing', 'completed')

    const { code, stdout } = await cli.run('payments', 'watch', existing(service), '--output', 'ndjson')

    expect(code).toBe(0)
    const statuses = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status)
    expect(statuses).toEqual(['pending', 'processing', 'completed'])
  })

  test('prints a line each for people', async () => {
    const { service, cli } = await setUp('processing', 'failed')

    const { code, stdout } = await cli.run('payments', 'watch', existing(service), '--output', 'table')

    expect(code).toBe(8)
    expect(stdout).toMatch(/^\S+ \S+ {2}processing\n\S+ \S+ {2}failed {2}Account closed\n$/)
  })

  test('prints nothing for people that a terminal would obey, in a pipe as little as on one', async () => {
    const { service, cli } = await setUp('\u001b[2Jprocessing\rpaid', 'failed')

    const { stdout } = await cli.run('payments', 'watch', existing(service), '--output', 'table')

    expect(stdout).toMatch(/^\S+ \S+ {2}\[2Jprocessing paid\n/)
  })

  test.each(['failed', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'])(
    'is exit 8 for %s',
    async (status) => {
      const { service, cli } = await setUp(status)

      expect((await cli.run('payments', 'watch', existing(service))).code).toBe(8)
    },
  )

  test('is exit 9 when the time is up', async () => {
    const { service, cli } = await setUp('pending')

    const { code } = await cli.run('payments', 'watch', existing(service), '--wait-timeout', '50ms')

    expect(code).toBe(9)
  })

  test('is exit 3 for a payment that is not there', async () => {
    const { cli } = await setUp('pending')

    expect((await cli.run('payments', 'watch', account)).code).toBe(3)
  })

  test('interrupted is exit 130 at once', async () => {
    const { service, cli } = await setUp('pending')
    const id = existing(service)
    const looked = new Promise<void>((resolve) => {
      service.before = () => {
        resolve()
        return undefined
      }
    })

    expect((await cli.interrupt(looked, 'payments', 'watch', id)).code).toBe(130)
  })
})
