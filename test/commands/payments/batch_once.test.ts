import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../../src/journal/journal.ts'
import { rowsOf } from './batch_file.ts'
import { fileOf as plainFile } from './batch_service.ts'
import { breakJournal, breakMarking } from './broken_journal.ts'
import { payctl } from './payctl.ts'
import {
  account,
  hideHistory,
  holder,
  initiated,
  isPayment,
  loseAnswers,
  phone,
  recover,
  type Service,
  startService,
} from './service.ts'

/** A service, payctl, and a function that pays a file with this content. */
async function setUp() {
  const service = await startService()
  const cli = payctl(service.url)
  const argvOf = (text: string, flags: readonly string[]) => {
    const file = join(dirname(cli.stateDir), 'a.csv')
    writeFileSync(file, text)
    return ['payments', 'batch', file, '--yes', '--output', 'ndjson', '--retries', '0', ...flags]
  }
  return {
    service,
    cli,
    argvOf,
    pay: (text: string, ...flags: readonly string[]) => cli.run(...argvOf(text, flags)),
  }
}

const heading = 'to,amount,description,reference,from'
const line = (amount: string, reference: string): string => `${phone},${amount},,${reference},${account}`
const fileOf = (...lines: readonly string[]): string => [heading, ...lines].join('\n')

/** Amounts of the requested payments, in minor units. */
const asked = (service: Service) => service.received.filter(isPayment).map(({ body }) => body.amount)

test('rows that can’t be marked as sent do not leave', async () => {
  const { service, cli, pay } = await setUp()
  const repair = breakMarking(cli.stateDir)

  const broken = await pay(plainFile(5))
  const before = service.count('/api/payments')
  repair()
  const again = await pay(plainFile(5))

  expect({ code: broken.code, stderr: broken.stderr }).toEqual({ code: 2, stderr: expect.stringContaining('journal') })
  expect(before).toBe(0)
  expect(again.code).toBe(0)
  expect(asked(service)).toHaveLength(5)
})

test('a row that is settled is not asked for again, in whatever order and file it stands', async () => {
  const { service, cli, pay } = await setUp()
  const lines = [line('1', 'a'), line('2', 'b'), line('3', 'c')]
  service.before = (request) => (request.body.amount === 300 ? [422, 'Not this one'] : undefined)
  const first = await pay(fileOf(...lines))
  recover(service)

  const same = await pay(fileOf(...lines))
  const other = await pay(fileOf(...lines.toReversed(), line('4', 'd')), '--skip-sent')
  const resumed = await cli.run('payments', 'resume')

  expect([first, same, other, resumed].map(({ code }) => code)).toEqual([7, 0, 0, 0])
  expect(asked(service).toSorted()).toEqual([100, 200, 300, 300, 400])
})

test('what is still to pay is summed without what was paid, its fee asked for the dearest row', async () => {
  const { service, pay } = await setUp()
  await pay(fileOf(line('4', 'a')))

  const { stderr } = await pay(fileOf(line('1', 'b'), line('3', 'c'), line('2', 'd'), line('4', 'a')), '--dry-run')

  expect(stderr).toMatch(/^ {2}a\.csv +3 of 4 payments {3}6\.00 CRC \+ fees about 3\.00/m)
  expect(stderr).toMatch(/^ {2}Left out +1 sent before \(\d{4}-.+\) {3}batch b_\w+$/m)
  expect(service.received.filter(({ path }) => path.endsWith('/validate')).at(-1)?.body.amount).toBe(300)
})

test('a row of which is only known that it was sent is not said to be unsent', async () => {
  const { service, cli, pay } = await setUp()
  breakJournal(cli.stateDir, "OLD.status = 'sent'")
  loseAnswers(service)

  const { code, stdout } = await pay(plainFile(1))
  const intents = JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

  expect(intents).toMatchObject([{ status: 'sent' }])
  expect(code).toBe(10)
  expect(rowsOf(stdout)).toMatchObject([{ status: 'unknown', payment_id: null }])
})

