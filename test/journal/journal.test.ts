import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { journalFile } from '../../src/files/directories.ts'
import type { Attempt } from '../../src/journal/attempts.ts'
import { fingerprint, isSamePayment } from '../../src/journal/intent.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { migrations } from '../../src/journal/migrations.ts'

const body = { source_account_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', amount: 100, recipient_phone: '88881234' }
const maria = { base_url: 'https://api.example.com', user: 'maria', world: null }
const draft = { profile: 'default', ...maria, idempotency_key: 'order-1', body }
const payment = { id: 'p-1', status: 'pending' }

const directory = () => {
  const path = mkdtempSync(join(tmpdir(), 'payctl-journal-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const open = (path = directory()): Journal => {
  const journal = openJournal(path)
  onTestFinished(() => journal.close())
  return journal
}

test('the text of a payment, of which the keys of a file’s rows are made, stays what it was', () => {
  expect(fingerprint(body)).toBe('["3f2504e0-4f89-41d3-9a0c-0305e82c3301",100,null,"88881234",null]')
  expect(fingerprint({ ...body, recipient_email: null })).toBe(fingerprint(body))
  expect(isSamePayment({ ...body, recipient_email: 'ana@example.com' }, body)).toBe(false)
})

describe('a journal that breaks', () => {
  const broken = (path: string) => {
    const database = new Sqlite(journalFile(path))
    database.exec('DROP TABLE intents')
    database.close()
  }

  test('before a request could leave says that nothing was sent', () => {
    const path = directory()
    const journal = open(path)
    const { id } = journal.prepare(draft)
    broken(path)
    expect(() => journal.markSent(id)).toThrow(expect.objectContaining({ exit: 'usage' }))
    expect(() => journal.find(id)).toThrow('Nothing was sent by this run.')
  })

  test('after one may have left does not say so', () => {
    const path = directory()
    const journal = open(path)
    const { id } = journal.prepare(draft)
    journal.markSent(id)
    broken(path)
    for (const work of [() => journal.find(id), () => journal.markSettled(id, payment)]) {
      expect(work).toThrow(expect.objectContaining({ exit: 'outcome_unknown' }))
      expect(work).not.toThrow('Nothing was sent')
    }
  })
})

describe('an intent', () => {
  test('is prepared with an id that can be typed', () => {
    const intent = open().prepare(draft)

    expect(intent).toMatchObject({ ...draft, status: 'prepared', payment_id: null, error: null })
    expect(intent.id).toMatch(/^int_[0-9a-hjkmnp-tv-z]{12}$/)
  })

  test('is the one that its key has already, at the same service', () => {
    const journal = open()
    const intent = journal.prepare(draft)

    expect(journal.prepare({ ...draft, body: { ...body, amount: 200 } })).toEqual(intent)
    expect(journal.prepare({ ...draft, base_url: 'https://other.example.com' }).id).not.toBe(intent.id)
  })

  test('is there for other processes and later runs', () => {
    const path = directory()
    const intent = open(path).prepare(draft)

    expect(open(path).find(intent.id)).toEqual(intent)
    expect(open(path).withKey(maria, draft.idempotency_key)).toEqual(intent)
  })
})

test('a journal that others could read is closed to them', () => {
  const path = directory()
  open(path).close()
  chmodSync(journalFile(path), 0o644)

  open(path)

  expect(statSync(journalFile(path)).mode & 0o777).toBe(0o600)
})

/** Holds a file for a moment in a separate thread, like a process that turns it into a journal. */
const holder = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('better-sqlite3'))(workerData)
  database.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('held')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  database.exec('COMMIT')
  database.close()`

test('a journal that another process is making is waited for', async () => {
  const path = directory()
  const worker = new Worker(holder, { eval: true, workerData: journalFile(path) })
  await once(worker, 'message')

  expect(open(path).prepare(draft)).toMatchObject({ status: 'prepared' })
  await once(worker, 'exit')
})

interface Sending {
  readonly journal: Journal
  readonly id: string
  /** Attempts under way; the last attempt ends first. */
  readonly attempts: Attempt[]
}

type Step = (sending: Sending) => unknown
const sent: Step = ({ journal, id, attempts }) => attempts.push(journal.markSent(id))
const ended = ({ attempts }: Sending): Attempt => attempts.pop() ?? expect.fail('no attempt is under way')
const lost: Step = (sending) => sending.journal.markLost(ended(sending), 'lost')
const refused: Step = (sending) => sending.journal.markRejected(ended(sending), 'refused')
const unsent: Step = (sending) => sending.journal.markUnsent(ended(sending), 'no connection')
const settled: Step = ({ journal, id }) => journal.markSettled(id, payment)
/** `minutes`: time since the last request. */
const absent =
  (minutes: number): Step =>
  ({ journal, id }) =>
    journal.markAbsent(id, 'not in the history', new Date(Date.now() + minutes * 60_000).toISOString())

describe('what is known after', () => {
  test.each<[string, string, Step[]]>([
    ['sent', 'a crash', [sent]],
    ['settled', 'an answer', [sent, settled]],
    ['unknown', 'a lost answer', [sent, lost]],
    ['rejected', 'a refusal', [sent, refused]],
    ['prepared', 'no connection', [sent, unsent]],
    ['settled', 'a refusal, then an answer', [sent, refused, sent, settled]],
    ['settled', 'a lost answer, then one', [sent, lost, sent, settled]],
    ['unknown', 'a lost answer, then a refusal', [sent, lost, sent, refused]],
    ['unknown', 'a lost answer, then no connection', [sent, lost, sent, unsent]],
    ['unknown', 'a crash, then a refusal', [sent, sent, refused]],
    ['rejected', 'a lost answer, then a refusal and no payment in the history', [sent, lost, sent, refused, absent(1)]],
    ['unknown', 'the same within the time in which the first may arrive', [sent, lost, sent, refused, absent(-1)]],
    ['rejected', 'a crash, then the same', [sent, sent, refused, absent(1)]],
    ['unknown', 'the same while another request is under way', [sent, lost, sent, sent, refused, absent(-1)]],
    ['settled', 'no payment in the history, found at last by another process', [sent, lost, settled, absent(1)]],
    ['unknown', 'two at once, one refused, the other lost', [sent, sent, refused, lost]],
    ['unknown', 'two at once, one lost, the other refused', [sent, sent, lost, refused]],
    ['rejected', 'two at once, both refused', [sent, sent, refused, refused]],
    ['prepared', 'two at once, both without connection', [sent, sent, unsent, unsent]],
    ['settled', 'two at once, one answered, the other lost', [sent, sent, settled, lost]],
    ['settled', 'two at once, one answered, the other refused', [sent, sent, settled, refused]],
    ['settled', 'a repetition of what is settled', [sent, settled, sent]],
  ])('%s: %s', (status, _, steps) => {
    const journal = open()
    const { id } = journal.prepare(draft)

    const sending = { journal, id, attempts: [] }
    for (const step of steps) step(sending)

    expect(journal.find(id)?.status).toBe(status)
    expect(journal.find(id)?.payment_id).toBe(status === 'settled' ? payment.id : null)
  })
})

test('lists newest first; those in doubt oldest first', () => {
  const journal = open()
  const [prepared, first, second, done] = ['a', 'b', 'c', 'd'].map((idempotency_key) =>
    journal.prepare({ ...draft, idempotency_key }),
  )
  for (const intent of [first, second, done]) journal.markSent(intent?.id ?? '')
  journal.markUnknown(second?.id ?? '', 'lost')
  journal.markSettled(done?.id ?? '', payment)

  expect([...journal.list()].map(({ id }) => id)).toEqual([done?.id, second?.id, first?.id, prepared?.id])
  expect([...journal.list({ statuses: ['prepared', 'sent', 'unknown'] })].map(({ id }) => id)).toEqual([
    second?.id,
    first?.id,
    prepared?.id,
  ])
  expect([...journal.list({ statuses: ['sent', 'unknown'], oldestFirst: true })].map(({ id }) => id)).toEqual([
    first?.id,
    second?.id,
  ])
})

describe('a journal from before users and worlds were saved', () => {
  const old = (rows: readonly (readonly [id: string, base_url: string, status: string])[]) => {
    const path = directory()
    const database = new Sqlite(journalFile(path))
    for (const step of migrations.slice(0, 2)) database.exec(step)
    const insert = database.prepare(
      `INSERT INTO intents (id, created_at, updated_at, profile, base_url, idempotency_key, body, status, doubts)
       VALUES (?, '2026-01-01', '2026-01-01', 'default', ?, 'order-1', ?, ?, 1)`,
    )
    for (const [id, base_url, status] of rows) insert.run(id, base_url, JSON.stringify(body), status)
    database.pragma('user_version = 2')
    database.close()
    return open(path)
  }

  test('has every intent still, at one spelling of its service, and nobody owns them', () => {
    const journal = old([
      ['int_1', 'https://API.example.com', 'unknown'],
      ['int_2', 'https://api.example.com:443/', 'settled'],
      ['int_3', 'https://api.example.com', 'sent'],
    ])

    expect([...journal.list({ oldestFirst: true })]).toMatchObject([
      { id: 'int_1', base_url: maria.base_url, user: null, world: null, status: 'unknown' },
      { id: 'int_2', base_url: maria.base_url, user: null, world: null, status: 'settled' },
      { id: 'int_3', base_url: maria.base_url, user: null, world: null, status: 'sent' },
    ])
    expect(journal.withKey(maria, 'order-1')).toBeUndefined()
    expect(journal.sameKey(maria.base_url, 'order-1')).toHaveLength(3)
    expect(journal.find('int_1')?.in_doubt_since).toBe('2026-01-01')
    // The intent was in doubt before this attempt: an earlier request may have paid.
    expect(journal.markRejected(journal.markSent('int_1'), 'refused')).toBe('unknown')
  })

  test('gives its intents to who is known to have sent them, and one key to one of them only', () => {
    const journal = old([
      ['int_1', 'https://API.example.com', 'unknown'],
      ['int_2', 'https://api.example.com', 'sent'],
    ])

    for (const id of ['int_1', 'int_2']) journal.claim(id, maria)

    expect(journal.withKey(maria, 'order-1')?.id).toBe('int_1')
    expect(journal.find('int_2')).toMatchObject({ user: null, status: 'sent' })
  })
})

test('an intent is claimed for the service only that it was made at', () => {
  const journal = open()
  const { id } = journal.prepare({ ...draft, user: 'token:0123' })

  journal.claim(id, { ...maria, base_url: 'https://other.example.com' })
  expect(journal.find(id)?.user).toBe('token:0123')
  journal.claim(id, maria)
  expect(journal.find(id)?.user).toBe('maria')
})

test('a key is the same only with one user, in one world', () => {
  const journal = open()
  const others = [{ user: 'bob' }, { world: 'one' }, { world: 'two' }, { user: 'bob', world: 'one' }]
  const drafts = [draft, ...others.map((other) => ({ ...draft, ...other }))]

  const ids = drafts.map((each) => journal.prepare(each).id)

  expect(new Set(ids).size).toBe(drafts.length)
  expect(drafts.map((each) => journal.prepare(each).id)).toEqual(ids)
  expect(drafts.map((each) => [...journal.list({ of: each })].map(({ id }) => id))).toEqual(ids.map((id) => [id]))
})
