import { describe, expect, test } from 'vitest'
import { account, isPayment, loseAnswers, phone, type Received, recover } from '../commands/payments/service.ts'
import { type LimitedPayctl, limitedPayctl, sending, sendingRaw } from './limited_payctl.ts'

// A payment by `payctl api` is an intent like any other: counted once, and released only by the attempt that counted
// it.

const used = async ({ run }: LimitedPayctl): Promise<string> => {
  const rows: { limit: string; used: { formatted: string } }[] = JSON.parse((await run('limits', '--json')).stdout)
  return rows.find(({ limit }) => limit === 'per_day')?.used.formatted ?? ''
}

const intents = async ({ run }: LimitedPayctl): Promise<readonly { readonly id: string; readonly status: string }[]> =>
  JSON.parse((await run('payments', 'intents', '--all', '--json')).stdout)

const withKey = (key: string) => [...sending('20'), '--yes', '--retries', '0', '--idempotency-key', key]

/** Refusals by the service, and a request that certainly was not sent. */
const setbacks: Record<string, (at: LimitedPayctl) => void> = {
  'answered 429': ({ service }) => {
    service.before = (request) => (isPayment(request) ? [429, 'Too Many Attempts.'] : undefined)
  },
  'answered 401': ({ service }) => {
    service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  },
  'answered 403': ({ service }) => {
    service.before = (request) => (isPayment(request) ? [403, 'Not for this token'] : undefined)
  },
  'answered 422': ({ service }) => {
    service.before = (request) => (isPayment(request) ? [422, 'Insufficient balance'] : undefined)
  },
  'not sent': ({ service }) => service.stop(),
}

describe.each(Object.entries(setbacks))('a payment by api still counts after its key was %s', (_, setback) => {
  const ways = { send: withKey('mine'), api: sendingRaw('mine', 2000) }

  test.each(Object.entries(ways))('by %s, once it was paid', async (_, again) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '20', 'CRC')
    expect((await at.run(...sendingRaw('mine', 2000))).exitCode).toBe(0)

    setback(at)
    await at.run(...again)

    expect(await used(at)).toBe('20.00 CRC')
    expect((await at.send('20')).exitCode).not.toBe(0)
    expect(at.service.payments.size).toBe(1)
  })

  test.each(Object.entries(ways))('by %s, while it is in doubt', async (_, again) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '20', 'CRC')
    loseAnswers(at.service)
    expect((await at.run(...sendingRaw('mine', 2000))).exitCode).toBe(10)

    setback(at)
    await at.run(...again)

    expect(await used(at)).toBe('20.00 CRC')
    expect(at.service.payments.size).toBe(1)
  })
})

/** If a request arrives alone, the service holds it until its caller gives up after 30 s and repeats it. */
const untilRepeated = { timeout: 90_000 }

describe('of two requests by api with one key at once', untilRepeated, () => {
  /** Waits until two payments have arrived, then answers both: status 201 as usual, any other status as a refusal. */
  function together({ service }: LimitedPayctl, ...statuses: readonly number[]): void {
    const waiting: (() => void)[] = []
    service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      const status = statuses[waiting.length] ?? 0
      waiting.push(() => {
        service.before = () => (status === 201 ? undefined : [status, 'Refused by the test'])
        const answer = service.answer(request, response)
        if (answer === 'handled') throw new Error('The service has not answered')
        const [code, data] = answer
        const refusal = { success: false, message: data, data: null, errors: {} }
        const body = code < 400 ? { success: true, message: 'Done', data } : refusal
        response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
      })
      if (waiting.length === 2) {
        for (const answer of waiting) answer()
        recover(service)
      }
      return 'handled'
    }
  }

  test.each([
    [201, 422],
    [422, 201],
    [201, 429],
  ])('one is answered %i and the other %i: the payment counts', async (first, second) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '20', 'CRC')
    together(at, first, second)
    const start = () => at.startProcess(sendingRaw('mine', 2000))

    const runs = await Promise.all([start(), start()])

    expect(runs.map(({ exitCode }) => exitCode)).toContain(0)
    expect(await used(at)).toBe('20.00 CRC')
    expect((await at.send('20')).exitCode).toBe(5)
    expect(at.service.payments.size).toBe(1)
  })

  test('both are refused: nothing counts', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '20', 'CRC')
    together(at, 422, 422)
    const start = () => at.startProcess(sendingRaw('mine', 2000))

    await Promise.all([start(), start()])

    expect(await used(at)).toBe('0.00 CRC')
  })
})

