import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { describe, expect, it } from 'vitest'
import { controlEndpoints, sqlTables } from '../../../src/contract/index.ts'
import { startWorld, type World } from '../control/world.ts'
import { startCompany } from '../teams/company.ts'

const ask = (world: World, query: string, body: object = {}) => world.steer('control.sql', { body: { query, ...body } })

const refusal = async (world: World, query: string, body: object = {}) => {
  const answer = await world.ask('control.sql', { body: { query, ...body } })
  expect(answer.status).toBe(422)
  return answer.body.message
}

/** A world with rows in each table. */
async function busyWorld(): Promise<World> {
  const world = await startWorld()
  await world.client.call('webhooks.create', {
    body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'], headers: { 'X-Key': 'hush-hush' } },
  })
  await world.pay({ recipient_phone: '87000001' }, 150_025)
  await world.steer('control.clock.advance', { body: { ms: 1000 } })
  return world
}

describe('a query', () => {
  it('reads the tables of the contract, each with its columns, and none has a secret', async () => {
    const world = await busyWorld()
    await world.steer('control.credits.schedule', { body: { to: '88001234', amount: 5, after_ms: 1000 } })
    const secrets = ['hush-hush', 'secret_hash', world.emulator.token, world.emulator.clientSecret]
    for (const [name, columns] of Object.entries(sqlTables)) {
      const found = await ask(world, `SELECT * FROM ${name}`)
      expect([name, found.columns, found.rows.length > 0]).toEqual([name, columns, true])
      const text = JSON.stringify(found.rows)
      expect([name, secrets.filter((secret) => text.includes(secret))]).toEqual([name, []])
    }
  })

  it('joins them by the ids of the API; amounts are minor units, times ISO', async () => {
    const world = await busyWorld()
    const [delivery] = (await world.steer('control.deliveries.list')).data
    const query = `
      -- each payment with its delivery
      WITH sent AS (SELECT * FROM deliveries JOIN attempts ON delivery_id = deliveries.id)
      SELECT payments.id, amount, payments.created_at, sent.id, sent.attempts, requests.id AS request, available + held
      FROM payments JOIN sent ON sent.payment_id = payments.id JOIN requests ON requests.payment_id = payments.id
        JOIN accounts ON accounts.id = account_id`
    const { columns, rows, more } = await ask(world, query)
    const { data } = await world.client.call('payments.history', { query: {} })
    const left = 250_000_000 - 150_025
    expect(rows).toMatchObject([[data[0]?.id, 150_025, expect.any(String), delivery?.id, 1, 'r2', left]])
    expect(String(rows[0]?.[2]).slice(0, 19)).toBe(data[0]?.created_at?.slice(0, 19))
    expect({ columns: columns.slice(-2), more }).toEqual({ columns: ['request', 'available + held'], more: false })
  })

  it('shows the ids of deliveries as receivers see them, however long the world’s series is', async () => {
    const world = await startWorld({ rngSeed: 'r' })
    const { client, pay, steer } = await world.make({ name: 'shop' })
    await client.call('webhooks.create', { body: { url: 'http://127.0.0.1:9/hook', events: ['payment.created'] } })
    await pay({ recipient_phone: '87000001' })
    const [delivery] = (await steer('control.deliveries.list', { query: {} })).data
    expect(delivery?.id).toMatch(/^whd_\d{20,21}$/)
    const { rows } = await steer('control.sql', { body: { query: 'SELECT id FROM deliveries' } })
    expect(rows).toEqual([[delivery?.id]])
  })

  it('answers so many rows, and says that there are more', async () => {
    const world = await startWorld()
    const addresses = await ask(world, 'SELECT address FROM registry ORDER BY 1', { limit: 2 })
    expect(addresses).toMatchObject({ more: true, rows: [['87000001'], ['87000002']] })
    expect(await ask(world, "SELECT 1 AS n, x'00ff', NULL", { limit: 1 })).toEqual({
      ...{ columns: ['n', "x'00ff'", 'NULL'], rows: [[1, "x'00ff'", null]], more: false },
    })
  })

  it('is in the world that it is asked of', async () => {
    const world = await busyWorld()
    const other = await world.make({ from: { seed: 'demo' } })
    expect((await other.steer('control.sql', { body: { query: 'SELECT count(*) FROM payments' } })).rows).toEqual([[0]])
  })

  it('that is wrong gets the reason', async () => {
    const world = await startWorld()
    expect(await refusal(world, 'SELECT * FROM payment')).toBe('no such table: payment')
    expect(await refusal(world, 'SELEC 1')).toContain('syntax error')
    expect(await refusal(world, 'SELECT ?')).toContain('parameter')
  })
})

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'

