import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/journal.ts'
import { changeProfile } from '../../src/limits/change.ts'
import { Guard } from '../../src/limits/guard.ts'
import type { Counted } from '../../src/limits/used.ts'
import { account, phone } from '../commands/payments/service.ts'
import { full } from '../support/full.ts'
import { limitedPayctl, rowsOf, sending } from './limited_payctl.ts'

const codes = (runs: readonly { readonly exitCode: number | undefined }[]) =>
  runs.map(({ exitCode }) => exitCode).sort()

test('of two processes that want what is left one gets it', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  await at.send('40')
  const start = () => at.startProcess([...sending('60'), '--yes'])

  const runs = await Promise.all([start(), start()])

  expect(codes(runs)).toEqual([0, 5])
  expect(at.service.payments.size).toBe(2)
})

/** The journals and limits of two processes of a user whose daily limit allows one payment. */
async function twoProcesses() {
  const at = await limitedPayctl()
  await at.limit('--per-day', '20', 'CRC')
  const payer = { profile: 'default', base_url: at.service.url, user: 'ana@example.com', world: null }
  const client = { call: async () => ({ balance: { currency: 'CRC' } }) } as never
  const start = async () => {
    const journal = openJournal(join(at.folder, 'state'))
    const guard = new Guard(join(at.folder, 'config'), payer)
    await guard.learn([account], client)
    journal.guard(guard)
    return { journal, guard }
  }
  return { payer, configDir: join(at.folder, 'config'), first: await start(), second: await start() }
}

test('a payment that another process counts in the middle of its judgement is not refused for itself', async () => {
  const { payer, first, second } = await twoProcesses()
  const body = { source_account_id: account, amount: 2000, recipient_phone: phone }
  const payment = { body, idempotency_key: 'mine' }
  const { counted } = first.journal
  const overtaken: Counted = {
    atOneMoment: (work) => counted.atOneMoment(work),
    journalId: counted.journalId,
    latest: counted.latest,
    notedProfiles: () => counted.notedProfiles(),
    sum: (scope) => counted.sum(scope),
    find(key) {
      const found = counted.find(key)
      second.journal.prepare({ ...payer, ...payment, currency: 'CRC', expected_names: [] })
      return found
    },
  }

  expect([...first.guard.refused([payment], overtaken)]).toEqual([])
  expect([...first.guard.refused([{ ...payment, idempotency_key: 'another' }], counted)]).toHaveLength(1)
})

test('a run under way goes on without limits that a person removes meanwhile', async () => {
  const { payer, configDir, first, second } = await twoProcesses()
  const body = { source_account_id: account, amount: 2000, recipient_phone: phone }
  const prepare = (key: string) => first.journal.prepare({ ...payer, body, idempotency_key: key })
  prepare('within the limits')
  const { signal } = new AbortController()
  const removal = { profile: 'default', to: () => undefined, agreeToLoosen: async () => {}, configDir, signal }

  await changeProfile({ ...removal, journal: second.journal })

  expect(prepare('without limits')).toMatchObject({ status: 'prepared' })
})

test.runIf(full)('of eight processes, single payments and batches, no more is paid than a day allows', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  const start = (argv: readonly string[]) => at.startProcess([...argv, '--yes'])

  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, which) =>
      which % 2 === 0
        ? start(sending('20'))
        : start(['payments', 'batch', at.file(`${which}.csv`, rowsOf('10', `1${which}`)), '--batch-id', `b${which}`]),
    ),
  )

  const paid = [...at.service.payments.values()].reduce((sum, { amount }) => sum + amount.value, 0)
  expect(paid).toBeLessThanOrEqual(10_000)
  expect(paid).toBeGreaterThanOrEqual(7_300) // less only if the largest batch did not fit
  expect(codes(runs)).toContain(5)
  const [{ used }] = JSON.parse((await at.run('limits', '--json')).stdout)
  expect(used.value).toBe(paid)
})