describe.each([
  ['with limits', ['--per-day', '100', 'CRC']],
  ['without limits', []],
])('%s a payment by api', (_, limits) => {
  const setUp = async () => {
    const at = await limitedPayctl()
    if (limits.length > 0) await at.limit(...limits)
    return at
  }

  test('is in the list of intents, and its answer is printed as it came', async () => {
    const at = await setUp()

    const { stdout } = await at.run(...sendingRaw('mine', 2000), '--include')

    const [head, body = ''] = stdout.split('\n\n')
    const { data } = JSON.parse(body)
    expect(head).toContain('HTTP 201')
    expect(await intents(at)).toMatchObject([{ status: 'settled', payment_id: data.id, idempotency_key: 'mine' }])
  })

  test('whose answer was lost is resumed with its body', async () => {
    const at = await setUp()
    at.service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      response.destroy()
      return 'handled'
    }
    const lost = await at.run(...sendingRaw('mine', 2000), '-f', 'recipient_email=luz@example.com')
    const [intent] = await intents(at)
    recover(at.service)

    expect(lost).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(`payctl payments resume ${intent?.id}`),
    })
    expect((await at.run('payments', 'resume', intent?.id ?? '', '--yes')).exitCode).toBe(0)
    const bodies = at.service.received.filter(isPayment).map(({ body }: Received) => body)
    expect(bodies).toEqual(Array.from(bodies, () => ({ ...bodies[0], recipient_email: 'luz@example.com' })))
    expect(at.service.payments.size).toBe(1)
  })

  test('that was made is not sent again, as the service may have forgotten its key', async () => {
    const at = await setUp()
    await at.run(...sendingRaw('mine', 2000))
    const requested = at.requested()

    const { exitCode, stdout, stderr } = await at.run(...sendingRaw('mine', 2000), '--jq', '.data.idempotency_key')

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'mine' })
    expect(stderr).toMatch(/^Payment \S+ was made with this key/m)
    expect(at.requested()).toBe(requested)
  })

  test('that another request with the key has made is printed, although this request is refused', async () => {
    const at = await setUp()
    loseAnswers(at.service)
    await at.run(...sendingRaw('mine', 2000))
    recover(at.service)
    let isShown = false
    at.service.before = (request) => {
      if (request.path === '/api/payments/history' && !isShown) return [200, { data: [], total: 0 }]
      if (!isPayment(request)) return undefined
      isShown = true
      return [422, 'Insufficient balance']
    }

    const { exitCode, stdout, stderr } = await at.run(...sendingRaw('mine', 2000), '--jq', '.data.idempotency_key')

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'mine' })
    expect(stderr).toContain('was made with this key by another request')
  })

  test('with the key of another payment is refused', async () => {
    const at = await setUp()
    await at.run(...withKey('mine'))

    const { exitCode, stderr } = await at.run(...sendingRaw('mine', 2001))

    expect(exitCode).toBe(2)
    expect(stderr).toContain('The idempotency key mine belongs to another payment')
    expect(at.requested()).toBe(1)
  })

  test('that was refused ends with the body of the refusal, and can be sent again', async () => {
    const at = await setUp()
    at.service.before = (request) => (isPayment(request) ? [422, 'Refused by the test'] : undefined)

    const refused = await at.run(...sendingRaw('mine', 2000))
    recover(at.service)

    expect(refused).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('Refused by the test') })
    expect(await intents(at)).toMatchObject([{ status: 'rejected' }])
    expect((await at.run(...sendingRaw('mine', 2000))).exitCode).toBe(0)
  })

  test('whose answer names another payment is in doubt, and the answer is printed', async () => {
    const at = await setUp()
    at.service.afterCommit = () => [201, { id: 'p-9', status: 'pending', amount: { value: 1, currency: 'CRC' } }]

    const { exitCode, stdout, stderr } = await at.run(...sendingRaw('mine', 2000))

    expect(exitCode).toBe(10)
    expect(JSON.parse(stdout).data.id).toBe('p-9')
    expect(stderr).toContain('the service answered with another payment')
  })

  test('without a key, or with an empty one, is not sent', async () => {
    const at = await setUp()

    const { exitCode, stderr } = await at.run(...sendingRaw('', 2000))

    expect({ exitCode, sent: at.requested() }).toEqual({ exitCode: 2, sent: 0 })
    expect(stderr).toContain('without an idempotency key')
  })
})

test('a request of api without limits that the journal cannot save is not an intent, and a note says so', async () => {
  const at = await limitedPayctl()
  const pay = ['api', 'POST', '/api/payments', '-H', 'X-Idempotency-Key: mine', '-f', `source_account_id=${account}`]

  const { exitCode, stderr } = await at.run(...pay, '-f', 'amount=ten', '-f', `recipient_phone=${phone}`)

  expect(exitCode).toBe(0)
  expect(stderr).toContain('it is not recorded as a payment')
  expect(await intents(at)).toEqual([])
  expect(at.audited().map(({ event, key }) => [event, key])).toEqual([
    ['asked', 'mine'],
    ['outcome', 'mine'],
  ])
})
