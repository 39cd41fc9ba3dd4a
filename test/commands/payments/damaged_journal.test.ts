import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { everyNth } from '../../support/full.ts'
import { payctl } from './payctl.ts'
import { account, iban, startService } from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '5', '--yes', '--retries', '0']

/** A journal of two payments under limits, one made and one in doubt. The test can overwrite the journal's pages. */
async function setUp() {
  const service = await startService()
  const cli = payctl(service.url)
  await cli.run('limits', 'set', '--per-day', '1000 CRC')
  const made = JSON.parse((await cli.run(...send, '--json')).stdout)
  service.before = ({ path }) => (path === '/api/payments' ? [500, 'Down'] : undefined)
  await cli.run(...send)
  service.before = () => undefined
  const file = join(cli.stateDir, 'journal.db')
  const journal = new Sqlite(file)
  journal.pragma('wal_checkpoint(TRUNCATE)')
  const pageSize = Number(journal.pragma('page_size', { simple: true }))
  journal.close()
  const whole = readFileSync(file)
  const damage = (pages: readonly number[]) => {
    for (const companion of ['-wal', '-shm']) rmSync(`${file}${companion}`, { force: true })
    const bytes = Buffer.from(whole)
    for (const page of pages) bytes.fill(0xa5, (page - 1) * pageSize, page * pageSize)
    writeFileSync(file, bytes)
  }
  const beyondFirst = Array.from({ length: whole.length / pageSize - 1 }, (_, at) => at + 2)
  return { service, cli, file, damage, beyondFirst, payment: String(made.id), intent: String(made.intent.id) }
}

const needsJournal: readonly (readonly [string, (given: Awaited<ReturnType<typeof setUp>>) => readonly string[]])[] = [
  ['payments send', () => send],
  ['payments send --dry-run', () => [...send, '--dry-run']],
  ['payments batch', ({ cli }) => ['payments', 'batch', rowsIn(cli), '--from', account, '--yes']],
  ['payments outbox', () => ['payments', 'intents']],
  ['payments resume', () => ['payments', 'resume']],
  ['payments resume <intent>', ({ intent }) => ['payments', 'resume', intent, '--yes']],
  ['payments resume last', () => ['payments', 'resume', 'last', '--yes']],
  ['payments get last', () => ['payments', 'get', 'last']],
  ['payments get <part of an id>', ({ payment }) => ['payments', 'get', payment.slice(-6)]],
  ['limits', () => ['limits']],
]

const rowsIn = (cli: ReturnType<typeof payctl>) =>
  cli.file('rows.csv', `to,amount,description\n${iban},1,\n${iban},2,\n`)

describe('a journal with a row that is no longer JSON', () => {
  it.each(needsJournal.filter(([name]) => name !== 'limits'))('is not a bug of %s', async (_, command) => {
    const world = await setUp()
    const { service, cli, file } = world
    const argv = command(world)
    const journal = new Sqlite(file)
    journal.exec('UPDATE intents SET body = substr(body, 1, 40)')
    journal.close()
    const before = service.payments.size
    const { code, stderr } = await cli.run(...argv)
    expect(stderr).not.toMatch(/\bbug\b/)
    expect([0, 2]).toContain(code)
    if (code === 2) expect(stderr).toContain(`set the file aside with mv ${file} ${file}.broken`)
    if (code === 2) expect(service.payments.size).toBe(before)
  })
})

describe('a journal with damaged pages', () => {
  it.each(needsJournal)('is not a bug of %s: nothing is sent, and the file must be moved away', async (_, command) => {
    const world = await setUp()
    const { service, cli, file, damage, beyondFirst } = world
    const argv = command(world)
    const damages = [beyondFirst, ...everyNth(beyondFirst, 4).map((page) => [page])]
    const met: { pages: readonly number[]; code: number }[] = []
    for (const pages of damages) {
      damage(pages)
      const before = service.payments.size
      const { code, stderr } = await cli.run(...argv)
      expect(stderr, `pages ${pages}`).not.toMatch(/\bbug\b/)
      met.push({ pages, code })
      if (code !== 2) continue
      expect(stderr).toContain(`The payment journal ${file} can't be used: database disk image is malformed.`)
      expect(stderr).toContain(`set the file aside with mv ${file} ${file}.broken`)
      expect(stderr).toContain('Nothing was sent by this run.')
      expect(service.payments.size).toBe(before)
    }
    expect(met.filter(({ code }) => code === 1)).toEqual([])
    expect(met.filter(({ code }) => code === 2)).not.toEqual([])
  })
})
