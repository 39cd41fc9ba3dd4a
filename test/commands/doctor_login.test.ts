import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Credentials } from '../../src/auth/credentials.ts'
import type { FindingRow } from '../../src/commands/doctor/finding.ts'
import { fromNow } from '../auth/logged_in.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { failure, startStub, success } from '../support/stub.ts'
import { account, page } from './completion/accounts.ts'

const secrets = ['access-token-of-ana', 'refresh-token-of-ana', 'secret-of-the-client']

const rail = { status: 'online', available: true, message: '' }
const rails = { overall_status: 'online', pin_service: rail, sinpe_service: rail, last_checked: 'now' }

/** A login that is valid for an hour, with these changes. */
const loginAt = (url: string, changes: Partial<Credentials>): Credentials => ({
  kind: 'oauth',
  base_url: url,
  auth_url: url,
  access_token: 'access-token-of-ana',
  refresh_token: 'refresh-token-of-ana',
  client_id: 'me',
  client_secret: 'secret-of-the-client',
  obtained_at: fromNow(0),
  expires_at: fromNow(3600_000),
  scopes: ['read-user', 'read-accounts'],
  user: { id: 'u', name: 'Ana', email: 'ana@example.com' },
  ...changes,
})

/** A machine with a login at a service that has an account, and accepts every token except `token-that-is-refused`. */
async function loggedIn(changes: Partial<Credentials> = {}, text?: string) {
  const { url, received } = await startStub((response, { url: path = '', headers }) => {
    const refused = headers.authorization === 'Bearer token-that-is-refused'
    const body = refused
      ? failure('Unauthenticated.')
      : success(path.includes('service-status') ? rails : page([account]))
    response.writeHead(refused ? 401 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const [configDir, stateDir] = [await temporaryDirectory(), await temporaryDirectory()]
  const file = join(configDir, 'credentials.json')
  mkdirSync(configDir, { recursive: true })
  const content = text ?? JSON.stringify({ version: 1, profiles: { default: loginAt(url, changes) } })
  writeFileSync(file, content, { mode: 0o600 })
  const env = { PAYCTL_BASE_URL: url, PAYCTL_CONFIG_DIR: configDir, PAYCTL_STATE_DIR: stateDir }
  const examine = async (more: Readonly<Record<string, string>> = {}) => {
    const { code, stdout } = await runPayctl(['doctor', '--json'], { env: { ...env, ...more } })
    for (const secret of secrets) expect(stdout).not.toContain(secret)
    expect(readFileSync(file, 'utf8')).toBe(content)
    const findings = JSON.parse(stdout) as FindingRow[]
    return { code, of: (check: string) => findings.find((finding) => finding.check === check) }
  }
  return { env, file, received, examine }
}

describe('doctor on a login', () => {
  it('says whose it is and until when, and what it was granted for', async () => {
    const { examine, file, received } = await loggedIn()
    const { code, of } = await examine()
    expect(code).toBe(0)
    expect(of('credentials')).toMatchObject({ status: 'ok', detail: file })
    expect(of('login')).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^login of Ana, until 20/) })
    expect(of('token')).toMatchObject({ status: 'ok' })
    expect(of('scopes')).toMatchObject({ status: 'warn', detail: expect.stringContaining('lacks manage-accounts') })
    expect(received.some(({ headers }) => headers.authorization === 'Bearer access-token-of-ana')).toBe(true)
  })

  it('warns of a file that others can read, and leaves its mode to its owner', async () => {
    const { examine, file } = await loggedIn()
    chmodSync(file, 0o644)
    const { code, of } = await examine()
    expect(code).toBe(0)
    expect(of('credentials')).toMatchObject({ status: 'warn', hint: `chmod 600 ${file}` })
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  it.each([
    ['has ended', { expires_at: fromNow(-1000), renewal_refused_at: fromNow(-500) }, /it ended at/],
    [
      'ended and can’t be renewed',
      { kind: 'dashboard', expires_at: fromNow(-1000), refresh_token: undefined },
      /ended/,
    ],
    ['is at another service', { base_url: 'https://api.example.com' }, /is not sent to/],
  ] as const)('fails when it %s, and sends nothing of it', async (_, changes, detail) => {
    const { examine, received } = await loggedIn(changes as Partial<Credentials>)
    const { code, of } = await examine()
    expect(code).toBe(4)
    expect(of('login')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(detail),
      hint: expect.any(String),
    })
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  it('does not renew it', async () => {
    const { examine, received } = await loggedIn({ expires_at: fromNow(-1000) })
    const { code, of } = await examine()
    expect(code).toBe(0)
    expect(of('login')).toMatchObject({ status: 'ok', detail: expect.stringContaining('the next command renews it') })
    expect(received).toHaveLength(1)
  })

  it('fails on a file that is damaged, without repeating it', async () => {
    const { examine } = await loggedIn({}, '{"access_token": "access-token-of-ana"')
    const { code, of } = await examine()
    expect(code).toBe(2)
    expect(of('credentials')).toMatchObject({ status: 'fail', hint: expect.stringContaining('log in again') })
  })

  it('does not judge it where a token is given', async () => {
    const { examine } = await loggedIn({ base_url: 'https://api.example.com' })
    const { code, of } = await examine({ PAYCTL_TOKEN: 'token-of-the-test' })
    expect(code).toBe(0)
    expect(of('login')).toBeUndefined()
  })

  it('is exit 4 where the service refuses its token', async () => {
    const { examine } = await loggedIn({ access_token: 'token-that-is-refused' })
    const { code, of } = await examine()
    expect(code).toBe(4)
    expect(of('login')).toMatchObject({ status: 'ok' })
    expect(of('token')).toMatchObject({ status: 'fail', hint: expect.stringContaining('payctl login') })
  })

  it('says what to type for the profile that was named', async () => {
    const { env, file, examine } = await loggedIn()
    const profiles = { prod: { base_url: env.PAYCTL_BASE_URL } }
    writeFileSync(join(dirname(file), 'config.json'), JSON.stringify({ profiles }))
    const prod = { PAYCTL_PROFILE: 'prod' }
    expect((await examine(prod)).of('token')?.hint).toBe('payctl login --profile prod')
    const refused = await examine({ ...prod, PAYCTL_TOKEN: 'token-that-is-refused' })
    expect(refused.of('token')?.hint).toContain('payctl login --profile prod')
  })
})

describe('completion with a login', () => {
  it('asks with its token, and not when that is past its time: a Tab renews nothing', async () => {
    const fresh = await loggedIn()
    const stale = await loggedIn({ expires_at: fromNow(-1000) })
    const line = ['__complete', 'line', 'payctl accounts get ']
    expect((await runPayctl(line, { env: fresh.env })).stdout).toContain(account.id)
    expect(await runPayctl(line, { env: stale.env })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(fresh.received.map(({ url }) => url)).toEqual(['/api/accounts?per_page=100'])
    expect(stale.received).toEqual([])
  })
})
