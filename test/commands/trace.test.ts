import { afterAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { at, runPayctl } from '../support/run_payctl.ts'
import { startStub, success } from '../support/stub.ts'

const controlToken = 'control-token-of-the-test'
const emulator = await startEmulator({ controlToken })
afterAll(() => emulator.close())
const account = emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''
const env = {
  PAYCTL_BASE_URL: emulator.baseUrl,
  PAYCTL_TOKEN: emulator.token,
  PAYCTL_CONTROL_TOKEN: controlToken,
  NO_COLOR: '1',
}

const secrets = {
  token: emulator.token,
  'client secret': emulator.clientSecret,
  'control token': controlToken,
  'header of a subscription': 's3cret-of-the-receiver',
  'code in a URL': 's3cret-code',
  'API key of a header': 's3cret-api-key',
}

const subscribe = [
  ...['-F', 'url=https://example.com/hook?code=s3cret-code&page=1', '-F', 'events[]=payment.completed'],
  ...['-F', 'headers[X-Receiver]=s3cret-of-the-receiver'],
]

const commands: readonly (readonly string[])[] = [
  ['user'],
  ['accounts', 'list', '--all'],
  ['payments', 'send', '--from', account, '--to', '87000006', '--amount', '5', '--yes', '--idempotency-key', 'key-17'],
  ['payments', 'history'],
  ['phone', '87000006', '87000013'],
  ['api', 'webhooks.create', ...subscribe],
  ['api', 'webhooks.list'],
  ['api', 'user.get', '-H', 'X-Api-Key: s3cret-api-key', '-H', 'Cookie: sid=s3cret-api-key'],
  ['api', 'user.get', '-H', 'Authorization: Basic s3cret-api-key'],
  ['emulator', 'status'],
  ['emulator', 'users'],
]

describe('the trace of -v', () => {
  it.each(commands.map((command) => [command.join(' '), command] as const))(
    'holds no secret: %s',
    async (_, command) => {
      const { stderr } = await runPayctl([...command, '--verbose'], { env })
      expect(stderr).toContain('> ')
      for (const [name, secret] of Object.entries(secrets)) {
        expect({ name, found: stderr.includes(secret) || stderr.includes(encodeURIComponent(secret)) }).toEqual({
          name,
          found: false,
        })
      }
    },
  )

  it('shows what is not a secret', async () => {
    const { stderr } = await runPayctl([...(commands[2] ?? []), '--verbose'], { env })
    expect(stderr).toContain('> X-Idempotency-Key: key-17')
    const { stderr: subscribed } = await runPayctl(['api', 'webhooks.create', ...subscribe, '-v'], { env })
    expect(subscribed).toContain('"url":"https://example.com/hook?code=***&page=1"')
    expect(subscribed).toContain('"headers":{"X-Receiver":"***"}')
  })

  it('hides a token that is made', async () => {
    const { code, stdout, stderr } = await runPayctl(['emulator', 'token', '--json', '--verbose'], { env })
    expect(code).toBe(0)
    const { access_token, token } = JSON.parse(stdout)
    expect(stderr).toContain('> POST ')
    expect(stderr).not.toContain(access_token ?? token)
  })

  it('hides what OAuth keeps secret, in every form a body can have', async () => {
    const names = ['access_token', 'refresh_token', 'client_secret', 'code_verifier', 'code', 'password', 'id_token']
    const pairs = Object.fromEntries(names.map((name, n) => [name, `s3cret-${n}`]))
    const form = new URLSearchParams(pairs).toString()
    const bodies = [JSON.stringify({ data: pairs }), form, JSON.stringify(pairs).slice(0, -3), `<a href="/cb?${form}">`]
    for (const body of bodies) {
      const stub = await startStub([200, body])
      const { stderr } = await runPayctl(['api', `x?${form}`, '-v'], at(stub.url))
      expect(stderr).toContain('code_verifier')
      expect(stderr).not.toContain('s3cret')
    }
  })

  it('hides the headers of a subscription where the body is cut off', async () => {
    const body = '{"data":{"headers":{"X-Receiver":"s3cret-1","Y":"s3cret-2"},"url":"https://u:s3cret-3@example.com'
    const stub = await startStub([200, `${body}/x"`])
    const { stderr } = await runPayctl(['api', 'x', '-v'], at(stub.url))
    expect(stderr).toContain('"url":"https://***@example.com/x"')
    expect(stderr).not.toContain('s3cret')
  })

  it('hides the token that an answer repeats', async () => {
    const { env } = at('')
    const stub = await startStub([200, success({ echo: `Bearer ${env.PAYCTL_TOKEN}` }), { 'X-Echo': env.PAYCTL_TOKEN }])
    const { stderr } = await runPayctl(['user', '-v'], at(stub.url))
    expect(stderr).not.toContain(env.PAYCTL_TOKEN)
  })
})