test('rows in doubt are found on every page of the history', async () => {
  const { service, pay } = await setUp()
  loseAnswers(service)
  await pay(plainFile(3))
  recover(service)
  service.pageSize = 1
  service.before = (request) => (isPayment(request) ? [422, 'Insufficient balance'] : undefined)

  const { code, stdout } = await pay(plainFile(3))

  expect(code).toBe(0)
  expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  expect(service.count('/api/payments/history')).toBe(3)
})

test('a payment in the history that has the key of a row in doubt, and asks for something else, settles nothing', async () => {
  const { service, cli, pay } = await setUp()
  loseAnswers(service)
  await pay(plainFile(2))
  recover(service)
  for (const [key, payment] of service.payments) {
    service.payments.set(key, { ...payment, amount: { ...payment.amount, value: 7 } })
  }
  service.before = (request) => (isPayment(request) ? [422, 'Insufficient balance'] : undefined)

  const { code, stdout } = await pay(plainFile(2))

  expect(code).toBe(10)
  expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['unknown', 'unknown'])
  expect(JSON.parse((await cli.run('payments', 'intents', '--unsettled', '--json')).stdout)).toHaveLength(2)
})

test('answers that are lost now and then do not end a batch: only ten in a row do', async () => {
  const { service, pay } = await setUp()
  service.afterCommit = (request, response) => {
    if (Number(request.body.amount) % 2 === 0) return undefined
    response.destroy()
    return 'handled'
  }

  const { code } = await pay(plainFile(24), '--concurrency', '1')

  expect(code).toBe(10)
  expect(asked(service)).toHaveLength(24)
})

test('the largest amount that one payment can carry is paid', async () => {
  const { service, pay } = await setUp()

  const { code } = await pay(fileOf(line('5000000', 'a')))

  expect(code).toBe(0)
  expect(asked(service)).toEqual([500_000_000])
})

test('rows in doubt that a run does not come to are not said to be unsent', async () => {
  const { service, cli, pay } = await setUp()
  loseAnswers(service)
  const lost = await pay(plainFile(8))
  recover(service)
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  hideHistory(service)

  const again = await pay(plainFile(8), '--concurrency', '1')
  const [name = ''] = /b_[0-9a-f]{12}/.exec(lost.stderr) ?? []
  const resumed = await cli.run('payments', 'resume', '--batch', name, '--concurrency', '1')

  for (const { code, stderr } of [lost, again, resumed]) {
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('the outcome of 8 is unknown') })
    expect(stderr).not.toContain('not sent')
  }
})

test('rows in doubt that an interrupted run does not come to are in doubt still', async () => {
  const { service, cli, pay, argvOf } = await setUp()
  loseAnswers(service)
  await pay(plainFile(8))
  recover(service)
  hideHistory(service)
  const arrived = new Promise<void>((resolve) => {
    service.afterCommit = () => void resolve()
  })

  const { code, stderr } = await cli.interrupt(arrived, ...argvOf(plainFile(8), ['--concurrency', '1']))
  const unsettled = JSON.parse((await cli.run('payments', 'intents', '--unsettled', '--json')).stdout)

  expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('the outcome of 7 is unknown') })
  expect(stderr).not.toContain('not sent')
  expect(new Set(unsettled.map(({ status }: { readonly status: string }) => status))).toEqual(new Set(['unknown']))
})

test('an interrupt waits for the answer to what has left', async () => {
  const { service, cli, argvOf } = await setUp()
  const arrived = new Promise<void>((resolve) => {
    service.afterCommit = (request, response) => {
      const payment = service.payments.get(request.key ?? '')
      if (service.payments.size < 3 || !payment) return undefined
      resolve()
      setImmediate(() => response.writeHead(201).end(JSON.stringify({ success: true, data: initiated(payment) })))
      return 'handled'
    }
  })

  const { code, stdout, stderr } = await cli.interrupt(arrived, ...argvOf(plainFile(10), ['--concurrency', '1']))

  expect(code).toBe(130)
  expect(stderr).toContain('waiting at most 5 s for the answer to 1 row')
  expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
  expect(asked(service)).toHaveLength(3)
})

