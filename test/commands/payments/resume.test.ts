import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { breakJournal } from './broken_journal.ts'
import { builtPayctl } from './built_payctl.ts'
import { hinted, later, type Payctl, payctl } from './payctl.ts'
import {
  account,
  hideHistory,
  iban,
  isPayment,
  loseAnswers,
  recover,
  type Service,
  startService,
  stopOnceIdentified,
} from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--yes', '--retries', '0']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

/** Makes the service close every connection before it handles the request. */
const loseRequests = (service: Service) => {
  service.before = (_, response) => {
    response.destroy()
    return 'handled'
  }
}

const intents = async (cli: Payctl, ...flags: readonly string[]) =>
  JSON.parse((await cli.run('payments', 'intents', '--json', ...flags)).stdout)

/** Sends a payment whose answer is lost. Returns the command that finds the payment's outcome. */
const lost = async (service: Service, cli: Payctl) => {
  loseAnswers(service)
  const { stderr } = await cli.run(...send)
  recover(service)
  return hinted(stderr)
}

describe('an answer that is lost', () => {
  test('is exit 10 with the command that finds out, and nothing on stdout', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)

    const { code, stdout, stderr } = await cli.run(...send)

    expect(code).toBe(10)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/money may have moved/)
    expect(stderr).toMatch(/payctl payments resume int_[0-9a-z]{12}$/m)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown', payment_id: null }])
  })

  test('is found in the history: nothing is sent again', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)

    const { code, stdout } = await cli.run(...resume, '--json')

    expect(code).toBe(0)
    expect(service.received.filter(isPayment)).toHaveLength(1)
    expect(JSON.parse(stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
    expect(await intents(cli, '--unsettled')).toEqual([])
  })

  test.each(['json', 'ndjson'])('is shown whole as %s where --jq fails, although nothing is sent', async (format) => {
    const { service, cli } = await setUp()
    await lost(service, cli)

    const { code, stdout, stderr } = await cli.run(
      'payments',
      'resume',
      '-o',
      format,
      '--jq',
      'error("no such member")',
    )

    const payment = [...service.payments.values()][0]
    expect(service.received.filter(isPayment)).toHaveLength(1)
    expect([JSON.parse(stdout)].flat()).toMatchObject([{ id: payment?.id }])
    expect(code).toBe(10)
    expect(stderr).toContain(
      'The outcome of 1 payment is known. The rows could not be written: --jq failed: no such member.',
    )
  })

  test('stays in doubt: --jq that fails is named, and the row is shown', async () => {
    const { service, cli } = await setUp()
    await lost(service, cli)
    service.before = ({ path }) => (path.startsWith('/api/payments/history') ? [503, 'Later'] : undefined)
    const resume = ['payments', 'resume', '--json', '--retries', '0', '--jq', 'error("no such member")']

    const { code, stdout, stderr } = await cli.run(...resume)

    expect(code).toBe(10)
    expect(JSON.parse(stdout)).toMatchObject([{ intent: { status: 'unknown' } }])
    expect(stderr).toContain('money may have moved. The rows could not be written: --jq failed: no such member.')
  })

  test('is found by a repetition where the history does not have it: same key and body, paid once', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    hideHistory(service)

    const { code, stdout } = await cli.run(...resume, '--json')

    expect(code).toBe(0)
    const [first, second] = service.received.filter(isPayment)
    expect(second).toEqual(first)
    expect(service.payments.size).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ id: service.payments.get(first?.key ?? '')?.id })
    expect(await intents(cli, '--unsettled')).toEqual([])
  })

  test('of a payment that was never made: resuming makes it', async () => {
    const { service, cli } = await setUp()
    loseRequests(service)
    const { code, stderr } = await cli.run(...send)
    recover(service)

    const resumed = await cli.run(...hinted(stderr))

    expect([code, resumed.code]).toEqual([10, 0])
    expect(service.payments.size).toBe(1)
  })

  test('to two resumes at once: paid once, both know', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)

    const runs = await Promise.all([cli.run(...resume, '--json'), cli.run(...resume, '--json')])

    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(runs[0].stdout).toBe(runs[1].stdout)
    expect(service.payments.size).toBe(1)
  })

  test('to a run that is interrupted is exit 10 as well', async () => {
    const { service, cli } = await setUp()
    const arrived = new Promise<void>((resolve) => {
      service.afterCommit = () => {
        resolve()
        return 'handled'
      }
    })

    const { code, stderr } = await cli.interrupt(arrived, ...send)

    expect(code).toBe(10)
    expect(stderr).toContain('payctl payments resume int_')
    expect(service.payments.size).toBe(1)
  })

  test('to one of several stays in doubt when their resumption is interrupted, and is listed', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    for (let count = 0; count < 3; count += 1) await cli.run(...send)
    recover(service)
    hideHistory(service)
    const repeated = new Promise<void>((resolve) => {
      service.afterCommit = () => {
        resolve()
        return 'handled'
      }
    })

    const { code, stdout, stderr } = await cli.interrupt(repeated, 'payments', 'resume', '--json')

    expect(code).toBe(10)
    expect(stderr).toContain('The outcome of 3 of 3 payments is still unknown: money may have moved.')
    expect(JSON.parse(stdout)).toMatchObject(Array(3).fill({ id: null, intent: { status: 'unknown' } }))
    expect(await intents(cli, '--unsettled')).toHaveLength(3)
  })

  test.each([
    ['an expired token', 401, 'Unauthenticated.'],
    ['a rate limit', 429, 'Too Many Attempts.'],
    ['a conflict with itself', 409, 'In progress'],
    ['a fault', 500, 'Payment processing failed'],
  ])('stays in doubt when the repetition meets with %s', async (_, status, message) => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    service.before = () => [status, message]

    const { code, stderr } = await cli.run(...resume, '--retries', '0')

    expect(code).toBe(10)
    expect(hinted(stderr)).toEqual(resume)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
  })

  test('stays in doubt when the service is gone', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    loseRequests(service)

    const { code } = await cli.run(...resume, '--retries', '0')

    expect(code).toBe(10)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
  })

  test('is found in the history when the repetition is refused for what the first request did', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    service.before = ({ method }) => (method === 'POST' ? [422, 'Insufficient balance'] : undefined)

    const { code, stdout } = await cli.run(...resume, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
    expect(await intents(cli)).toMatchObject([{ status: 'settled' }])
  })

  test('is found in the history also where the journal cannot take the refusal of the repetition down', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    let hasRefused = false
    breakJournal(cli.stateDir, "NEW.error = 'Insufficient balance'")
    service.before = (request) => {
      if (request.path === '/api/payments/history' && !hasRefused) return [200, { data: [], total: 0 }]
      if (!isPayment(request)) return undefined
      hasRefused = true
      return [422, 'Insufficient balance']
    }

    const { code, stdout, stderr } = await cli.run(...resume, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
    expect(stderr).toContain('The payment journal could not be updated')
  })

  test('is not called refused when another run has found its payment meanwhile', async () => {
    const { service, cli } = await setUp()
    const resume = await lost(service, cli)
    service.before = ({ method, path }, response) => {
      if (path === '/api/payments/history') return [200, { data: [], total: 0 }]
      if (method !== 'POST') return undefined
      recover(service)
      const refusal = JSON.stringify({ success: false, message: 'Insufficient balance', data: null })
      cli.run(...resume).then(() => response.writeHead(422, { 'Content-Type': 'application/json' }).end(refusal))
      return 'handled'
    }

    const { code, stdout } = await cli.run(...resume, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
  })

  test('is settled as rejected when the repetition is refused and the history has no such payment', async () => {
    const { service, cli } = await setUp()
    loseRequests(service)
    const resume = hinted((await cli.run(...send)).stderr)
    service.before = ({ method }) => (method === 'POST' ? [422, 'Insufficient balance'] : undefined)

    const soon = await cli.run(...resume)
    const doubtful = await intents(cli)
    later(11 * 60_000)
    const { code, stderr } = await cli.run(...resume)
    const again = await cli.run(...resume)

    expect(soon.code).toBe(10)
    expect(soon.stderr).toContain('it has not been made so far')
    expect(doubtful).toMatchObject([{ status: 'unknown' }])
    expect([code, again.code]).toEqual([7, 7])
    expect(stderr).toContain('Insufficient balance')
    expect(await intents(cli)).toMatchObject([{ status: 'rejected', error: 'Insufficient balance' }])
    expect(service.count('/api/payments')).toBe(3)
  })
})

