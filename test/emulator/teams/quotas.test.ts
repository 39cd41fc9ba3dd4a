import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AuditLog } from '../../../emulator/teams/audit.ts'
import { TeamUse } from '../../../emulator/teams/quotas.ts'
import { sharingOf } from '../../../emulator/teams/sharing.ts'
import { TeamWorlds } from '../../../emulator/teams/team_worlds.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { defaultWorld, endpoints, worldFile } from '../../../src/contract/index.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { newFolder } from '../store/folder.ts'
import { adminKey, changesTeams, digestOf, exchange, memberAt, newKey, startCompany } from './company.ts'

const day = 24 * 3600_000
const mebibyte = 1024 * 1024
const userPath = endpoints['user.get'].path

const asUser = ({ base_url, token }: { base_url: string; token: string }, method = 'GET') =>
  exchange(`${base_url}${userPath}`, { method, headers: { Authorization: `Bearer ${token}` } })

describe('a quota of a team', changesTeams, () => {
  test('limits its worlds, also those that are made at the same time; deleting one makes room', async () => {
    const { payments, risk } = await startCompany({ quotas: { worlds: 2 } })

    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => payments.ask('control.worlds.create', { body: { name } })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    expect(made.find(({ status }) => status === 409)?.message).toBe(
      'The team payments has reached its limit for worlds: 2. Delete one',
    )
    expect((await payments.ask('control.import', { file: new Uint8Array(16) })).status).toBe(409)
    await risk.make({ name: 'a' })

    const [name = ''] = made.flatMap(({ text }) => /"name":"(payments\.\w)"/.exec(text)?.[1] ?? [])
    expect((await payments.ask('control.worlds.delete', { params: { name } })).status).toBe(200)
    await payments.make({ name: 'e' })
  })

  test('limits its snapshots', async () => {
    const { payments, risk } = await startCompany({ quotas: { snapshots: 1 } })
    await payments.make({ name: 'a' })
    await risk.make({ name: 'a' })
    const take = (body: object, world = 'payments.a') => payments.ask('control.snapshots.create', { body }, world)

    expect((await take({ name: 's' })).status).toBe(201)
    expect((await take({ name: 't' })).status).toBe(409)
    expect((await take({ name: 's', replace: true })).status).toBe(201)
    expect((await risk.ask('control.snapshots.create', { body: { name: 's' } }, 'risk.a')).status).toBe(201)
    const file = new Uint8Array(16)
    expect((await payments.ask('control.snapshots.import', { params: { name: 't' }, file })).status).toBe(409)
    await payments.ask('control.snapshots.delete', { params: { name: 's' } })
    expect((await take({ name: 't' })).status).toBe(201)
  })

  test('limits its snapshots, also those that are taken at the same time', async () => {
    const owner = (name: string) => name.split('.')[0] ?? null
    const worlds = new Worlds({ owner })
    onTestFinished(() => worlds.close())
    const { world } = await worlds.create({ name: 'payments.a' })
    const use = new TeamUse('payments', worlds, () => ({ snapshots: 1 }))
    const own = new TeamWorlds({ worlds, team: 'payments', use, reached: 'payments.a', onMade: () => {} })

    // A snapshot waits for the commit of a write under way.
    world.database.write(() => world.settings.set('lenientIban', true))
    const taken = await Promise.allSettled(['s', 't', 'u'].map((name) => own.takeSnapshot({ name }, 'payments.a')))

    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await own.snapshots.all()).toHaveLength(1)
  })

  test('limits the size of its worlds: no more worlds, and no writes that would make them larger', async () => {
    const { payments, risk, write, teams, noticed } = await startCompany()
    const world = await payments.make({ name: 'a' })
    const other = await risk.make({ name: 'a' })
    write({ teams: { ...teams, payments: { ...teams.payments, quotas: { mebibytes: 0 } } } })
    await noticed(1)

    const full = await payments.ask('control.worlds.create', { body: { name: 'b' } })
    expect(full.status).toBe(409)
    expect(full.message).toMatch(/^The worlds and snapshots of the team payments use 0\.1 MiB; the limit is 0 MiB/)
    expect((await payments.ask('control.snapshots.create', { body: { name: 's' } }, 'payments.a')).status).toBe(409)
    const openAccount = ({ base_url, token }: typeof world) =>
      exchange(`${base_url}${endpoints['accounts.create'].path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ currency: 'CRC' }),
      })
    const refused = await openAccount(world)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('60')
    expect((await asUser(world)).status).toBe(200)
    expect((await asUser(world, 'HEAD')).status).toBe(200)
    expect((await openAccount(other)).status).toBe(201)
    const credit = { body: { to: '88001234', amount: 700 } }
    expect((await payments.ask('control.credits.create', credit, 'payments.a')).status).toBe(429)
    expect((await payments.ask('control.reset', {}, 'payments.a')).status).toBe(200)

    write()
    await noticed(2)
    expect((await openAccount(world)).status).toBe(201)
  })

  test('limits the size of a file that replaces a snapshot, which is not a world', async () => {
    const { payments } = await startCompany({ quotas: { worlds: 1, mebibytes: 1 } })
    await payments.make({ name: 'a' })
    await payments.ask('control.snapshots.create', { body: { name: 's' } }, 'payments.a')
    const replace = async (bytes: number) => {
      const [params, query] = [{ name: 's' }, { replace: 'true' }]
      const answer = await payments.ask('control.snapshots.import', { params, query, file: new Uint8Array(bytes) })
      return [answer.status, answer.message]
    }

    expect(await replace(16)).toEqual([422, expect.stringContaining('The file was not made by payctl emulate.')])
    expect(await replace(mebibyte)).toEqual([
      409,
      'The worlds and snapshots of the team payments use 0.2 MiB; the limit is 1 MiB. Delete worlds or snapshots.',
    ])
    expect(await replace(2 * mebibyte)).toEqual([
      409,
      'The file has 2.0 MiB; the limit for all worlds and snapshots of the team payments is 1 MiB.',
    ])
  })

  test('limits its requests a minute over all its worlds, and none of another team', async () => {
    const { payments, risk } = await startCompany({ quotas: { requests_per_minute: 5 } })
    // Waits until at least 10 s of the clock's minute remain, so that all requests are in one minute.
    await expect.poll(() => Date.now() % 60_000, { timeout: 15_000 }).toBeLessThan(50_000)
    const [one, other] = [await payments.make({ name: 'a' }), await payments.make({ name: 'b' })]
    const foreign = await risk.make({ name: 'a' })

    for (const world of [one, other, one]) expect((await asUser(world)).status).toBe(200)
    const refused = await asUser(other)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toSatisfy((seconds: number) => seconds >= 1 && seconds <= 60)
    expect(refused.message).toBe('Too Many Attempts.')
    const control = await payments.ask('control.worlds.list')
    expect(control.status).toBe(429)
    expect(control.text).toContain('The team payments has reached its limit for requests per minute: 5.')
    expect((await asUser(foreign)).status).toBe(200)
  })

  test('of requests begins again with each minute', () => {
    let now = Date.UTC(2026, 0, 1, 12, 0, 10)
    const use = new TeamUse('payments', { clock: { now: () => now } } as Worlds, () => ({ requests_per_minute: 1 }))

    use.countRequest()
    expect(() => use.countRequest()).toThrow(expect.objectContaining({ headers: { 'Retry-After': '50' } }))
    now += 49_999
    expect(() => use.countRequest()).toThrow(expect.objectContaining({ headers: { 'Retry-After': '1' } }))
    now += 1
    use.countRequest()
  })

  test('limits the idle life of its worlds', async () => {
    const { payments, admin } = await startCompany({ quotas: { idle_days: 2 } })

    expect((await payments.make({ name: 'a' })).ttl_seconds).toBe(2 * 24 * 3600)
    expect((await payments.make({ name: 'b', ttl_seconds: 60 })).ttl_seconds).toBe(60)
    expect((await payments.make({ name: 'c', ttl_seconds: 1_000_000 })).ttl_seconds).toBe(2 * 24 * 3600)
    expect((await admin.make({ name: 'd' })).ttl_seconds).toBe(null)
  })

  test('ends its worlds after their idle days, although their files are closed', async () => {
    const time = new ManualTime(Date.UTC(2026, 0, 5))
    const owner = (name: string) => name.split('.')[0] ?? null
    const worlds = new Worlds({ worlds: newFolder(), machineTime: time, owner })
    onTestFinished(() => worlds.close())
    const use = new TeamUse('payments', worlds, () => ({ idle_days: 2 }))
    const team = new TeamWorlds({ worlds, team: 'payments', use, reached: defaultWorld, onMade: () => {} })
    for (const name of ['idle', 'used']) await team.create({ name })

    time.advance(day)
    expect(team.closed().map(({ name }) => name)).toEqual(['payments.idle', 'payments.used'])
    worlds.use('payments.used')
    time.advance(1.5 * day)
    expect(() => team.find('idle')).toThrow('it had been idle for longer than its ttl')
    expect(team.find('used').name).toBe('payments.used')
  })

  test('limits its control requests at a time: waits, streams and queries', async () => {
    const { payments, risk } = await startCompany({ quotas: { calls_at_once: 2 } })
    for (const member of [payments, risk]) await member.make({ name: 'a' })
    const gone = new AbortController()
    const open = [1, 2].map(() =>
      fetch(`${payments.url}/w/payments.a/_emulator/events`, {
        headers: { Authorization: `Bearer ${payments.key}` },
        signal: gone.signal,
      }),
    )
    await Promise.all(open)

    const refused = await payments.ask('control.state', {}, 'payments.a')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect((await risk.ask('control.state', {}, 'risk.a')).status).toBe(200)
    gone.abort()
    await expect.poll(async () => (await payments.ask('control.state', {}, 'payments.a')).status).toBe(200)
  })
})

test('a team has one import or export under way, because files are held in memory', async () => {
  const { payments, risk } = await startCompany()
  for (const member of [payments, risk]) await member.make({ name: 'a' })
  const gone = new AbortController()
  const unfinished = fetch(`${payments.url}/_emulator/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${payments.key}`, 'Content-Type': worldFile.type },
    body: new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(16)) }),
    duplex: 'half',
    signal: gone.signal,
  } as RequestInit).catch(() => {})

  const exported = async () => (await payments.ask('control.export', {}, 'payments.a')).status
  await expect.poll(exported).toBe(429)
  expect((await risk.ask('control.export', {}, 'risk.a')).status).toBe(200)
  gone.abort()
  await unfinished
  await expect.poll(exported).toBe(200)
})

test('--max-worlds limits the worlds of all teams together', async () => {
  const { payments, risk, admin } = await startCompany({ maxWorlds: 2 })
  await payments.make({ name: 'a' })
  await risk.make({ name: 'a' })

  for (const member of [payments, risk, admin]) {
    const { status, message } = await member.ask('control.worlds.create', { body: { name: 'b' } })
    expect([status, message]).toEqual([409, 'The emulator has reached its limit for worlds: 2. Delete one'])
  }
  await risk.ask('control.worlds.delete', { params: { name: 'a' } })
  await payments.make({ name: 'b' })
})

describe('a key', changesTeams, () => {
  test('that is revoked while the emulator runs opens nothing more, and its streams end', async () => {
    const { payments, baseUrl, write, teams, keys, noticed } = await startCompany()
    await payments.make({ name: 'a' })
    const second = newKey('payments')
    write({ teams: { ...teams, payments: { keys: { ci: digestOf(keys.payments), second: digestOf(second) } } } })
    await noticed(1)
    const stream = await fetch(`${baseUrl}/w/payments.a/_emulator/events`, {
      headers: { Authorization: `Bearer ${second}` },
    })
    expect(stream.status).toBe(200)

    write()
    await expect(stream.text()).rejects.toThrow('terminated')
    expect((await memberAt(baseUrl, second).ask('control.state', {}, 'payments.a')).status).toBe(401)
    expect((await payments.ask('control.state', {}, 'payments.a')).status).toBe(200)
  })

  test('that is replaced under its name is revoked, too', async () => {
    const { payments, write, teams, noticed } = await startCompany()
    await payments.make({ name: 'a' })
    const stream = await fetch(`${payments.url}/w/payments.a/_emulator/events`, {
      headers: { Authorization: `Bearer ${payments.key}` },
    })
    const ended = expect(stream.text()).rejects.toThrow('terminated')

    write({ teams: { ...teams, payments: { keys: { ci: digestOf(newKey('payments')) } } } })
    await noticed(1)
    await ended
    expect((await payments.ask('control.state', {}, 'payments.a')).status).toBe(401)
  })

  test('that is revoked while the emulator opens its worlds opens nothing', async () => {
    const file = join(newFolder(), 'teams.json')
    const key = newKey('payments')
    const write = (keys: object) => writeFileSync(file, JSON.stringify({ teams: { payments: { keys } } }))
    write({ ci: digestOf(key) })
    const sharing = await sharingOf({ teams: file, controlToken: adminKey })
    onTestFinished(() => sharing.close())
    write({})

    const worlds = new Worlds({ owner: sharing.ownerOf })
    onTestFinished(() => worlds.close())
    const access = sharing.accessTo(worlds)
    await expect.poll(() => access.controls(key, 'payments.a'), { timeout: changesTeams.timeout }).toBe(false)
  })

  test('stays as it is while the file is broken, which the emulator says', async () => {
    const { payments, file, write, notices, noticed } = await startCompany()
    await payments.make({ name: 'a' })

    write({ teams: { payments: { keys: { ci: 'not a digest' } } } })
    await noticed(1)
    expect(notices[0]).toMatch(/^The teams stay as they were\. .*teams\.yaml has a fault/)
    expect(notices[0]).toContain(`${file}:1:`)
    expect((await payments.ask('control.state', {}, 'payments.a')).status).toBe(200)
  })
})

test('the audit log has a line for each control call, with its team and key, and no secret', async () => {
  const { payments, risk, admin, baseUrl, auditLog, keys, emulator } = await startCompany()
  const world = await payments.make({ name: 'a' })
  await risk.ask('control.state', {}, 'payments.a')
  await admin.ask('control.worlds.delete', { params: { name: 'payments.a' } })
  await memberAt(baseUrl, 'payments.wrong').ask('control.worlds.list')
  await payments.ask('control.health')
  await asUser(world)
  await emulator.close()

  const text = readFileSync(auditLog, 'utf8')
  const calls = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(calls.map(({ time: _, ...call }) => call)).toEqual([
    { team: 'payments', key: 'ci', request: 'POST /_emulator/worlds', world: 'payments.a', status: 201 },
    { team: 'risk', key: 'ci', request: 'GET /_emulator/state', world: 'payments.a', status: 404 },
    { team: null, key: 'admin', request: 'DELETE /_emulator/worlds/payments.a', world: 'default', status: 200 },
    { team: null, key: null, request: 'GET /_emulator/worlds', world: 'default', status: 401 },
  ])
  for (const { time } of calls) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  for (const secret of [...Object.values(keys), admin.key, world.token, 'payments.wrong'])
    expect(text).not.toContain(secret)
  expect(statSync(auditLog).mode & 0o777).toBe(0o600)
})

test('the audit log writes nothing once it is closed: its file number may be that of another file', () => {
  const folder = newFolder()
  const faults: unknown[] = []
  const audit = new AuditLog(join(folder, 'audit.jsonl'), (error) => faults.push(error))
  audit.close()
  const other = openSync(join(folder, 'other'), 'w')
  onTestFinished(() => closeSync(other))

  audit.add({ at: 0, team: null, key: 'admin', request: 'POST /_emulator/clock', world: 'default', status: null })
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('')
  expect(faults).toEqual([])
})

test('an emulator with teams needs an administrator’s key that is hard to guess', async () => {
  for (const controlToken of ['', 'short', 'payctl-demo-token']) {
    const start = startCompany(controlToken === '' ? { withoutKey: true } : { controlToken })
    await expect(start).rejects.toThrow('With teams the control token is the administrator’s key, and it ')
  }
})