test('a row in doubt stays in its batch when the file no longer has it', async () => {
  const { service, cli, pay } = await setUp()
  service.afterCommit = (request, response) => {
    if (request.body.amount !== 200) return undefined
    response.destroy()
    return 'handled'
  }
  await pay(fileOf(line('1', 'a'), line('2', 'b')), '--batch-id', 'nightly')
  recover(service)

  const shorter = await pay(fileOf(line('1', 'a')), '--batch-id', 'nightly')
  const resumed = await cli.run('payments', 'resume', '--batch', 'nightly', '--output', 'ndjson')

  expect([shorter.code, resumed.code]).toEqual([0, 0])
  expect(rowsOf(resumed.stdout)).toMatchObject([{ line: 3, reference: 'b', status: 'completed' }])
  expect(service.payments.size).toBe(2)
})

test.each([1, 3, 8])('with --concurrency %i as many payments are under way, and never one more', async (limit) => {
  const { service, pay } = await setUp()
  const waiting: (() => void)[] = []
  let most = 0
  service.afterCommit = (request, response) => {
    const payment = service.payments.get(request.key ?? '')
    waiting.push(() =>
      response.writeHead(201).end(JSON.stringify({ success: true, data: payment && initiated(payment) })),
    )
    most = Math.max(most, waiting.length)
    // All possible requests are under way now. The answers wait 50 ms, in which a surplus request would arrive.
    if (waiting.length === limit) {
      setTimeout(() => {
        for (const answer of waiting.splice(0)) answer()
      }, 50)
    }
    return 'handled'
  }

  const { code } = await pay(plainFile(3 * limit), '--concurrency', String(limit))

  expect({ code, most }).toEqual({ code: 0, most: limit })
})

describe('line and reference of a row', () => {
  test('are those of the file at hand, sent before or not, and of the batch that is resumed', async () => {
    const { service, cli, pay } = await setUp()
    service.before = (request) =>
      isPayment(request) && request.body.amount === 200 ? [422, 'Not this one'] : undefined
    await pay(fileOf(line('1', 'old a'), line('2', 'old b'), line('3', 'old c')))
    recover(service)
    service.afterCommit = (request, response) => {
      if (request.body.amount !== 200) return undefined
      response.destroy()
      return 'handled'
    }

    const second = await pay(fileOf(line('3', 'new c'), line('2', 'new b'), line('1', 'new a')), '--skip-sent')
    recover(service)
    const batch = /--batch (\S+?)"/.exec(second.stderr)?.[1] ?? ''
    const resumed = await cli.run('payments', 'resume', '--batch', batch, '--output', 'ndjson')

    expect(rowsOf(second.stdout).toSorted((a, b) => Number(a.line) - Number(b.line))).toMatchObject([
      { line: 2, reference: 'new c', amount: { value: 300 } },
      { line: 3, reference: 'new b', amount: { value: 200 }, status: 'unknown' },
      { line: 4, reference: 'new a', amount: { value: 100 } },
    ])
    expect(rowsOf(resumed.stdout)).toMatchObject([{ line: 3, reference: 'new b', status: 'completed' }])
  })
})

test.each([
  ['a fault', 500, 10, 'unknown'],
  ['a service that is down', 503, 10, 'unknown'],
  ['a token that is refused', 401, 4, 'not_sent'],
  ['a token that may not', 403, 5, 'not_sent'],
])('%s is not a refusal of a row', async (_, status, code, told) => {
  const { service, cli, pay } = await setUp()
  service.before = (request) => (isPayment(request) ? [status, 'Not now'] : undefined)

  const first = await pay(plainFile(2))
  const rejected = JSON.parse((await cli.run('payments', 'intents', '--status', 'rejected', '--json')).stdout)
  recover(service)
  const again = await pay(plainFile(2))

  expect([first.code, again.code]).toEqual([code, 0])
  expect(rowsOf(first.stdout).map((row) => row.status)).toContain(told)
  expect(rejected).toEqual([])
  expect(service.payments.size).toBe(2)
})