test('a success without a payment in it is in doubt', async () => {
  const { service, cli } = await setUp()
  service.before = () => [201, null]

  const { code } = await cli.run(...send)

  expect(code).toBe(10)
  expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
})

test('a run that was killed after sending is resumed', async () => {
  const { service, cli } = await setUp()
  const resume = await lost(service, cli)
  const journal = new Sqlite(join(cli.stateDir, 'journal.db'))
  journal.exec("UPDATE intents SET status = 'sent'")
  journal.close()

  const { code } = await cli.run(...resume)

  expect(code).toBe(0)
  expect(service.payments.size).toBe(1)
})

test('a run that was killed while its request was under way is resumed without being named', async () => {
  const service = await startService()
  const cli = builtPayctl({ base_url: service.url, token: 'token-of-the-test' })
  const arrived = new Promise<void>((resolve) => {
    service.afterCommit = () => {
      resolve()
      return 'handled'
    }
  })
  const { child, finished } = cli.start(send)
  await arrived
  child.kill('SIGKILL')
  await finished
  recover(service)
  const before = JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

  const { code, stdout } = await cli.run('payments', 'resume', '--json')

  expect(before).toMatchObject([{ status: 'sent' }])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'pending', intent: { id: before[0].id, status: 'settled' } }])
  expect(service.payments.size).toBe(1)
})

