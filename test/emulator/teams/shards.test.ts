import { describe, expect, test } from 'vitest'
import { endpoints, oauthEndpoints } from '../../../src/contract/index.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { newFolder } from '../store/folder.ts'
import { exchange, memberAt, startCompany } from './company.ts'

const user = ({ base_url, token }: { readonly base_url: string; readonly token: string }) =>
  exchange(`${base_url}${endpoints['user.get'].path}`, { headers: { Authorization: `Bearer ${token}` } })

describe('the worlds of a team in a shard', () => {
  test('have the names of the shard and of the team, and each team names its own', async () => {
    const { payments, risk, admin, baseUrl } = await startCompany({ shard: 's2' })
    const made = await payments.make({ name: 'shop' })
    expect(made).toMatchObject({ name: 's2.payments.shop', base_url: `${baseUrl}/w/s2.payments.shop` })
    expect((await user(made)).status).toBe(200)
    expect((await payments.make({ name: 'payments.a' })).name).toBe('s2.payments.a')
    expect((await payments.make({ name: 's2.payments.b' })).name).toBe('s2.payments.b')
    expect((await risk.make({ name: 'shop' })).name).toBe('s2.risk.shop')
    expect((await risk.make({ name: 's2.payments.shop' })).name).toBe('s2.risk.payments.shop')

    for (const name of ['shop', 'payments.shop', 's2.payments.shop']) {
      expect((await payments.ask('control.worlds.get', { params: { name } })).data).toMatchObject({ id: made.id })
    }
    const names = async (member: typeof risk) =>
      ((await member.ask('control.worlds.list')).data as { data: { name: string }[] }).data.map(({ name }) => name)
    expect(await names(risk)).toEqual(['s2.risk.payments.shop', 's2.risk.shop'])
    expect(await names(admin)).toHaveLength(6)
  })

  test('are closed to others, who get the same answers as for no world', async () => {
    const { payments, risk, baseUrl } = await startCompany({ shard: 's2' })
    const made = await payments.make({ name: 'shop' })
    for (const name of ['s2.payments.shop', 's2.payments.none']) {
      expect((await risk.ask('control.state', {}, name)).status).toBe(404)
      expect((await user({ base_url: `${baseUrl}/w/${name}`, token: risk.key })).status).toBe(401)
    }
    const foreign = await payments.ask('control.state', {}, 's3.payments.shop')
    expect([foreign.status, foreign.message]).toEqual([
      421,
      'World s3.payments.shop belongs to the shard s3. This is the shard s2',
    ])
    expect((await user({ ...made, base_url: `${baseUrl}/w/s3.payments.shop` })).status).toBe(421)
  })

  test('and its snapshots stay its own if the shard has the name of a team', async () => {
    const { payments, risk } = await startCompany({ shard: 'payments', quotas: { snapshots: 1 } })
    const { name } = await payments.make({ name: 'shop' })
    expect(name).toBe('payments.payments.shop')
    const take = (body: object) => payments.ask('control.snapshots.create', { body }, name)
    expect((await take({ name: 'risk.saved' })).data).toMatchObject({ name: 'payments.risk.saved' })

    expect((await risk.ask('control.snapshots.list')).data).toEqual([])
    expect((await payments.ask('control.snapshots.list')).data).toMatchObject([{ name: 'payments.risk.saved' }])
    expect((await take({ name: 'second' })).status).toBe(409)
  })

  test('still answer if they are older than the shard', async () => {
    const folder = newFolder()
    const before = await startCompany({ worlds: folder })
    const made = await before.payments.make({ name: 'shop' })
    await before.admin.make({ name: 'eu.shop' })
    await before.emulator.close()
    const { baseUrl, payments, risk, admin } = await startCompany({ worlds: folder, shard: 's2' })

    expect((await user({ ...made, base_url: `${baseUrl}/w/payments.shop` })).status).toBe(200)
    const grant = { grant_type: 'refresh_token', refresh_token: 'none', client_secret: made.client_secret }
    const answerTo = (client_id: string) =>
      exchange(`${baseUrl}/w/payments.shop${oauthEndpoints['oauth.token'].path}`, {
        method: 'POST',
        body: new URLSearchParams({ ...grant, client_id }),
      })
    expect((await answerTo(made.client_id)).text).toContain('invalid_grant')
    expect((await answerTo('payctl')).status).toBe(421)
    expect((await payments.ask('control.state', {}, 'payments.shop')).status).toBe(200)
    expect((await admin.ask('control.state', {}, 'eu.shop')).status).toBe(200)
    for (const name of ['payments.shop', 'payments.none', 'eu.shop', 'eu.none']) {
      expect((await risk.ask('control.state', {}, name)).status, name).toBe(421)
    }
    expect((await admin.ask('control.state', {}, 'eu.none')).status).toBe(421)
    expect((await payments.ask('control.state', {}, 'payments.none')).status).toBe(421)
  })

  test('move to another shard with the key of the team', async () => {
    const s2 = await startCompany({ shard: 's2' })
    const s3 = await startCompany({ shard: 's3', teams: s2.file })
    const made = await s2.payments.make({ name: 'shop' })
    const move = ['emulator', 'worlds', 'move', made.name, '--to', s3.baseUrl, '--base-url', s2.baseUrl, '--json']
    const moving = (key: string) => runPayctl(move, { env: { PAYCTL_CONTROL_TOKEN: key } })
    expect((await moving(s2.keys.risk)).code).toBe(3)
    expect((await moving(s2.keys.payments)).code).toBe(0)

    const there = memberAt(s3.baseUrl, s2.keys.payments)
    const moved = (await there.ask('control.worlds.get', { params: { name: 'shop' } })).data as typeof made
    expect(moved.name).toBe('s3.payments.shop')
    // The moved world has a new token, as every copy of a world has.
    expect((await user(moved)).status).toBe(200)
    expect((await user({ ...moved, token: made.token })).status).toBe(401)
    const message = `World s2.payments.shop has moved: its base URL is ${s3.baseUrl}/w/s3.payments.shop`
    expect(await user(made)).toMatchObject({ status: 421, message })
    expect(await s2.payments.ask('control.state', {}, made.name)).toMatchObject({ status: 421, message })
    expect((await user({ ...made, token: 'guess' })).status).toBe(401)
    expect((await s2.risk.ask('control.state', {}, made.name)).status).toBe(404)
  })
})
