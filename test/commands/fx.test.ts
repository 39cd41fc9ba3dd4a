import { describe, expect, it } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { startPayctl } from '../support/payctl_process.ts'
import { failure, type Reply, startStub, success } from '../support/stub.ts'

const rate = {
  bid: 498.1234567,
  ask: 1e-7,
  last_updated_utc: '2026-01-05T12:00:00-06:00',
  source: 'https://bank.example',
}

const stubbed = async (reply: Reply) => {
  const stub = await startStub(reply)
  return { service: { baseUrl: stub.url, token: 'token-of-the-test' }, stub }
}

describe('fx', () => {
  it('alone prints the rates', async () => {
    const { service, stub } = await stubbed([200, success(rate)])
    expect(JSON.parse((await startPayctl(service, ['fx', '--json'])).stdout)).toEqual(rate)
    expect(stub.received[0]?.url).toBe('/api/fx/rates')
  })

  it('rates have the service’s spread, upstream has none', async () => {
    const { emulator } = await startWorld({ fxSpread: 0.1 })
    const [spread, plain] = await Promise.all(
      ['rates', 'upstream'].map(async (verb) =>
        JSON.parse((await startPayctl(emulator, ['fx', verb, '--json'])).stdout),
      ),
    )
    expect(spread.bid).toBeLessThan(plain.bid)
    expect(spread.ask).toBeGreaterThan(plain.ask)
  })

  it('prints numbers as they came', async () => {
    const { service } = await stubbed([200, success(rate)])
    const json = await startPayctl(service, ['fx', 'rates', '--json'])
    expect(JSON.parse(json.stdout)).toEqual(rate)
    const tsv = await startPayctl(service, ['fx', 'rates'])
    expect(tsv.stdout).toBe(
      'bid\task\tlast_updated_utc\tsource\n498.1234567\t1e-7\t2026-01-05T12:00:00-06:00\thttps://bank.example\n',
    )
  })

  it.each([
    [[], {}, 'upstream'],
    [[], { PAYCTL_FX_PROVIDER: 'bccr' }, 'bccr'],
    [['--provider', 'hacienda_2'], { PAYCTL_FX_PROVIDER: 'bccr' }, 'hacienda_2'],
  ])('upstream with %j and %j asks for %s', async (flags, env, provider) => {
    const { service, stub } = await stubbed([200, success(rate)])
    const { exitCode } = await startPayctl(service, ['fx', 'upstream', ...flags], { env })
    expect({ exitCode, url: stub.received[0]?.url }).toEqual({ exitCode: 0, url: `/api/fx/${provider}-rates` })
  })

  it.each(['../user', 'BCCR', ''])('a provider named %j is refused before any request', async (provider) => {
    const { service, stub } = await stubbed([200, success(rate)])
    const { exitCode, stderr } = await startPayctl(service, ['fx', 'upstream', '--provider', provider])
    expect({ exitCode, requests: stub.received.length }).toEqual({ exitCode: 2, requests: 0 })
    expect(stderr).toContain('lower case letters')
  })

  it('upstream with another provider ends with exit 3 and names the setting of the profile', async () => {
    const { emulator } = await startWorld({ fxProvider: 'acme' })
    const asked = await startPayctl(emulator, ['fx', 'upstream', '--provider', 'acme', '--verbose'])
    expect({ exitCode: asked.exitCode, stderr: asked.stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('"message":"Acme exchange rates retrieved successfully"'),
    })

    const { exitCode, stdout, stderr } = await startPayctl(emulator, ['fx', 'upstream', '--json'])

    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_found',
      status: 404,
      message: expect.stringContaining('rate provider may have a name other than upstream'),
      hint: expect.stringMatching(/payctl profiles set \S+ --fx-provider <name>/),
    })
  })

  it('a provider’s name is in the service’s message', async () => {
    const { emulator, steer, client } = await startWorld({ fxProvider: 'acme' })
    expect((await client.answer('fx.upstream', { params: { provider: 'acme' } })).message).toBe(
      'Acme exchange rates retrieved successfully',
    )
    await steer('control.fx.set', { body: { offline: true } })
    const { stderr } = await startPayctl(emulator, ['fx', 'upstream', '--provider', 'acme', '--retries', '0'])
    expect(stderr).toContain('error: Acme exchange rates are currently unavailable\n')
  })

  it.each(['rates', 'upstream'])('%s that are out of order end with exit 12, said by the service', async (verb) => {
    const message = 'Exchange rates are currently unavailable'
    const { service } = await stubbed([503, failure(message)])
    const { exitCode, stdout, stderr } = await startPayctl(service, ['fx', verb, '--retries', '0'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' })
    expect(stderr).toContain(`error: ${message}\n`)
  })
})
