import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { migrations as worldMigrations } from '../../emulator/store/migrations.ts'
import { migrations } from '../../src/journal/migrations.ts'
import { payees } from '../commands/webhooks/rig.ts'
import { type Workplace, workplace } from './command_workplace.ts'

const order = ({ account }: Workplace, ...more: readonly string[]) => [
  ...['payments', 'send', '--yes', '--from', account, '--to', payees.completed, '--amount-minor', '7', ...more],
]

const sent = async ({ client }: Workplace): Promise<number> =>
  (await client.call('payments.history')).data.filter(({ amount }) => amount.value === 7).length

const stateOf = ({ env }: Workplace): string => env.PAYCTL_STATE_DIR ?? ''
const configOf = ({ env }: Workplace): string => env.PAYCTL_CONFIG_DIR ?? ''

function write(file: string, content: unknown): string {
  const text = JSON.stringify(content)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  return text
}

describe('state of a newer payctl', () => {
  it('in the journal stops what would write or read it, and is left as it is', async () => {
    const at = await workplace()
    await at.run(order(at))
    const file = join(stateOf(at), 'journal.db')
    const journal = new Sqlite(file)
    journal.exec('ALTER TABLE intents ADD COLUMN of_the_future TEXT')
    journal.pragma(`user_version = ${migrations.length + 1}`)
    journal.pragma('journal_mode = DELETE')
    journal.close()
    const dump = () => {
      const database = new Sqlite(file, { readonly: true })
      const rows = database.prepare('SELECT * FROM intents').all()
      const version = database.pragma('user_version', { simple: true })
      database.close()
      return { rows, version }
    }
    const before = dump()
    const commands = [
      order(at),
      ['payments', 'intents'],
      ['payments', 'resume'],
      [
        'payments',
        'batch',
        at.file('b.csv', `to,amount,description,from\n${payees.completed},1,,${at.account}\n`),
        '--yes',
      ],
    ]
    for (const argv of commands) {
      const { code, stdout, stderr } = await at.run(argv)
      expect({ argv, code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: .*newer payctl.*\n {2}Install a newer payctl/m)
    }
    expect(dump()).toEqual(before)
    expect(before.version).toBe(migrations.length + 1)
    expect(await sent(at)).toBe(1)
    expect(await at.run(['accounts', 'list'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('in the configuration stops what needs it, and is left as it is', async () => {
    const at = await workplace()
    const file = join(configOf(at), 'config.json')
    const text = write(file, { version: 2, contexts: { prod: { url: 'https://api.example' } } })
    for (const argv of [
      ['profiles', 'list'],
      ['profiles', 'set', 'x', '--base-url', 'http://127.0.0.1:9'],
      ['user', '--profile', 'prod'],
    ]) {
      const { code, stderr } = await at.run(argv)
      expect({ argv, code, stderr }).toMatchObject({ code: 2 })
      expect(stderr).toMatch(/newer payctl.*\n {2}Install a newer payctl/)
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('in the credentials stops what needs them, and is left as it is', async () => {
    const at = await workplace()
    const file = join(configOf(at), 'credentials.json')
    const text = write(file, { version: 2, logins: [{ access_token: 's3cret' }] })
    const env = { PAYCTL_TOKEN: '' }
    const runs = [
      await at.run(['user'], { env }),
      await at.run(['logout'], { env }),
      await at.run(['auth', 'status'], { env }),
      await at.run(['auth', 'refresh'], { env }),
      await at.run(['login', '--with-token'], { env, input: at.emulator.token }),
    ]
    for (const [number, { code, stdout, stderr }] of runs.entries()) {
      expect({ number, code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' })
      expect(stderr).toContain('newer payctl')
      expect(stderr).not.toContain('s3cret')
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect((await at.run(['user'])).code).toBe(0)
  })

  it('in the data of an emulator keeps it from starting, and is left as it is', async () => {
    const at = await workplace()
    const file = join(at.home, 'world.db')
    await at.run(['emulate', '--data', file, '--', 'node', '-e', '0'])
    const world = new Sqlite(file)
    world.pragma(`user_version = ${worldMigrations.length + 1}`)
    world.pragma('journal_mode = DELETE')
    world.close()
    const before = readFileSync(file)
    const { code, stderr } = await at.run(['emulate', '--port', '0', '--data', file])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('newer payctl') })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('in caches is as good as none', async () => {
    const at = await workplace()
    const ids = ['__complete', 'words', 'accounts', 'get', '']
    const wanted = await at.run(ids)
    expect(wanted.stdout).toContain(at.account)
    const name = readdirSync(stateOf(at)).find((name) => name.startsWith('completion-')) ?? ''
    const cache = JSON.parse(readFileSync(join(stateOf(at), name), 'utf8'))
    for (const content of [{ ...cache, candidates: { v2: [] } }, { ...cache, candidates: [1, null] }, { version: 9 }]) {
      write(join(stateOf(at), name), content)
      expect(await at.run(ids)).toEqual(wanted)
    }

    const tail = async () => {
      const meanwhile = { cue: /Ctrl-C stops/, act: () => at.pay().then(at.settle) }
      return at.piped(['webhooks', 'tail', '--limit', '1', '--json', '--events', 'payment.completed'], { meanwhile })
    }
    expect((await tail()).code).toBe(0)
    const folder = join(stateOf(at), 'webhooks')
    const [memory = ''] = readdirSync(folder).filter((file) => file.startsWith('seen-'))
    for (const content of [{ version: 2, seen: [] }, { horizon: 1, told: {}, open: null }, [], null]) {
      write(join(folder, memory), content)
      expect(await tail()).toMatchObject({ code: 0, stdout: expect.stringContaining('payment.completed') })
    }

    write(join(stateOf(at), 'emulators', `${process.pid}.json`), { version: 2, urls: [] })
    const { code, stderr } = await at.run(['user', '--emulator'], { env: { PAYCTL_BASE_URL: '', PAYCTL_TOKEN: '' } })
    expect({ code, stderr }).toMatchObject({ code: 12 })
  })
})

describe('state of an older payctl', () => {
  it('in the journal is taken over: what was in doubt is found out, and paid once', async () => {
    const at = await workplace()
    const file = join(stateOf(at), 'journal.db')
    mkdirSync(stateOf(at), { recursive: true })
    const old = new Sqlite(file)
    old.exec(migrations[0] ?? '')
    old.pragma('user_version = 1')
    const insert = old.prepare(
      `INSERT INTO intents (id, created_at, updated_at, profile, base_url, idempotency_key, body, status, doubts)
       VALUES (?, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'default', ?, ?, ?, ?, ?)`,
    )
    const body = JSON.stringify({ source_account_id: at.account, amount: 7, recipient_phone: payees.completed })
    insert.run('int_000000000001', at.emulator.baseUrl, 'first', body, 'unknown', 1)
    insert.run('int_000000000002', at.emulator.baseUrl, 'second', body, 'prepared', 0)
    old.close()

    const { stdout } = await at.run(['payments', 'intents', '--json'])
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'int_000000000002', status: 'prepared', idempotency_key: 'second' },
      { id: 'int_000000000001', status: 'unknown', idempotency_key: 'first' },
    ])
    const resume = ['payments', 'resume', '--key-life', '3650d'] // the payment was sent long ago
    const { code, stderr } = await at.run(resume)
    expect(code).toBe(10)
    expect(stderr).toContain('payctl payments resume int_000000000001 --sent-by maria.fernandez@example.com')
    expect((await at.run([...resume, '--sent-by', 'laura.quesada@example.com'])).code).toBe(2)
    expect(await sent(at)).toBe(0)
    expect((await at.run([...resume, '--sent-by', 'maria.fernandez@example.com'])).code).toBe(0)
    expect((await at.run(resume)).code).toBe(0)
    expect(await sent(at)).toBe(1)
    expect((await at.run(order(at, '--idempotency-key', 'second'))).code).toBe(0)
    expect(await sent(at)).toBe(2)
    const journal = new Sqlite(file, { readonly: true })
    expect(journal.pragma('user_version', { simple: true })).toBe(migrations.length)
    journal.close()
  })

  it('in the journal does not say who sent a batch: the history of the service does, in whatever spelling it was', async () => {
    const at = await workplace()
    const rows = [3, 4, 5].map((amount) => `${payees.completed},${amount},,${at.account}`)
    const batch = ['payments', 'batch', at.file('b.csv', ['to,amount,description,from', ...rows].join('\n')), '--yes']
    expect((await at.run(batch)).code).toBe(0)
    const paid = async () => (await at.client.call('payments.history')).total
    const before = await paid()
    const age = (statuses = '') => {
      const journal = new Sqlite(join(stateOf(at), 'journal.db'))
      journal.exec(`ALTER TABLE intents RENAME TO newer; DROP INDEX intents_unsettled; DROP INDEX intents_batch`)
      for (const step of migrations.slice(0, 2)) journal.exec(step)
      const columns = `seq, id, created_at, updated_at, profile, idempotency_key, body, status, payment_id, payment_status,
        error, batch, line, reference`
      journal
        .prepare(`INSERT INTO intents (base_url, ${columns}) SELECT ?, ${columns} FROM newer WHERE user IS NOT NULL`)
        .run(at.emulator.baseUrl.replace('http', 'HTTP'))
      journal.exec(
        `DROP TABLE newer; DROP TABLE attempts; DROP TABLE journal_identity; DROP TABLE limited_profiles;
         DROP TABLE counted_payments; DROP TABLE counted_sums; DROP TABLE batches`,
      )
      journal.exec(statuses)
      journal.pragma('user_version = 2')
      journal.close()
    }

    age()
    const again = await at.run(batch)
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('all 3 sent before') })
    age("UPDATE intents SET status = 'unknown', payment_id = NULL, doubts = 1")
    expect((await at.run(['payments', 'resume'])).code).toBe(0)
    expect((await at.run(batch)).stderr).toContain('all 3 sent before')
    expect(await paid()).toBe(before)

    age()
    await at.emulator.control.reset()
    expect((await at.run(batch)).code).toBe(0)
    expect(await paid()).toBe(3)
  })

  it('in the configuration, which had no version, is read, and saved with a version', async () => {
    const at = await workplace()
    const file = join(configOf(at), 'config.json')
    write(file, { profiles: { old: { base_url: at.emulator.baseUrl } } })
    expect((await at.run(['user', '-p', 'old', '--token', at.emulator.token])).code).toBe(0)
    expect((await at.run(['profiles', 'set', 'new', '--base-url', 'http://127.0.0.1:9'])).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      version: 1,
      profiles: { old: { base_url: at.emulator.baseUrl }, new: {} },
    })
  })
})