test('a row that another process finds refused is sent only to its holder, as any row that was not sent', async () => {
  const { service, cli, pay } = await setUp()
  const named = `to,amount,from,name\n${phone},10,${account},${holder.name}`
  loseAnswers(service)
  await pay(named)
  recover(service)
  service.payments.clear()
  service.before = ({ path }) => {
    if (path.startsWith('/api/phone/')) return [200, { ...holder, phone_number: phone, name: 'Somebody Else' }]
    if (path !== '/api/payments/history') return undefined
    const journal = openJournal(cli.stateDir)
    for (const { id } of journal.list()) journal.markAbsent(id, 'Refused', new Date(Date.now() + 60_000).toISOString())
    journal.close()
    return undefined
  }

  const { code, stderr } = await pay(named)

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Somebody Else') })
  expect(asked(service)).toHaveLength(1)
})

test('a row that another process finds refused is not in doubt when the resumption of its batch stops', async () => {
  const { service, cli, pay } = await setUp()
  const named = (amount: number) => `${phone},${amount},${account},${holder.name}`
  let sent = 0
  service.before = (received) => {
    if (!isPayment(received)) return undefined
    sent += 1
    return sent === 1 ? [500, 'Server Error'] : [401, 'Unauthenticated.']
  }
  const rows = Array.from({ length: 40 }, (_, at) => named(10 + at))
  await pay(['to,amount,from,name', ...rows].join('\n'), '--batch-id', 'run')
  service.before = (received) => {
    if (isPayment(received)) return [401, 'Unauthenticated.']
    if (!received.path.startsWith('/api/phone/')) return undefined
    const journal = openJournal(cli.stateDir)
    for (const { id } of journal.list({ statuses: ['unknown'] })) {
      journal.markAbsent(id, 'Refused', new Date(Date.now() + 60_000).toISOString())
    }
    journal.close()
    return undefined
  }

  const { code, stderr } = await cli.run('payments', 'resume', '--batch', 'run', '--yes')

  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.not.stringContaining('unknown') })
})

test('a row that another process finds refused is not sent again by the resumption of its batch', async () => {
  const { service, cli, pay } = await setUp()
  loseAnswers(service)
  await pay(plainFile(2), '--batch-id', 'run')
  recover(service)
  service.payments.clear()
  service.before = ({ path }) => {
    if (path !== '/api/payments/history') return undefined
    const journal = openJournal(cli.stateDir)
    const [first] = journal.list()
    if (first) journal.markAbsent(first.id, 'Refused', new Date(Date.now() + 60_000).toISOString())
    journal.close()
    return undefined
  }

  const { code, stdout } = await cli.run('payments', 'resume', '--batch', 'run', '-o', 'ndjson')

  expect(code).toBe(0)
  expect(rowsOf(stdout)).toMatchObject([{ line: 2, status: 'pending' }])
  expect(asked(service)).toHaveLength(3)
})

test('a row that another process finds refused while its batch is resumed is not sent again', async () => {
  const { service, cli, pay } = await setUp()
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  const rows = 66 // more than are marked as sent at once
  await pay(plainFile(rows), '--batch-id', 'run')
  const { length: refused } = asked(service)
  const journal = openJournal(cli.stateDir)
  for (const { id } of [...journal.list()]) journal.markLost(journal.markSent(id), 'lost')
  recover(service)
  const [last] = journal.list()
  service.before = (request) => {
    if (!isPayment(request) || !last) return undefined
    journal.markAbsent(last.id, 'Refused', new Date(Date.now() + 60_000).toISOString())
    return undefined
  }

  const { stdout } = await cli.run('payments', 'resume', '--batch', 'run', '-o', 'ndjson', '--concurrency', '1')
  journal.close()

  expect(rowsOf(stdout).filter(({ status }) => status === 'rejected')).toMatchObject([{ line: rows + 1 }])
  expect(asked(service)).toHaveLength(refused + rows - 1)
})

test('a run that is cut off before it records its rows leaves the rows of earlier runs in the batch', async () => {
  const { service, cli, pay } = await setUp()
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  await pay(plainFile(3), '--batch-id', 'run')
  const { length: refused } = asked(service)
  const repair = breakJournal(cli.stateDir, 'NEW.batch IS NOT NULL')
  const cutOff = await pay(plainFile(3), '--batch-id', 'run')
  repair()
  recover(service)

  const { code } = await cli.run('payments', 'resume', '--batch', 'run', '--yes')

  expect([cutOff.code, code]).toEqual([2, 0])
  expect(asked(service)).toHaveLength(refused + 3)
})