it('two queries run at once, the others wait, and each ends with its client', async () => {
  const world = await startWorld()
  const processes = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
  const clients = Array.from({ length: 5 }, () => new AbortController())
  const { method, path } = controlEndpoints['control.sql']
  const body = JSON.stringify({ query: endless, timeout_ms: 60_000 })
  const headers = { 'Content-Type': 'application/json' }
  const asked = clients.map(({ signal }) =>
    fetch(`${world.emulator.baseUrl}${path}`, { method, body, headers, signal }).catch(() => 'gone'),
  )
  await expect.poll(processes, { timeout: 20_000 }).toBe(2)
  await world.client.call('user.get')
  expect(processes()).toBe(2)
  for (const client of clients) client.abort()
  expect(await Promise.all(asked)).toEqual(clients.map(() => 'gone'))
  expect((await ask(world, 'SELECT 1')).rows).toEqual([[1]])
  await expect.poll(processes, { timeout: 20_000 }).toBe(0)
})

/** Priorities of the processes that this process has started, as Linux shows them. */
function prioritiesOfChildren(): number[] {
  const stats = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined
    return stat === undefined
      ? []
      : [
          stat
            .slice(stat.lastIndexOf(')') + 2)
            .split(' ')
            .map(Number),
        ]
  })
  return stats.filter(([, parent]) => parent === process.pid).map((values) => values[16] as number)
}

function readStat(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined // the process has ended
  }
}

describe.runIf(process.platform === 'linux')('the process of a query has', () => {
  const { PRIORITY_LOW } = constants.priority

  it('a low priority after a second', async () => {
    const world = await startWorld()
    const asked = refusal(world, endless, { timeout_ms: 60_000 }).catch(() => 'gone')
    await expect.poll(prioritiesOfChildren, { interval: 5 }).toEqual([getPriority()])
    await expect.poll(prioritiesOfChildren, { timeout: 20_000 }).toEqual([PRIORITY_LOW])
    await world.emulator.close()
    await asked
    await expect.poll(prioritiesOfChildren).toEqual([])
  })

  it('a low priority from its start if teams share the emulator', async () => {
    const { payments } = await startCompany()
    const { name } = await payments.make()
    const asked = payments.ask('control.sql', { body: { query: endless, timeout_ms: 500 } }, name ?? '')
    const seen = new Set<number>()
    await expect.poll(() => prioritiesOfChildren().map((priority) => seen.add(priority)).length).toBe(1)
    expect(await asked).toMatchObject({ status: 422 })
    expect([...seen]).toEqual([PRIORITY_LOW])
  })
})

const changes = [
  "UPDATE payments SET status = 'failed'",
  'DELETE FROM payments',
  'DROP TABLE payments',
  "INSERT INTO registry (address) VALUES ('1') RETURNING *",
  'WITH one AS (SELECT 1) DELETE FROM payments RETURNING *',
  "ATTACH DATABASE '/tmp/payctl-attached.db' AS other",
  "VACUUM INTO '/tmp/payctl-vacuumed.db'",
  'PRAGMA query_only = OFF',
  'PRAGMA table_info(payments)',
  'EXPLAIN SELECT 1',
  'BEGIN',
]

describe('a query', () => {
  it('can’t read the tables that have secrets', async () => {
    const world = await startWorld()
    for (const table of ['tokens', 'main.tokens', 'oauth_clients', 'authorizations', 'settings']) {
      expect(await refusal(world, `SELECT * FROM ${table}`)).toBe(`no such table: ${table}`)
    }
  })

  it('can’t find more in the database than these tables', async () => {
    const world = await busyWorld()
    const query = `SELECT name FROM sqlite_schema UNION ALL SELECT name || file FROM pragma_database_list
      UNION ALL SELECT name FROM sqlite_temp_schema`
    expect((await ask(world, query)).rows.flat()).toEqual([...Object.keys(sqlTables), 'main', 'temp'])
  })

  it('can’t change anything', async () => {
    const world = await busyWorld()
    const { clock: _, ...before } = await world.steer('control.state')
    for (const query of changes) {
      const why = expect.stringMatching(/^(Only a SELECT is run\.|This statement does not return data)/)
      expect([query, await refusal(world, query)]).toEqual([query, why])
    }
    expect(await world.steer('control.state')).toMatchObject(before)
    expect((await ask(world, 'SELECT status FROM payments')).rows).toEqual([['completed']])
  })

  it('can’t be two statements, load code or read files', async () => {
    const world = await startWorld()
    expect(await refusal(world, 'SELECT 1; SELECT 2')).toContain('more than one statement')
    expect(await refusal(world, "SELECT load_extension('x')")).toMatch(/not authorized|no such function/)
    expect(await refusal(world, "SELECT readfile('/etc/passwd')")).toContain('no such function')
    expect(await refusal(world, 'SELECT hex(zeroblob(20000000))')).toContain('too large')
  })

  it('can’t delay the emulator: an endless query is ended, and the world answers in the meantime', async () => {
    const world = await startWorld()
    const waiting = refusal(world, endless, { timeout_ms: 1500 })
    let ended = false
    void waiting.then(() => {
      ended = true
    })
    await world.client.call('user.get')
    expect(ended).toBe(false)
    expect(await waiting).toBe('The query took longer than 1500 ms.')
  })
})