test('a payment in doubt is found on the last page of the history', async () => {
  const { service, cli } = await setUp()
  const resume = await lost(service, cli)
  await cli.run(...send)
  await cli.run(...send)
  const [first] = service.payments.values()
  service.pageSize = 1
  service.before = (request) => (isPayment(request) ? [422, 'Insufficient balance'] : undefined)

  const { code, stdout } = await cli.run(...resume, '--json')

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id: first?.id })
  expect(service.received.map(({ query }) => query.page).filter(Boolean)).toEqual(['2', '3'])
})

test('a service that cannot be reached is exit 12: the intent stays prepared and can be resumed by name only', async () => {
  const { service, cli } = await setUp()
  stopOnceIdentified(service)

  const { code } = await cli.run(...send)
  const all = await cli.run('payments', 'resume')

  expect(code).toBe(12)
  expect(all.code).toBe(0)
  expect(all.stderr).toContain('No payment is in doubt')
  expect(await intents(cli, '--unsettled')).toMatchObject([{ status: 'prepared' }])
  expect(service.received).toEqual([])
})

test('nothing is sent or written down while the service does not say whose the token is', async () => {
  const { service, cli } = await setUp()
  service.identify = () => [503, 'Later']

  const { code } = await cli.run(...send)

  expect(code).toBe(12)
  expect(await intents(cli)).toEqual([])
  expect(service.received).toEqual([])
})

describe('resume', () => {
  test('refuses to ask another service than the one the payment was made at', async () => {
    const { service, cli } = await setUp()
    const other = await startService()
    const resume = await lost(service, cli)

    const { code, stderr } = await cli.run(...resume, '--base-url', other.url)

    expect(code).toBe(2)
    expect(stderr).toContain(service.url)
    expect(other.received).toEqual([])
  })

  test('of a settled payment reads it and sends nothing', async () => {
    const { service, cli } = await setUp()
    await cli.run(...send)
    const [{ id }] = await intents(cli)

    const { code, stdout } = await cli.run('payments', 'resume', id, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
    expect(service.count('/api/payments')).toBe(1)
  })

  test.each([
    ['repeated', hideHistory],
    ['found in the history', () => {}],
  ])('writes a payment that was %s as sending writes it', async (_, change) => {
    const { service, cli } = await setUp()
    const sent = JSON.parse((await cli.run(...send, '--json')).stdout)
    const resume = await lost(service, cli)
    change(service)

    const found = JSON.parse((await cli.run(...resume, '--json')).stdout)
    const read = JSON.parse((await cli.run(...resume, '--json')).stdout)

    const [{ id }] = await intents(cli)
    expect(found).toEqual({
      ...sent,
      id: found.id,
      idempotency_key: found.idempotency_key,
      intent: expect.objectContaining({ id, payment_id: found.id, status: 'settled' }),
    })
    expect(read).toEqual({ ...found, status: 'completed', intent: expect.objectContaining({ id }) })
  })

  test.each([404, 500])('of a settled payment that is %i now still says that it was sent', async (status) => {
    const { service, cli } = await setUp()
    await cli.run(...send)
    const [{ id, payment_id }] = await intents(cli)
    service.before = () => [status, 'Payment not found']

    const { code, stderr } = await cli.run('payments', 'resume', id, '--retries', '0')

    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining(`${payment_id} has been sent`) })
  })

  test('of an intent that is not here is exit 3', async () => {
    const { cli } = await setUp()

    const { code, stderr } = await cli.run('payments', 'resume', 'int_000000000000')

    expect(code).toBe(3)
    expect(stderr).toContain('payctl payments outbox')
  })

  test('without an intent: all that are in doubt, a line each', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...send)
    await cli.run(...send)
    recover(service)
    await cli.run(...send)
    hideHistory(service)

    const { code, stdout } = await cli.run('payments', 'resume', '--output', 'ndjson')

    expect(code).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{ intent: { status: 'settled' } }, { intent: { status: 'settled' } }])
    expect(service.payments.size).toBe(3)
    expect(service.count('/api/payments')).toBe(5)
  })

  test('prints chosen columns of several, not of one', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...send)
    recover(service)

    const several = await cli.run('payments', 'resume', '--columns', 'status,error')
    const one = await cli.run('payments', 'resume', 'last', '--columns', 'status')

    expect(several.stdout).toBe('status\terror\nsettled\t\n')
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining('columns of a list') })
  })

  test('without an intent is exit 10 while one is still in doubt, and does not stop at it', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...send, '--idempotency-key', 'first')
    await cli.run(...send, '--idempotency-key', 'second')
    recover(service)
    service.before = ({ key }) => (key === 'first' ? [500, 'Payment processing failed'] : undefined)
    hideHistory(service)

    const { code, stdout } = await cli.run('payments', 'resume', '--retries', '0', '--json')

    expect(code).toBe(10)
    expect(JSON.parse(stdout)).toMatchObject([
      { idempotency_key: 'first', id: null, intent: { status: 'unknown' } },
      { idempotency_key: 'second', id: expect.any(String), intent: { status: 'settled' } },
    ])
  })

  test('is named with the flags that led to the service', async () => {
    const { service } = await setUp()
    const cli = payctl('http://127.0.0.1:9')
    loseAnswers(service)

    const { stderr } = await cli.run(...send, '--base-url', service.url, '--token', 'its-own')
    recover(service)
    const { code } = await cli.run(...hinted(stderr), '--token', 'its-own')

    expect(code).toBe(0)
    expect(service.payments.size).toBe(1)
  })
})

