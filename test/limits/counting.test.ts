import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../src/journal/journal.ts'
import {
  account,
  initiated,
  isPayment,
  loseAnswers,
  type Payment,
  phone,
  recover,
} from '../commands/payments/service.ts'
import { openMain } from '../support/terminal.ts'
import { type LimitedPayctl, limitedPayctl, rowsOf, sending, sendingRaw } from './limited_payctl.ts'

/** Used part of a daily limit. */
async function usedToday({ run }: LimitedPayctl): Promise<string> {
  const rows: { limit: string; used: { formatted: string } }[] = JSON.parse((await run('limits', '--json')).stdout)
  return rows.find(({ limit }) => limit === 'per_day')?.used.formatted ?? ''
}

const raw = (amount: number, key: string) => [
  ...['api', 'POST', '/api/payments', '--header', `X-Idempotency-Key: ${key}`, '--retries', '0'],
  ...['-f', `source_account_id=${account}`, '-F', `amount=${amount}`, '-f', `recipient_phone=${phone}`],
]

describe('a payment counts', () => {
  test('once it was sent, by whatever command', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')

    await at.send('10')
    await at.run('payments', 'batch', at.file('a.csv', rowsOf('20', '30')), '--yes')
    await at.run(...raw(500, 'mine'))

    expect(await usedToday(at)).toBe('65.00 CRC')
    const { exitCode, stderr } = await at.send('35.01')
    expect(exitCode).toBe(5)
    expect(stderr.replace(/\s+/g, ' ')).toContain('65.00 CRC is used, 35.00 CRC left until 20')
    expect((await at.send('35')).exitCode).toBe(0)
    expect(at.service.payments.size).toBe(5)
  })

  test('not when the service refused it', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    at.service.before = (request) => (isPayment(request) ? [422, 'Refused by the test'] : undefined)
    await at.send('90')
    await at.run(...raw(9000, 'mine'))
    recover(at.service)

    expect(await usedToday(at)).toBe('0.00 CRC')
    expect((await at.send('90')).exitCode).toBe(0)
  })

  test.each(['send', 'batch'])('not when it has ended without paying, by %s', async (way) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    const fails = (status: string) => {
      at.service.afterCommit = () => [
        201,
        { ...initiated([...at.service.payments.values()].at(-1) as Payment), status },
      ]
    }
    const pay = (amount: string) =>
      way === 'send'
        ? at.send(amount)
        : at.run('payments', 'batch', at.file(`${amount}.csv`, rowsOf(amount)), '--yes', '--batch-id', amount)

    fails('failed')
    const codes = [(await pay('90')).exitCode, (await pay('91')).exitCode]
    expect(await usedToday(at)).toBe('0.00 CRC')
    fails('completed')
    codes.push((await pay('92')).exitCode)

    expect(codes).toEqual([8, 8, 0])
    expect(await usedToday(at)).toBe('92.00 CRC')
  })

  test('no longer once a batch has seen that it ended without paying', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    at.service.statuses = ['failed']

    const { exitCode } = await at.run('payments', 'batch', at.file('a.csv', rowsOf('90')), '--yes', '--wait')

    expect({ exitCode, used: await usedToday(at) }).toEqual({ exitCode: 8, used: '0.00 CRC' })
  })

  test.each([
    ['send --wait', []],
    ['get', ['payments', 'get', 'last']],
    ['watch', ['payments', 'watch', 'last']],
    ['history', ['payments', 'history']],
  ])('no longer once %s has seen that it ended without paying', async (_, look) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    at.service.statuses = ['failed']
    await at.send('90', ...(look.length === 0 ? ['--wait'] : []))
    for (const [key, payment] of at.service.payments) at.service.payments.set(key, { ...payment, status: 'failed' })
    if (look.length > 0) await at.run(...look)

    expect(await usedToday(at)).toBe('0.00 CRC')
  })

  test.each([
    ['get', ['payments', 'get', 'last']],
    ['watch', ['payments', 'watch', 'last']],
    ['history', ['payments', 'history']],
  ])('again once %s has seen that it was paid after all', async (_, look) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    at.service.statuses = ['timeout', 'completed']
    await at.send('90', '--wait')
    const before = await usedToday(at)
    for (const [key, payment] of at.service.payments) at.service.payments.set(key, { ...payment, status: 'completed' })

    await at.run(...look)

    expect([before, await usedToday(at)]).toEqual(['0.00 CRC', '90.00 CRC'])
    expect((await at.send('20')).exitCode).toBe(5)
  })

  test.each(['send', 'api'])('while it is in doubt, and when its repetition by %s is refused', async (way) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    const pay = () =>
      way === 'api' ? at.run(...raw(9000, 'mine')) : at.send('90', '--idempotency-key', 'mine', '--retries', '0')
    loseAnswers(at.service)
    expect((await pay()).exitCode).toBe(10)
    at.service.before = ({ path }) =>
      path === '/api/payments' ? [422, 'Insufficient balance'] : path.includes('history') ? [503, 'Later'] : undefined
    await pay()
    recover(at.service)

    expect(await usedToday(at)).toBe('90.00 CRC')
    expect((await at.send('20')).exitCode).toBe(5)
    expect(at.service.payments.size).toBe(1)
  })

  test.each([
    ['send', 'history', '0.00 CRC'],
    ['batch', 'validate', '5.00 CRC'],
  ])('no longer if another process finds it refused during its repetition by %s', async (way, path, used) => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    const pay = (...amounts: readonly string[]) =>
      way === 'send'
        ? at.send('90', '--idempotency-key', 'mine', '--retries', '0')
        : at.run('payments', 'batch', at.file('a.csv', rowsOf(...amounts)), '--batch-id', 'pay-day', '--yes')
    loseAnswers(at.service)
    await pay('90')
    recover(at.service)
    at.service.payments.clear()
    at.service.before = (received) => {
      if (!received.path.includes(path)) return undefined
      const journal = openJournal(at.env.PAYCTL_STATE_DIR ?? '')
      journal.guard({ admit() {} }) // the other process has the same limits
      for (const { id } of journal.list())
        journal.markAbsent(id, 'Refused', new Date(Date.now() + 60_000).toISOString())
      journal.close()
      return undefined
    }

    await pay('90', '5')

    expect([...at.service.payments.values()].map(({ amount }) => amount.value)).toEqual(way === 'send' ? [] : [500])
    expect(await usedToday(at)).toBe(used)
  })

  test('once for its key, however often it is sent', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')

    const codes = [await at.send('90', '--idempotency-key', 'mine'), await at.send('90', '--idempotency-key', 'mine')]

    expect(codes.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(await usedToday(at)).toBe('90.00 CRC')
  })

  test('once for its row, when a batch was cut off before it left and is run again or resumed', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')
    const file = at.file('a.csv', rowsOf('40', '50'))
    const batch = () => at.run('payments', 'batch', file, '--batch-id', 'pay-day', '--yes')
    at.service.before = (request) => (isPayment(request) ? [403, 'Not for this token'] : undefined)
    await batch()
    recover(at.service)
    // Makes the journal look as after a crash: a recorded payment counts until payctl knows that it was not sent.
    const journal = new Sqlite(join(at.env.PAYCTL_STATE_DIR ?? '', 'journal.db'))
    journal.prepare('UPDATE counted_payments SET counts = 1').run()
    journal.close()

    const { exitCode, stderr } = await at.run('payments', 'resume', '--batch', 'pay-day', '--yes')

    expect(stderr).toContain('Sending 2 rows')
    expect(exitCode).toBe(0)
    expect(await usedToday(at)).toBe('90.00 CRC')
    expect((await batch()).exitCode).toBe(0)
    expect(at.service.payments.size).toBe(2)
  })
})

