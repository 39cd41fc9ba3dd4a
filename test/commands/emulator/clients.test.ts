import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { oauthClient } from '../../../src/commands/emulate/values.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

describe('payctl emulator clients', () => {
  it('adds clients with a given secret, a generated one, or none, lists and removes them', async () => {
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const file = join(await temporaryDirectory(), 'secret')
    writeFileSync(file, 'shop-secret\n')
    const read = async (...argv: readonly string[]) => {
      const { code, stdout, stderr } = await runPayctl(
        ['emulator', 'clients', ...argv, '--json', '--base-url', emulator.baseUrl],
        { env: { PAYCTL_STATE_DIR: await temporaryDirectory() } },
      )
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout)
    }
    const uri = ['--redirect-uri', 'https://shop.example/callback', 'http://127.0.0.1/callback']
    expect(await read('add', 'shop', ...uri, '--name', 'La Tienda', '--secret-file', file)).toMatchObject({
      ...{ client_id: 'shop', name: 'La Tienda', public: false, client_secret: 'shop-secret' },
      redirect_uris: ['https://shop.example/callback', 'http://127.0.0.1/callback'],
    })
    expect(await read('add', 'other', ...uri, '--scopes', 'read-user')).toMatchObject({
      ...{ client_id: 'other', name: 'other', scopes: ['read-user'] },
      client_secret: expect.stringMatching(/^payctl_client_[\w-]{43}$/),
    })
    const wallet = await read('add', 'wallet', '--public', '--redirect-uri', 'com.example.wallet:/callback')
    expect(wallet).toMatchObject({ public: true, client_secret: null })
    await read('remove', 'other')
    const all = await read()
    expect(all.map(({ client_id }: { client_id: string }) => client_id)).toEqual(['payctl', 'shop', 'wallet'])
    expect(JSON.stringify(all)).not.toContain('shop-secret')
  })
})

describe('--oauth-client', () => {
  it.each([
    ['shop:s@https://shop.example/cb', { id: 'shop', secret: 's', redirectUris: ['https://shop.example/cb'] }],
    ['app@com.example.app:/cb', { id: 'app', redirectUris: ['com.example.app:/cb'] }],
    ['a:b:c@http://u@h/cb?x=@:', { id: 'a', secret: 'b:c', redirectUris: ['http://u@h/cb?x=@:'] }],
    ['a%3Ab:c%40d%25@http://[::1]/cb', { id: 'a:b', secret: 'c@d%', redirectUris: ['http://[::1]/cb'] }],
    ['a:b@http://x/%40 http://y/', { id: 'a', secret: 'b', redirectUris: ['http://x/%40', 'http://y/'] }],
  ])('%s', (text, client) => {
    expect(oauthClient(text)).toEqual([client])
    expect(oauthClient('one@http://one/', oauthClient(text))).toHaveLength(2)
  })

  it.each(['', 'shop', 'shop:secret', '@http://x/', ':b@http://x/', 'a:@http://x/', 'a:b@', 'a:b@ ', 'a:%@http://x/'])(
    '%j is refused',
    (text) => expect(() => oauthClient(text)).toThrow(/^(Give|Write)/),
  )

  it('takes an id once', () => {
    expect(() => oauthClient('a:b@http://x/', oauthClient('a@http://y/'))).toThrow(/given twice/)
  })

  it('is refused with a usage error if its redirect URI or id is not valid', async () => {
    for (const client of ['shop:secret@javascript:alert(1)', 'payctl:secret@https://shop.example/']) {
      const { code, stderr } = await runPayctl(['emulate', '--port', '0', '--oauth-client', client])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--oauth-client takes') })
      expect(stderr).not.toContain('secret@')
    }
  })
})