describe('an error in JSON names the intent', () => {
  const errorOf = ({ stderr }: { readonly stderr: string }) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error

  test.each([
    [10, 409, 'Payment is still being processed'],
    [10, 500, 'Payment processing failed'],
    [7, 422, 'Insufficient balance'],
    [5, 403, 'Invalid scope(s) provided.'],
    [4, 401, 'Unauthenticated.'],
    [11, 429, 'Too Many Attempts.'],
  ])('that ends with exit %i, sent and resumed', async (code, status, message) => {
    const { service, cli } = await setUp()
    service.before = (request) => (isPayment(request) ? [status, message] : undefined)

    const sent = await cli.run(...send, '--json')
    const [{ id }] = await intents(cli)
    const resumed = await cli.run('payments', 'resume', id, '--yes', '--json', '--retries', '0')

    expect([sent.code, resumed.code]).toEqual([code, code])
    expect(errorOf(sent)).toMatchObject({ intent_id: id })
    expect(errorOf(resumed)).toMatchObject({ intent_id: id })
  })

  test('that never left, or that belongs to another service', async () => {
    const { service, cli } = await setUp()
    const other = await startService()
    stopOnceIdentified(service)
    const nowhere = await cli.run(...send, '--json')
    const [{ id }] = await intents(cli)

    const elsewhere = await cli.as({ baseUrl: other.url }).run('payments', 'resume', id, '--json')

    expect([nowhere.code, elsewhere.code]).toEqual([12, 2])
    expect([errorOf(nowhere), errorOf(elsewhere)]).toMatchObject([{ intent_id: id }, { intent_id: id }])
  })

  test('but not where it is about several, or about none', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...send)
    hideHistory(service)

    const all = await cli.run('payments', 'resume', '--json', '--retries', '0')
    const none = await cli.run('payments', 'send', '--json')

    expect([all.code, none.code]).toEqual([10, 2])
    expect([errorOf(all), errorOf(none)]).toMatchObject([{ intent_id: null }, { intent_id: null }])
  })
})

describe('a journal that cannot be used lets nothing leave', () => {
  test.each([
    [
      'is not a database',
      (file: string) => writeFileSync(file, 'not a database, but long enough to look at'.repeat(50)),
    ],
    ['is a directory', (file: string) => mkdirSync(file)],
    [
      'was written by a newer payctl',
      (file: string) => {
        const journal = new Sqlite(file)
        journal.pragma('user_version = 999')
        journal.close()
      },
    ],
    ['is damaged', damage],
  ])('as it %s', async (_, spoil) => {
    const { service, cli } = await setUp()
    mkdirSync(cli.stateDir)
    spoil(join(cli.stateDir, 'journal.db'))

    const { code, stderr } = await cli.run(...send)

    expect(code).toBe(2)
    expect(stderr).toContain(join(cli.stateDir, 'journal.db'))
    expect(stderr).toContain('Nothing was sent')
    expect(service.received).toEqual([])
  })

  test('as its directory cannot be made', async () => {
    const { service, cli } = await setUp()
    writeFileSync(cli.stateDir, 'a file in its place')

    const { code, stderr } = await cli.run(...send)

    expect(code).toBe(2)
    expect(stderr).toContain('PAYCTL_STATE_DIR')
    expect(service.received).toEqual([])
  })
})

/** Writes a file with a valid header of SQLite, and meaningless bytes instead of tables. */
function damage(file: string): void {
  const journal = new Sqlite(file)
  journal.exec('CREATE TABLE intents (id TEXT)')
  const header = journal.serialize().subarray(0, 100)
  journal.close()
  writeFileSync(file, header)
  appendFileSync(file, Buffer.alloc(20_000, 0xa5))
}
