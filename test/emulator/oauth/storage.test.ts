import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { credentials, startOAuthApp } from './oauth_app.ts'

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-oauth-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('no code, token or client secret is saved in plain text', async () => {
  const folder = dataFolder()
  const app = await startOAuthApp({ data: join(folder, 'world.db') })
  const code = await app.code()
  const unused = await app.code()
  const first = (await app.exchange(code)).body
  const second = (await app.refresh(first.refresh_token)).body
  const { client_secret } = await app.register()
  await app.emulator.close()

  const kept = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name)))).toString('latin1')

  expect(kept).toContain('authorizations')
  const secrets = [code, unused, client_secret, credentials.client_secret]
  for (const { access_token, refresh_token } of [first, second]) secrets.push(access_token, refresh_token)
  for (const secret of secrets) expect(kept.includes(secret)).toBe(false)
})

test('codes and tokens outlive a restart, and so does what was used up', async () => {
  const data = join(dataFolder(), 'world.db')
  const before = await startOAuthApp({ data })
  const code = await before.code()
  const first = await before.signIn()
  const second = (await before.refresh(first.refresh_token)).body
  await before.emulator.close()

  const after = await startOAuthApp({ data })

  expect(await after.asked(second.access_token)).toMatchObject({ status: 200 })
  expect((await after.exchange(code)).status).toBe(200)
  expect((await after.exchange(code)).body.error).toBe('invalid_grant')
  expect((await after.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
  expect(await after.asked(second.access_token)).toMatchObject({ status: 401 })
})

test('the ids of tokens that were removed with their client are given to no other token, even after a restart', async () => {
  const data = join(dataFolder(), 'world.db')
  const before = await startOAuthApp({ data })
  const { id } = await before.emulator.control.tokens.mint({})
  const client = await before.register()
  const issued = 3
  for (let count = 0; count < issued; count += 1) {
    const code = await before.code({ client_id: client.client_id })
    expect((await before.exchange(code, client)).status).toBe(200)
  }
  await before.emulator.control.clients.remove({ client_id: client.client_id })
  await before.emulator.close()

  const after = await startOAuthApp({ data })

  expect((await after.emulator.control.tokens.mint({})).id).toBeGreaterThan(id + issued)
})
