import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test, vi } from 'vitest'
import { rowsOf } from './batch_file.ts'
import { fileOf, setUp } from './batch_service.ts'
import { isPayment, loseAnswers, recover } from './service.ts'

/** Returns the command that the hint names. */
const hinted = (stderr: string): string[] =>
  (/payctl (payments resume [^\n"(]*)/.exec(stderr)?.[1] ?? '').trim().split(' ')

/**
 * Makes all attempts in the journal so old that no request can still arrive: a test can't move the clock of a process.
 */
function longAgo(stateDir: string): void {
  const journal = new Sqlite(join(stateDir, 'journal.db'))
  journal.exec("UPDATE attempts SET sent_at = '2026-01-01', lost_at = '2026-01-01'")
  journal.close()
}

describe('answers that are lost', () => {
  test('are exit 10 with the command that finds out; run again, each row is paid once', async () => {
    const { service, batch } = await setUp(6)
    loseAnswers(service)

    const lost = await batch()
    recover(service)
    const seen = JSON.parse((await batch('--dry-run')).stdout)
    const again = await batch()

    expect(lost.code).toBe(10)
    expect(rowsOf(lost.stdout).map(({ status }) => status)).toEqual(Array(6).fill('unknown'))
    expect(lost.stderr).toMatch(/the outcome of 6 is unknown \(money may have moved\)/)
    expect(seen).toMatchObject({ rows: 6, to_send: 0, in_doubt: 0, sent_before: 6 })
    expect(again.code).toBe(0)
    expect(service.payments.size).toBe(6)
  })

  test('are found by resuming the batch, and only by its rows', async () => {
    const { service, cli, batch } = await setUp(3)
    let calls = 0
    service.afterCommit = (_, response) => {
      calls += 1
      if (calls !== 2) return undefined
      response.destroy()
      return 'handled'
    }

    const lost = await batch('--concurrency', '1')
    recover(service)
    const resumed = await cli.run(...hinted(lost.stderr), '--output', 'ndjson')

    expect([lost.code, resumed.code]).toEqual([10, 0])
    expect(hinted(lost.stderr)).toContain('--batch')
    expect(rowsOf(resumed.stdout)).toMatchObject([{ line: 3, status: 'completed' }])
    expect(service.payments.size).toBe(3)
    expect(service.count('/api/payments')).toBe(3)
  })

  test('one after the other end the batch before all rows are in doubt', async () => {
    const { service, batch } = await setUp(60)
    service.before = (request) => (isPayment(request) ? [500, 'Payment processing failed'] : undefined)

    const { code, stdout, stderr } = await batch('--concurrency', '2')

    expect(code).toBe(10)
    expect(service.count('/api/payments')).toBeLessThanOrEqual(12)
    expect(stderr).toMatch(/no clear answer for 10 consecutive rows/)
    expect(stderr).toMatch(/\d+ not sent/)
    expect(rowsOf(stdout).filter(({ status }) => status === 'unknown').length).toBeLessThanOrEqual(12)
  })
})

test('rows in doubt that are refused are looked for in the history, once for all', async () => {
  const { service, batch, cli } = await setUp(8)
  let made = 0
  service.before = (request, response) => {
    if (!isPayment(request) || made < 3) return undefined
    response.destroy()
    return 'handled'
  }
  service.afterCommit = (_, response) => {
    made += 1
    response.destroy()
    return 'handled'
  }
  const lost = await batch('--concurrency', '1')
  recover(service)
  service.before = (request) => (isPayment(request) ? [422, 'Insufficient balance'] : undefined)

  const soon = await batch()
  const read = service.count('/api/payments/history')
  longAgo(cli.stateDir)
  const again = await batch()

  const endsOf = ({ stdout }: { readonly stdout: string }, end: string) =>
    rowsOf(stdout).filter(({ status }) => status === end)
  expect([lost.code, soon.code, again.code]).toEqual([10, 10, 7])
  expect([endsOf(soon, 'completed').length, endsOf(soon, 'unknown').length]).toEqual([3, 5])
  expect(endsOf(again, 'rejected')).toHaveLength(5)
  expect(read).toBe(2) // once before the repetitions, and once after them
})

test('rows in doubt from another file are not taken for this one’s', async () => {
  const { service, cli, batch } = await setUp(2)
  loseAnswers(service)
  await batch()
  recover(service)
  cli.file('a.csv', fileOf(3))

  const unsaid = await batch()
  const said = await batch('--skip-sent')

  expect([unsaid.code, said.code]).toEqual([2, 0])
  expect(unsaid.stderr).toContain('2 of 3 rows repeat what another file has sent')
  expect(service.payments.size).toBe(3)
})

test('a fault that passes is tried again, and no row fails of it', async () => {
  const { service, cli, file } = await setUp(10)
  const faulty = new Set<string>()
  service.before = (request) => {
    if (!isPayment(request) || faulty.has(request.key ?? '')) return undefined
    faulty.add(request.key ?? '')
    return [500, 'Payment processing failed']
  }

  const { code } = await cli.run('payments', 'batch', file, '--yes')

  expect(code).toBe(0)
  expect(service.payments.size).toBe(10)
})

test('a service that has gone is exit 12 before anything is sent', async () => {
  const { service, batch } = await setUp(3)
  service.before = ({ path }, response) => {
    if (path !== '/api/accounts') return undefined
    response.destroy()
    return 'handled'
  }

  expect((await batch()).code).toBe(12)
  expect(service.count('/api/payments')).toBe(0)
})

test('a token that expires on the way ends the batch with exit 4; with a new one it goes on', async () => {
  const { service, batch } = await setUp(30)
  service.before = (request) =>
    isPayment(request) && service.payments.size >= 7 ? [401, 'Unauthenticated.'] : undefined

  const expired = await batch('--concurrency', '2')
  recover(service)
  const again = await batch()

  expect([expired.code, again.code]).toEqual([4, 0])
  expect(expired.stderr).toMatch(/7 of 30 rows sent, 23 not sent/)
  expect(service.payments.size).toBe(30)
})

test('a rate limit holds all rows back until the service says, and none fails of it', async () => {
  const { service, batch } = await setUp(40)
  let refusals = 0
  let until = 0
  const limitedAt = new Set<number>()
  service.before = (request, response) => {
    if (!isPayment(request)) return undefined
    const now = Date.now()
    const paid = service.payments.size
    if (now < until || (paid % 10 === 9 && !limitedAt.has(paid))) {
      limitedAt.add(paid)
      until = Math.max(until, now + 1000)
      refusals += 1
      response.setHeader('Retry-After', '1')
      return [429, 'Too Many Attempts.']
    }
    return undefined
  }

  const { code } = await batch('--concurrency', '8')

  expect(code).toBe(0)
  expect(service.payments.size).toBe(40)
  expect(refusals).toBeGreaterThan(0)
  expect(refusals).toBeLessThanOrEqual(8 * 8)
})

test('an answer that does not come keeps an interrupted batch waiting for a while only: exit 10', async () => {
  const { service, cli, file, batch } = await setUp(20)
  service.afterCommit = () => (service.payments.size === 7 ? 'handled' : undefined)
  const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson', '--concurrency', '1']
  const { child, finished } = cli.start(argv)
  await vi.waitFor(() => expect(service.payments.size).toBe(7), 10_000)
  child.kill('SIGINT')

  const { code, stdout, stderr } = await finished
  recover(service)
  const again = await batch()

  expect([code, again.code]).toEqual([10, 0])
  expect(stderr).toMatch(
    /Interrupted\. 6 of 20 rows sent, the outcome of 1 is unknown \(money may have moved\), 13 not sent/,
  )
  expect(rowsOf(stdout)).toHaveLength(7)
  expect(service.payments.size).toBe(20)
})

test('a row that was taken out of the file before it was sent is not paid by resuming the batch', async () => {
  const { service, cli, batch } = await setUp(6)
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  const all = await batch('--batch-id', 'nightly')
  cli.file('a.csv', fileOf(6).split('\n').toSpliced(3, 1).join('\n'))
  const fewer = await batch('--batch-id', 'nightly')
  recover(service)

  const { code, stdout } = await cli.run('payments', 'resume', '--batch', 'nightly', '--yes', '--output', 'ndjson')

  expect([all.code, fewer.code, code]).toEqual([4, 4, 0])
  expect(
    rowsOf(stdout)
      .map(({ amount }) => (amount as { value: number }).value)
      .sort(),
  ).toEqual([110, 111, 113, 114, 115])
  expect(service.payments.size).toBe(5)
})

test('a service that names no payment leaves the row in doubt', async () => {
  const { service, batch } = await setUp(1)
  service.before = (request) => (isPayment(request) ? [201, null] : undefined)

  const { code, stdout } = await batch()

  expect(code).toBe(10)
  expect(rowsOf(stdout)).toMatchObject([{ status: 'unknown' }])
})

test('a second process at work on the same rows delays nobody: its payments are reported', async () => {
  const { service, cli, file } = await setUp(30)
  let arrived = 0
  service.afterCommit = () => {
    arrived += 1
    return undefined
  }
  const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson']
  const first = cli.start(argv)
  await vi.waitFor(() => expect(arrived).toBeGreaterThan(3), 10_000)
  const second = await cli.run(...argv)

  expect([second.code, (await first.finished).code]).toEqual([0, 0])
  expect(service.payments.size).toBe(30)
})

test('what the service calls a payee or an error cannot command the terminal', async () => {
  const { service, cli, file } = await setUp(1)
  service.before = (request) => (isPayment(request) ? [422, 'No\u001b[2J\nway'] : undefined)

  const { stdout } = await cli.run('payments', 'batch', file, '--yes')

  expect(stdout).toContain('No[2J way')
  expect(stdout).not.toContain('\u001b')
})
