import { describe, expect, it } from 'vitest'
import type { EmulatorOptions } from '../../../emulator/index.ts'
import type { ChaosProfile } from '../../../src/contract/index.ts'
import { startEmulator } from '../../../src/testing/index.ts'
import { startWorld, type WorldUnderTest } from '../control/world.ts'
import { OAuthApp } from '../oauth/oauth_app.ts'

const calm = (profile: ChaosProfile, seed = 7): EmulatorOptions => ({ chaos: { seed, profile } })

/** Results of requests, one after another: a status, or `none` without a whole answer. */
async function outcomes({ client }: WorldUnderTest, id: 'user.get' | 'accounts.list', count: number) {
  const seen: (number | 'none')[] = []
  for (let at = 0; at < count; at += 1) {
    seen.push(
      await client.call(id).then(
        () => 200,
        ({ status }) => status ?? 'none',
      ),
    )
  }
  return seen
}

describe('chaos', () => {
  it('is the same for the same seed and requests, whatever the time and the requests elsewhere', async () => {
    const profile = { too_many_requests: 0.3, lost_answers: 0.3 }
    const one = await startWorld(calm(profile))
    const other = await startWorld({ ...calm(profile), clock: '2030-01-05T12:00:00Z' })
    const another = await startWorld(calm(profile, 8))
    const first = await outcomes(one, 'user.get', 40)
    await outcomes(other, 'accounts.list', 7)
    await other.steer('control.clock.advance', { body: { ms: 3_600_000 } })
    expect(await outcomes(other, 'user.get', 40)).toEqual(first)
    expect(await outcomes(another, 'user.get', 40)).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 429, 'none']))
  })

  it('spares requests that ask for it, and draws nothing for them', async () => {
    const profile = { too_many_requests: 0.5, lost_answers: 0.5 }
    await using emulator = await startEmulator({ chaos: { seed: 7, profile } })
    await using world = await emulator.world()
    for (let at = 0; at < 20; at += 1) await world.client.call('user.get')
    const { counts } = await world.control.chaos()
    expect(counts).toMatchObject([
      { chances: 0, fired: 0 },
      { chances: 0, fired: 0 },
    ])
    const program = world.client.with({ calm: false })
    const seen = await Promise.allSettled(Array.from({ length: 20 }, () => program.call('user.get')))
    expect(seen.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(5)
    const headers = { Authorization: `Bearer ${world.token}`, 'X-Emulator-Chaos': 'off' }
    for (let at = 0; at < 20; at += 1) {
      expect((await fetch(`${world.baseUrl}/api/user`, { headers })).status).toBe(200)
    }
  })

  it('continues after a reset, and is counted', async () => {
    const profile = { too_many_requests: 0.4 }
    const [one, other] = [await startWorld(calm(profile)), await startWorld(calm(profile))]
    const whole = await outcomes(one, 'user.get', 30)
    const before = await outcomes(other, 'user.get', 15)
    await other.steer('control.reset')
    expect([...before, ...(await outcomes(other, 'user.get', 15))]).toEqual(whole)
    const counts = [{ kind: 'too_many_requests', chances: 30, fired: whole.filter((status) => status === 429).length }]
    expect(await other.steer('control.chaos')).toMatchObject({ seed: 7, profile: 'custom', counts })
    expect((await other.steer('control.report')).chaos).toMatchObject({ seed: 7, profile: 'custom', counts })
  })

  it('draws differently in each world of an emulator; a world can have its own setting', async () => {
    const here = await startWorld(calm({ too_many_requests: 0.5 }))
    const own = { seed: 3, profile: { unavailable: 1, retry_after_s: 9 } }
    const [a, b, c, none] = [
      await here.make({ name: 'a' }),
      await here.make({ name: 'b' }),
      await here.make({ chaos: own }),
      await here.make({ chaos: null }),
    ]
    expect(await outcomes(a, 'user.get', 30)).not.toEqual(await outcomes(b, 'user.get', 30))
    const [first, second] = [await here.make({ rng_stream: 'a' }), await here.make({ rng_stream: 'a' })]
    expect(await outcomes(first, 'user.get', 30)).toEqual(await outcomes(second, 'user.get', 30))
    expect(await outcomes(none, 'user.get', 20)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(await none.steer('control.chaos')).toEqual({ seed: null, profile: null, counts: [], faults: [] })
    expect((await outcomes(c, 'accounts.list', 4)).slice(0, 3)).toEqual([503, 503, 503])
    expect(await outcomes(c, 'user.get', 1)).toEqual([200]) // the endpoint has no 503
    await here.steer('control.worlds.delete', { params: { name: c.made.name } })
    expect((await here.steer('control.report')).chaos.counts).toContainEqual({
      kind: 'unavailable',
      chances: 4,
      fired: 3,
    })
  })

  it('lets a request through that has met enough of it, by its key', async () => {
    const { client, colones } = await startWorld(calm({ lost_answers: 1, most_in_a_row: 2 }))
    const pay = (key: string) =>
      client
        .call('payments.create', {
          headers: { 'X-Idempotency-Key': key },
          body: { source_account_id: colones, amount: 100, recipient_phone: '87000001' },
        })
        .then(
          ({ id }) => id,
          () => null,
        )
    const tries = [await pay('a'), await pay('b'), await pay('a'), await pay('b'), await pay('a'), await pay('b')]
    expect(tries).toEqual([null, null, null, null, expect.any(String), expect.any(String)])
    expect(tries[4]).not.toBe(tries[5])
  })

  it('has OAuth tokens expire early, until they are refreshed, and lets those of the dashboard live', async () => {
    await using emulator = await startEmulator(calm({ expired_tokens: 1, most_in_a_row: 1 }))
    const app = new OAuthApp(emulator)
    const { access_token, refresh_token } = await app.signIn()
    const ask = (token: string) =>
      fetch(`${emulator.baseUrl}/api/user`, { headers: { Authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      )
    expect([await ask(access_token), await ask(access_token)]).toEqual([401, 401])
    const { body } = await app.refresh(refresh_token)
    expect(await ask((body as { access_token: string }).access_token)).toBe(200)
    await emulator.client.call('user.get')
  })

  it('that expires a token in a fork does not take it for the token of the world that the fork was made from', async () => {
    await using emulator = await startEmulator(calm({ expired_tokens: 1, most_in_a_row: 1 }))
    const { access_token } = await new OAuthApp(emulator).signIn()
    const { base_url } = await emulator.control.worlds.create({ from: { world: 'default' } })
    const { status } = await fetch(`${base_url}/api/user`, { headers: { Authorization: `Bearer ${access_token}` } })
    expect(status).toBe(401)
    expect((await emulator.control.report()).violations.count).toBe(0)
  })

  it('puts one rail out of order for some requests, as its status says', async () => {
    const { client, pay } = await startWorld(calm({ rail_outages: 1, outage_requests: 4 }))
    const status = await client.call('payments.serviceStatus')
    expect(status.overall_status).toBe('partial')
    const made = [await pay({ recipient_phone: '87000001' }), await pay({ recipient_phone: '87000001' })]
    expect(made.every(({ status }) => status === 'pending' || status === 'service_unavailable')).toBe(true)
    const seen = new Set<string>()
    for (let at = 0; at < 30; at += 1) seen.add((await client.call('payments.serviceStatus')).pin_service.status)
    expect(seen).toEqual(new Set(['online', 'offline']))
    expect((await client.call('user.get')).id).toBeTruthy()
  })

  it('spares the login and the control endpoints', async () => {
    await using emulator = await startEmulator(calm({ lost_answers: 1, most_in_a_row: 1000 }))
    expect((await new OAuthApp(emulator).signIn()).access_token).toBeTruthy()
    expect((await emulator.control.state()).users).toBeGreaterThan(0)
  })
})
