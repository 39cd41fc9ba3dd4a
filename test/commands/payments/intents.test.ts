import { expect, test } from 'vitest'
import { openJournal } from '../../../src/journal/journal.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

const body = { source_account_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', amount: 100, recipient_phone: '88881234' }

/**
 * State directory of a journal with `count` intents of two batches in turn: the first is settled, the second rejected.
 */
async function stateOf(count: number): Promise<string> {
  const state = await temporaryDirectory()
  const journal = openJournal(state)
  journal.prepareAll(
    Array.from({ length: count }, (_, at) => ({
      profile: 'default',
      base_url: 'https://api.example.com',
      user: 'maria',
      world: null,
      idempotency_key: `k-${at}`,
      body,
      batch: at % 2 === 0 ? 'nightly' : 'weekly',
      line: at + 2,
      reference: `ref-${at}`,
    })),
  )
  const [first, second] = journal.list({ oldestFirst: true })
  journal.markSettled(first?.id ?? '', { id: 'p-1', status: 'pending' })
  journal.markRejected(journal.markSent(second?.id ?? ''), 'IBAN not found')
  journal.close()
  return state
}

const intents = async (state: string, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await runPayctl(['payments', 'intents', '-o', 'ndjson', ...flags], {
    env: { PAYCTL_STATE_DIR: state },
  })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { code, stderr, found: lines.map((line) => JSON.parse(line)) }
}

test.each([
  [['--status', 'rejected'], [3]],
  [['--status', 'settled'], [2]],
  [
    ['--unsettled', '--batch', 'nightly'],
    [8, 6, 4],
  ],
  [
    ['--batch', 'weekly'],
    [7, 5, 3],
  ],
  [['--batch', 'none'], []],
  [
    ['--since', '1h'],
    [8, 7, 6, 5, 4, 3, 2],
  ],
  [['--since', '2999-01-01'], []],
  [['--until', 'yesterday'], []],
  [
    ['--limit', '2'],
    [8, 7],
  ],
  [
    ['--limit', '2', '--batch', 'nightly', '--unsettled'],
    [8, 6],
  ],
  [
    ['--all', '--batch', 'weekly', '--since', '1h'],
    [7, 5, 3],
  ],
  [['--all', '--status', 'rejected'], [3]],
])('%j shows what fits, newest first', async (flags, lines) => {
  const { code, found } = await intents(await stateOf(7), ...flags)

  expect(code).toBe(0)
  expect(found.map(({ line }) => line)).toEqual(lines)
})

test('a limit says how many more there are; without one nothing is left out of a pipe', async () => {
  const state = await stateOf(1300)

  const limited = await intents(state, '--limit', '10')
  const all = await intents(state)

  expect(limited.stderr).toBe('10 of 1,300 intents, the newest. More: --limit <n>, --all\n')
  expect(all.found).toHaveLength(1300)
  expect(all.stderr).toBe('')
})

test('a terminal gets the newest hundred and a note about the rest', async () => {
  const settings = { env: { PAYCTL_STATE_DIR: await stateOf(150), NO_COLOR: '1' }, terminal: 200 }

  const some = await runPayctl(['payments', 'intents'], settings)
  const all = await runPayctl(['payments', 'intents', '--all'], settings)

  expect(some.stdout.match(/^\d\d:\d\d /gm)).toHaveLength(100)
  expect(some.stderr).toContain('100 of 150 intents, the newest.')
  expect(all.stdout.match(/^\d\d:\d\d /gm)).toHaveLength(150)
})

test('one is shown by its id', async () => {
  const state = await stateOf(2)
  const [rejected] = (await intents(state, '--status', 'rejected')).found

  const shown = await runPayctl(['payments', 'intents', rejected.id, '--json'], { env: { PAYCTL_STATE_DIR: state } })
  const missing = await runPayctl(['payments', 'intents', 'int_nothere'], { env: { PAYCTL_STATE_DIR: state } })

  expect(JSON.parse(shown.stdout)).toMatchObject({
    batch: 'weekly',
    line: 3,
    reference: 'ref-1',
    error: 'IBAN not found',
  })
  expect(missing.code).toBe(3)
})

test.each([
  [['--status', 'lost']],
  [['--since', '05/11/2026']],
  [['--since', '1h', '--until', '2h']],
  [['--limit', '0']],
  [['--limit', '3', '--all']],
  [['--unsettled', '--status', 'sent']],
])('%j is a usage error', async (flags) => {
  expect((await intents(await stateOf(2), ...flags)).code).toBe(2)
})

test('a table shows the status of the payment in place of settled, and the service only where rows differ', async () => {
  const state = await temporaryDirectory()
  const journal = openJournal(state)
  const order = { profile: 'default', base_url: 'https://api.example.com', user: 'maria', world: null, body }
  const failed = journal.prepare({ ...order, idempotency_key: 'one' })
  journal.markSettled(failed.id, { id: 'p-1', status: 'failed', error_message: 'Account closed' })
  const settings = { env: { PAYCTL_STATE_DIR: state, NO_COLOR: '1' }, terminal: 120 }

  const alone = await runPayctl(['payments', 'outbox'], settings)
  journal.prepare({ ...order, base_url: 'https://other.example.com', idempotency_key: 'two' })
  const both = await runPayctl(['payments', 'outbox'], settings)
  journal.close()
  const { found } = await intents(state, '--status', 'settled')

  expect(alone.stdout).toMatch(/ failed .*\n +Account closed/)
  expect(alone.stdout).not.toContain('settled')
  expect(alone.stdout).not.toContain('example.com')
  expect(both.stdout).toMatch(/api\.example\.com/)
  expect(both.stdout).toMatch(/other\.example\.com/)
  expect(found).toMatchObject([{ status: 'settled', payment_status: 'failed' }])
})

test('the name before still works, for help and schema too, and no help has it', async () => {
  const words = (text: string) => text.replace(/\s+/g, ' ')
  for (const about of [[], ['help'], ['schema'], ['--json']]) {
    const [before, now] = await Promise.all(
      ['intents', 'outbox'].map((name) =>
        runPayctl([...about, 'payments', name], { env: { PAYCTL_STATE_DIR: '/nonexistent' } }),
      ),
    )
    expect(before).toEqual(now)
    expect(before?.code).toBe(0)
  }
  const help = await runPayctl(['payments', '--help'])
  expect(words(help.stdout)).toContain('outbox [intent] List the payments requested on this machine')
  expect(help.stdout).not.toMatch(/^ +intents/m)
})

test('a batch is named by a part of its name', async () => {
  const { found, stderr } = await intents(await stateOf(4), '--batch', 'night')

  expect(stderr).toBe('')
  expect(found.map(({ batch }) => batch)).toEqual(['nightly', 'nightly'])
})
