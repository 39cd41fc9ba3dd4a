import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { idsQuery, partsQuery } from '../../src/journal/batches.ts'
import { type Inspection, inspectJournal } from '../../src/journal/inspect.ts'
import { type IntentFilter, intentStatuses, unsettledStatuses } from '../../src/journal/intent.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { migrations } from '../../src/journal/migrations.ts'
import { pageQuery } from '../../src/journal/statements.ts'

const body = { source_account_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', amount: 100, recipient_phone: '88881234' }
const draft = { profile: 'default', base_url: 'https://api.example.com', user: 'maria', world: null, body }

const directory = () => {
  const path = mkdtempSync(join(tmpdir(), 'payctl-journal-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const drafts = (count: number, batch: string) =>
  Array.from({ length: count }, (_, at) => ({
    ...draft,
    idempotency_key: `${batch}-${at}`,
    batch,
    line: at + 2,
    reference: null,
  }))

test('a list is whole and in order over many pages, while it is written to', () => {
  const journal = openJournal(directory())
  onTestFinished(() => journal.close())
  journal.prepareAll(drafts(1200, 'one'))

  const seen: string[] = []
  for (const { id, idempotency_key } of journal.list({ oldestFirst: true, statuses: ['prepared'] })) {
    journal.markSent(id)
    seen.push(idempotency_key)
  }

  expect(seen).toEqual(drafts(1200, 'one').map(({ idempotency_key }) => idempotency_key))
  expect([...journal.list()].map(({ line }) => line)).toEqual(Array.from({ length: 1200 }, (_, at) => 1201 - at))
})

test('is filtered by all that is asked for at once, and counted likewise', () => {
  const journal = openJournal(directory())
  onTestFinished(() => journal.close())
  journal.prepareAll([...drafts(3, 'one'), ...drafts(4, 'two')])
  const [first] = journal.list({ batch: 'two', oldestFirst: true })
  journal.markSettled(first?.id ?? '', { id: 'p-1', status: 'pending' })
  const filter: IntentFilter = { batch: 'two', statuses: unsettledStatuses, baseUrl: draft.base_url }

  expect([...journal.list(filter)]).toHaveLength(3)
  expect(journal.count(filter)).toBe(3)
  expect(journal.count({ since: new Date(Date.now() + 60_000).toISOString() })).toBe(0)
  expect(journal.count({ baseUrl: 'https://other.example.com' })).toBe(0)
  expect(journal.hasBatch(draft, 'two')).toBe(true)
  expect(journal.hasBatch({ ...draft, base_url: 'https://other.example.com' }, 'two')).toBe(false)
})

test('since a time is from that very millisecond on', () => {
  const journal = openJournal(directory())
  onTestFinished(() => journal.close())
  journal.prepareAll(drafts(1, 'one'))
  const [{ created_at } = { created_at: '' }] = journal.list()
  const next = new Date(Date.parse(created_at) + 1).toISOString()

  expect([created_at, next].map((since) => journal.count({ since }))).toEqual([1, 0])
})

test('a row that is not paid belongs to the batch that asked for it last; one that is stays where it is', () => {
  const journal = openJournal(directory())
  onTestFinished(() => journal.close())
  const [one = drafts(1, '')[0], two] = drafts(2, 'one')
  journal.prepareAll([one, two].filter((each) => each !== undefined))
  journal.markSettled(journal.withKey(draft, 'one-0')?.id ?? '', { id: 'p-1', status: 'pending' })

  journal.prepareAll(drafts(2, 'one').map((each) => ({ ...each, batch: 'two', line: 9 })))

  expect([...journal.list({ oldestFirst: true })].map(({ batch, line }) => [batch, line])).toEqual([
    ['one', 2],
    ['two', 9],
  ])
})

const filters: readonly IntentFilter[] = [
  { batch: 'one' },
  { batch: 'one', statuses: unsettledStatuses, oldestFirst: true },
  { statuses: unsettledStatuses },
  { statuses: ['sent', 'unknown'], oldestFirst: true, baseUrl: 'x' },
  ...intentStatuses.map((status) => ({ statuses: [status] })),
  { since: '2026-01-01T00:00:00.000Z' },
  {},
]

test.each(filters)('no page of %j is sorted, and sparse ones come from an index', (filter) => {
  const path = directory()
  openJournal(path).close()
  const database = new Sqlite(join(path, 'journal.db'))
  onTestFinished(() => {
    database.close()
  })
  const { sql, bounds } = pageQuery(filter)
  const plan = database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all({ ...bounds, from: 1 })
    .map(({ detail }) => detail)
    .join('\n')

  expect(plan).not.toContain('TEMP B-TREE')
  if (filter.batch) expect(plan).toMatch(/intents_batch|intents_unsettled/)
  else if (filter.statuses?.every((status) => unsettledStatuses.includes(status)))
    expect(plan).toContain('intents_unsettled')
  else expect(plan).toContain('INTEGER PRIMARY KEY')
})

test.each([
  ['rows by state', partsQuery({ batch: 'one', of: draft })],
  ['ids of rows', idsQuery({ batch: 'one', of: draft })],
])('the %s of one batch come from its index', (_, sql) => {
  const path = directory()
  openJournal(path).close()
  const database = new Sqlite(join(path, 'journal.db'))
  onTestFinished(() => {
    database.close()
  })
  const plan = database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all({ batch: 'one', base_url: '', user: '', world: null })
    .map(({ detail }) => detail)

  expect(plan.filter((step) => step.startsWith('SEARCH') && step.includes('intents_batch'))).toHaveLength(2)
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([])
})

test('a journal of the first release keeps its intents and takes rows', () => {
  const path = directory()
  const old = new Sqlite(join(path, 'journal.db'))
  old.exec(migrations[0] ?? '')
  old.pragma('user_version = 1')
  old
    .prepare(
      `INSERT INTO intents (id, created_at, updated_at, profile, base_url, idempotency_key, body, status)
       VALUES ('int_000000000000', '', '', 'default', 'x', 'k', ?, 'unknown')`,
    )
    .run(JSON.stringify(body))
  old.close()

  const journal = openJournal(path)
  onTestFinished(() => journal.close())
  journal.prepareAll(drafts(1, 'one'))

  expect([...journal.list({ oldestFirst: true })]).toMatchObject([
    { id: 'int_000000000000', status: 'unknown', batch: null, body },
    { batch: 'one', line: 2 },
  ])
})

test.each([0, 1, 2])('a journal of version %i is read without a change, as far as it has the facts', (version) => {
  const path = directory()
  const old = new Sqlite(join(path, 'journal.db'))
  for (const step of migrations.slice(0, version)) old.exec(step)
  old.pragma(`user_version = ${version}`)
  old.close()
  const look = (journal: Inspection) => [
    journal.inDoubt(),
    journal.recent('paid'),
    journal.named('id', '00000'),
    journal.withKey('mine'),
    journal.paidTo({ baseUrl: draft.base_url, user: draft.user }),
    journal.limitedProfiles(),
  ]

  expect(inspectJournal(path, look)).toEqual([0, [], [], [], [], []])
})

test('marks made ahead are used once, taken back when nothing left, and cost nobody’s doubt', () => {
  const journal = openJournal(directory())
  onTestFinished(() => journal.close())
  journal.relax()
  journal.prepareAll(drafts(4, 'one'))
  const [used = '', left = '', doubtful = '', done = ''] = [...journal.list({ oldestFirst: true })].map(({ id }) => id)
  journal.markLost(journal.markSent(doubtful), 'lost')
  journal.markSentInGroup([...journal.list()])
  journal.markRejected(journal.markSent(used), 'refused')
  journal.markSent(done)
  journal.markSettled(done, { id: 'p-1', status: 'pending' })

  journal.retract()

  const statuses = [used, left, doubtful, done].map((id) => journal.find(id)?.status)
  expect(statuses).toEqual(['rejected', 'prepared', 'unknown', 'settled'])
})
