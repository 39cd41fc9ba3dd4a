import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { announcementOf } from '../../config/ready.ts'
import { crcAccount } from '../../e2e/machine.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

/** An emulator that this machine knows, and requests to it. */
async function start() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const state = await temporaryDirectory()
  announce(state, announcementOf(emulator))
  const env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config'), NO_COLOR: '1' }
  const payctl = (line: string) => runPayctl(line.split(' '), { env })
  const done = async (line: string) => {
    const { code, stdout, stderr } = await payctl(line)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const send = async (path: string, init: RequestInit = {}, token = emulator.token) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers }
    const { status } = await fetch(`${emulator.baseUrl}${path}`, { ...init, headers })
    return status
  }
  const pay = (key: string, description: string) => {
    const order = { source_account_id: crcAccount(emulator), amount: 1000, recipient_phone: '87000001', description }
    return send('/api/payments', { method: 'POST', body: JSON.stringify(order), headers: { 'X-Idempotency-Key': key } })
  }
  return { emulator, state, payctl, done, send, pay }
}

const hostile = `It's $HOME \`id\` "quoted" \\ {{token}} ${'\u202e'}é`

describe('payctl emulator requests --as', () => {
  it('prints curl commands that repeat the requests exactly', async () => {
    const { emulator, done, send, pay } = await start()
    await pay('key-1', hostile)
    await send('/api/accounts?page=1&per_page=2')
    await send('/api/accounts/{id}')
    await fetch(`${emulator.baseUrl}/api/payments/service-status`)
    const script = await done('emulator requests --as curl')
    expect(script).not.toContain(emulator.token)
    expect(script).not.toContain('\u202e')
    expect(script.match(/^# .*/gm)).toEqual([
      '# r1 payments.create: 201',
      '# r2 accounts.list: 200',
      '# r3 accounts.get: 422',
      '# r4 payments.serviceStatus: 200',
    ])
    await execa('sh', ['-c', script], { env: { PAYCTL_TOKEN: emulator.token } })
    const before = await emulator.control.requests.get({ id: 'r1' })
    const again = await emulator.control.requests.get({ id: 'r5' })
    expect(again).toMatchObject({ replayed: true, body: before.body, idempotency_key: 'key-1' })
    const { data } = await emulator.control.requests.list({ since: 5 })
    const parts = ({ path, query, status }: (typeof data)[number]) => ({ path, query, status })
    const first = (await emulator.control.requests.list({ since: 1, per_page: 3 })).data
    expect(data.map(parts)).toEqual(first.map(parts))
  })

  it('quotes any description for the shell', async () => {
    const { emulator, done, pay } = await start()
    const text = fc.string({ unit: fc.constantFrom(...'ab \'"$`\\!*?~#&|;<>(){}[]\n%@'), minLength: 1, maxLength: 40 })
    const keys = fc.sample(text, { numRuns: 12, seed: 7 }).map((description, at) => ({ key: `k${at}`, description }))
    for (const { key, description } of keys) await pay(key, description)
    await execa('sh', ['-c', await done('emulator requests --all --as curl')], {
      env: { PAYCTL_TOKEN: emulator.token },
    })
    for (const at of keys.keys()) {
      const [sent, again] = [`r${at + 1}`, `r${at + 1 + keys.length}`].map((id) =>
        emulator.control.requests.get({ id }),
      )
      expect((await again)?.body).toEqual((await sent)?.body)
    }
  })

  it('prints one, with its secrets as variables', async () => {
    const { emulator, done } = await start()
    const { baseUrl, clientId, clientSecret } = emulator
    const form = {
      grant_type: 'refresh_token',
      refresh_token: "a 'secret'",
      client_id: clientId,
      client_secret: clientSecret,
    }
    await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams({ ...form, '$(id)': '1' }) })
    expect(await done('emulator requests show r1 --as curl')).toBe(
      [
        '# r1 oauth.token: 400',
        '# Replace ***: the log hides this value.',
        'curl -sS \\',
        '  -X POST \\',
        `  ${baseUrl}/oauth/token \\`,
        '  --data-urlencode grant_type=refresh_token \\',
        '  --data-urlencode "refresh_token=$PAYCTL_REFRESH_TOKEN" \\',
        `  --data-urlencode client_id=${clientId} \\`,
        '  --data-urlencode "client_secret=$PAYCTL_CLIENT_SECRET" \\',
        "  --data-urlencode '$(id)=***'",
        '',
      ].join('\n'),
    )
    expect(await done('emulator requests show r1 --as http')).toBe(
      [
        `@base_url = ${baseUrl}`,
        '',
        '### r1 oauth.token: 400',
        '# Replace ***: the log hides this value.',
        'POST {{base_url}}/oauth/token',
        'Content-Type: application/x-www-form-urlencoded',
        '',
        `grant_type=refresh_token&refresh_token={{refresh_token}}&client_id=${clientId}&client_secret={{client_secret}}&%24(id)=***`,
        '',
      ].join('\n'),
    )
  })

  it('has a variable for the token of each user, and says where a body is missing', async () => {
    const { emulator, done, send, pay } = await start()
    const { id } = await emulator.control.users.create({ name: 'Leo Mora' })
    const { token } = await emulator.control.tokens.mint({ user: id })
    await pay('key-1', 'Order 1 of the shop')
    await send('/api/user', {}, token)
    await send('/api/payments', { method: 'POST', body: '{' })
    const text = await done('emulator requests --as http --limit 3')
    expect(text).toContain(
      '### r1 payments.create: 201\nPOST {{base_url}}/api/payments\nAuthorization: Bearer {{token}}',
    )
    expect(text).toContain('GET {{base_url}}/api/user\nAuthorization: Bearer {{token_2}}\n')
    expect(text).toContain('# The log has no body: the request had none, or one of more than 4 KiB.\nPOST')
  })

  it('refuses another format', async () => {
    const { payctl } = await start()
    expect(await payctl('emulator requests --as curl --json')).toMatchObject({ code: 2, stdout: '' })
    expect(await payctl('emulator requests --as wget')).toMatchObject({ code: 2, stdout: '' })
    expect(await payctl('emulator requests --as curl')).toMatchObject({ code: 0, stdout: '', stderr: 'No requests.\n' })
  })
})

describe('payctl emulator export --har and --postman', () => {
  it('write the requests of the log, without secrets, and replace no file', async () => {
    const { emulator, state, payctl, done, pay } = await start()
    await pay('key-1', hostile)
    for (const format of ['har', 'postman']) {
      const file = join(state, `requests.${format}`)
      expect(await done(`emulator export --${format}`)).toContain('{{token}}')
      await done(`emulator export --${format} ${file}`)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain(emulator.token)
      writeFileSync(file, 'mine')
      expect(await payctl(`emulator export --${format} ${file}`)).toMatchObject({ code: 2 })
      expect(readFileSync(file, 'utf8')).toBe('mine')
      await done(`emulator export --${format} ${file} --force`)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toBeTypeOf('object')
    }
    expect(await payctl('emulator export --har --postman')).toMatchObject({ code: 2 })
  })
})