test('an answer to api is printed even if the journal can no longer record it', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  at.service.before = (request) => {
    if (!isPayment(request)) return undefined
    const journal = new Sqlite(join(at.env.PAYCTL_STATE_DIR ?? '', 'journal.db'))
    journal.exec('DROP TABLE counted_payments')
    journal.close()
    return [422, 'Refused by the test']
  }

  const { exitCode, stderr } = await at.run(...sendingRaw('mine'))

  expect(stderr).toContain('Refused by the test')
  expect(stderr).toContain('The payment journal could not be updated')
  expect(exitCode).toBe(10)
})

test('of a batch that does not fit nothing is sent, and its rows are named', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', '--per-payment', '60', 'CRC')

  const { exitCode, stderr } = await at.run(
    'payments',
    'batch',
    at.file('a.csv', rowsOf('50', '61', '50', '51')),
    '--yes',
  )

  expect(exitCode).toBe(5)
  expect(stderr.split('\n')).toEqual([
    'error: 2 rows are not valid (lines 3, 5). Nothing was sent.',
    '  line 3: The limits of profile default allow 60.00 CRC for one payment, and this payment is 61.00 CRC',
    expect.stringContaining(
      '  line 5: The limits of profile default allow 100.00 CRC a day, and this payment is 51.00 CRC: ',
    ),
    '  To see how much of the limits is used:',
    'next:  payctl limits --profile default',
  ])
  expect(stderr).not.toContain('Sending')
  expect(at.requested()).toBe(0)
  expect(await usedToday(at)).toBe('0.00 CRC')
})