test('a batch of which only some rows are recorded is resumed by its file alone', async () => {
  const { service, cli, pay } = await setUp()
  const rows = fileOf(...Array.from({ length: 600 }, (_, at) => line(`${at + 1}`, `row ${at + 1}`)))
  const repair = breakJournal(cli.stateDir, 'NEW.line > 550', 'INSERT') // rows are recorded 500 at a time
  await pay(rows, '--batch-id', 'run')
  repair()
  const resumed = await cli.run('payments', 'resume', '--batch', 'run', '--yes')
  const sent = asked(service).length

  const { code } = await pay(rows, '--batch-id', 'run')

  expect(resumed.stderr).toContain('Batch run lacks rows of its file')
  expect([resumed.code, sent, code]).toEqual([2, 0, 0])
  expect(asked(service)).toHaveLength(600)
})

test('a row in doubt that another process finds refused after the rows were shown is not sent', async () => {
  const { service, cli, pay } = await setUp()
  const lost = `${phone},10,${account},Somebody Else`
  loseAnswers(service)
  await pay(`to,amount,from,name\n${lost.replace('Somebody Else', holder.name)}`, '--batch-id', 'run')
  recover(service)
  service.payments.clear()
  service.before = ({ path }) => {
    if (!path.startsWith('/api/phone/')) return undefined
    const journal = openJournal(cli.stateDir)
    for (const { id } of journal.list()) journal.markAbsent(id, 'Refused', new Date(Date.now() + 60_000).toISOString())
    journal.close()
    return undefined
  }

  const file = `to,amount,from,name\n${lost}\n${phone},20,${account},${holder.name}`
  const { code, stdout } = await pay(file, '--batch-id', 'run')

  expect(code).toBe(7)
  expect(rowsOf(stdout).toSorted((a, b) => Number(a.line) - Number(b.line))).toMatchObject([
    { line: 2, status: 'rejected' },
    { line: 3, status: 'pending' },
  ])
  expect(asked(service)).toEqual([1000, 2000])
})

test.each([
  ['send', ['payments', 'send', '--from', account, '--to', phone, '--amount', '10', '--idempotency-key', 'mine']],
  ['batch', undefined],
])('two payments with one key are both reported by %s, and the journal keeps the first', async (_, sending) => {
  const { service, cli, argvOf } = await setUp()
  service.before = (request) => {
    if (!isPayment(request)) return undefined
    const journal = openJournal(cli.stateDir)
    for (const { id } of [...journal.list()]) journal.markSettled(id, { id: 'first-payment', status: 'completed' })
    journal.close()
    return undefined
  }

  const argv = sending ? [...sending, '--yes'] : argvOf(plainFile(1), [])
  const { code, stderr } = await cli.run(...argv)

  expect(code).toBe(0)
  expect(stderr).toMatch(/made two payments with key \S+: first-payment, \S+\./)
  const journal = openJournal(cli.stateDir)
  const intents = [...journal.list()]
  journal.close()
  expect(intents).toMatchObject([{ payment_id: 'first-payment', payment_status: 'completed' }])
})

test('a row that stops being in doubt before the question of its resumption is not sent', async () => {
  const { service, cli, pay } = await setUp()
  loseAnswers(service)
  await pay(plainFile(1), '--batch-id', 'run')
  recover(service)
  service.payments.clear()
  service.before = ({ path }) => {
    if (path !== '/api/payments/history') return undefined
    const journal = openJournal(cli.stateDir)
    for (const { id } of [...journal.list()])
      if (journal.markAbsent(id, 'Refused', new Date(Date.now() + 60_000).toISOString()))
        journal.markUnsent(journal.markSent(id), 'Unauthenticated.')
    journal.close()
    return undefined
  }

  const { code, stdout, stderr } = await cli.run('payments', 'resume', '--batch', 'run', '--yes', '-o', 'ndjson')

  expect(code).not.toBe(0)
  expect(rowsOf(stdout)).toMatchObject([{ line: 2, status: 'not_sent' }])
  expect(stderr).toContain('Another process has found the outcome of this payment meanwhile')
  expect(asked(service)).toHaveLength(1)
})
