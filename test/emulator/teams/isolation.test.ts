import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../src/contract/index.ts'
import { exchange, startCompany } from './company.ts'

const userPath = endpoints['user.get'].path

describe('worlds of a team', () => {
  test('have its name first, whether the team says it or not', async () => {
    const { payments, baseUrl } = await startCompany()

    const made = await payments.make({ name: 'shop-7' })
    expect(made.name).toBe('payments.shop-7')
    expect(made.base_url).toBe(`${baseUrl}/w/payments.shop-7`)
    expect((await payments.make({ name: 'payments.shop-8' })).name).toBe('payments.shop-8')
    expect((await payments.make()).name).toMatch(/^payments\.w[0-9a-f]{12}$/)
    expect((await payments.ask('control.worlds.create', { body: { name: 'shop-7' } })).status).toBe(409)
    expect((await payments.ask('control.worlds.create', { body: { name: 'x'.repeat(60) } })).status).toBe(422)
  })

  test('of two teams never collide', async () => {
    const { payments, risk } = await startCompany()

    const [one, other] = [await payments.make({ name: 'shop' }), await risk.make({ name: 'shop' })]
    expect([one.name, other.name]).toEqual(['payments.shop', 'risk.shop'])
    expect((await risk.make({ name: 'payments.shop' })).name).toBe('risk.payments.shop')
  })

  test('have their own secrets, which their team can read again', async () => {
    const { payments, risk, emulator, baseUrl } = await startCompany()
    const [one, other] = [await payments.make({ name: 'a' }), await risk.make({ name: 'b' })]
    const secrets = [one, other].flatMap(({ token, client_id, client_secret }) => [token, client_id, client_secret])
    expect(new Set([...secrets, emulator.token, emulator.clientId, emulator.clientSecret]).size).toBe(9)

    const user = (token: string, world: string) =>
      exchange(`${baseUrl}/w/${world}${userPath}`, { headers: { Authorization: `Bearer ${token}` } })
    expect([one.token, one.client_secret]).toEqual([
      expect.stringMatching(/^payctl_token_[\w-]{43}$/),
      expect.stringMatching(/^payctl_client_[\w-]{43}$/),
    ])
    expect((await user(one.token, one.name)).status).toBe(200)
    for (const token of [other.token, emulator.token, 'payctl-demo-token', payments.key, risk.key]) {
      expect((await user(token, one.name)).status, token).toBe(401)
    }
    const again = (await payments.ask('control.worlds.get', { params: { name: 'a' } })).data as typeof one
    expect(again).toMatchObject({ token: one.token, client_id: one.client_id, client_secret: one.client_secret })
    expect((await payments.ask('control.reset', {}, one.name)).status).toBe(200)
    expect((await user(one.token, one.name)).status).toBe(200)
  })

  test('are the only ones that the team sees', async () => {
    const { payments, risk, admin } = await startCompany()
    await payments.make({ name: 'a' })
    await payments.make({ name: 'gone' })
    await payments.ask('control.worlds.delete', { params: { name: 'gone' } })
    await payments.ask('control.snapshots.create', { body: { name: 'saved' } }, 'payments.a')
    await risk.make({ name: 'b' })

    const names = async (member: typeof risk) =>
      ((await member.ask('control.worlds.list')).data as { data: { name: string }[] }).data.map(({ name }) => name)
    expect(await names(risk)).toEqual(['risk.b'])
    expect(await names(payments)).toEqual(['payments.gone', 'payments.a'])
    expect(await names(admin)).toEqual(['risk.b', 'payments.gone', 'payments.a', 'default'])
    expect((await risk.ask('control.snapshots.list')).data).toEqual([])
    expect((await payments.ask('control.snapshots.list')).data).toMatchObject([{ name: 'payments.saved' }])
    expect((await risk.ask('control.health')).data).toMatchObject({ worlds: { open: 1, closed: 0, broken: 0 } })
    expect((await risk.ask('control.report')).data).toMatchObject({ worlds: 1, requests: 0, late: { count: 0 } })
  })

  test('give no access through the file of a snapshot, which only the team gets', async () => {
    const { payments, risk } = await startCompany()
    const { token, client_secret: secret } = await payments.make({ name: 'a' })
    await payments.ask('control.snapshots.create', { body: { name: 'saved' } }, 'payments.a')
    const { status, text } = await payments.ask('control.snapshots.export', { params: { name: 'saved' } })
    expect({ status, start: text.slice(0, 15) }).toEqual({ status: 200, start: 'SQLite format 3' })
    expect([token, secret].filter((one) => text.includes(one))).toEqual([])
    expect((await risk.ask('control.snapshots.export', { params: { name: 'payments.saved' } })).status).toBe(404)
  })

  test('are only those whose name has its name and a dot first', async () => {
    const { payments, risk, admin } = await startCompany()
    await admin.make({ name: 'payments2' })
    await payments.make({ name: 'a' })
    await admin.ask('control.snapshots.create', { body: { name: 'risks' } })

    const { data } = (await payments.ask('control.worlds.list')).data as { data: { name: string }[] }
    expect(data.map(({ name }) => name)).toEqual(['payments.a'])
    expect((await payments.ask('control.state', {}, 'payments2')).status).toBe(404)
    expect((await risk.ask('control.snapshots.list')).data).toEqual([])
  })
})