test('of rows that do not fit the same limit a person at a terminal sees the reason once', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  const file = at.file('a.csv', rowsOf('50', '40', '61', '52', '70'))

  const terminal = openMain(['payments', 'batch', file], { env: at.env, columns: 80 })

  expect(await terminal.ended).toBe(5)
  expect(terminal.screen.replace(/\s+/g, ' ')).toContain(
    'lines 4 to 6: The limits of profile default allow 100.00 CRC a day: 90.00 CRC is used, 10.00 CRC left until ',
  )
  expect(at.requested()).toBe(0)
})

test('of many rows that do not fit a person sees the first, and a program all', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-payment', '60', 'CRC')
  const batch = ['payments', 'batch', at.file('a.csv', rowsOf(...Array.from({ length: 54 }, () => '61'))), '--yes']

  const { stderr } = await at.run(...batch)
  const asJson = await at.run(...batch, '--json')

  const lines = stderr.split('\n').filter((line) => line.startsWith('  line '))
  expect(lines).toHaveLength(50)
  expect(stderr).toContain('\n  and 4 more; --json names them all\n')
  expect(Object.keys(JSON.parse(asJson.stderr).error.errors)).toHaveLength(54)
})

describe('--dry-run says what limits would say, and leaves no line behind', () => {
  test('of a payment', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-payment', '75', 'CRC')

    const { exitCode, stderr } = await at.run(...sending('80'), '--dry-run')

    expect(stderr).toContain('allow 75.00 CRC for one payment, and this payment is 80.00 CRC. Nothing was sent.')
    expect(stderr).toMatch(/^ {2}Amount +80\.00 CRC/m)
    expect(exitCode).toBe(5)
    expect((await at.run(...sending('75'), '--dry-run')).exitCode).toBe(0)
    expect(existsSync(join(at.folder, 'state', 'audit.ndjson'))).toBe(false)
  })

  test('of a batch', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-day', '100', 'CRC')

    const run = (...amounts: readonly string[]) =>
      at.run('payments', 'batch', at.file('a.csv', rowsOf(...amounts)), '--dry-run')

    const { exitCode, stderr } = await run('60', '50')
    expect(stderr).toContain('1 row is not valid (line 3)')
    expect(exitCode).toBe(5)
    expect((await run('60', '40')).exitCode).toBe(0)
    expect(existsSync(join(at.folder, 'state', 'audit.ndjson'))).toBe(false)
  })
})
