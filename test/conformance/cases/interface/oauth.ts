import { describe, expect, test } from 'vitest'
import { OAuthApi } from '../../oauth_api.ts'
import type { Suite } from '../../suite.ts'

const nobody = { client_id: 'nobody', client_secret: 'wrong' }

/** Tests that need no person to log in. The whole flow is in `oauth.ts`, for emulators. */
export function oauthInterfaceCases(suite: Suite): void {
  const grants = [
    ['authorization_code', { code: 'none', redirect_uri: 'http://127.0.0.1/' }],
    ['refresh_token', { refresh_token: 'none' }],
  ] as const
  type Skip = (condition: boolean, note: string) => void
  const server = (skip: Skip): OAuthApi => {
    skip(suite.world.oauth === null, 'needs --auth-url')
    return new OAuthApi(suite.world, suite.seen)
  }
  const registered = (skip: Skip) => {
    const client = suite.world.oauth?.client
    skip(!client, 'needs --client-id, and its secret in CONFORMANCE_CLIENT_SECRET')
    return { client_id: client?.id, client_secret: client?.secret }
  }

  describe('the interface: OAuth', () => {
    test.for(grants)('%s of a client nobody registered is invalid_client', async ([grant_type, more], { skip }) => {
      const { body } = await server(skip).token({ grant_type, ...nobody, ...more })

      expect(body.error).toBe('invalid_client')
      expect(body.message).toMatch(/\w/)
    })

    test.for(grants)('%s with a wrong secret is invalid_client', async ([grant_type, more], { skip }) => {
      const oauth = server(skip)
      const client = { ...registered(skip), client_secret: 'wrong' }

      expect((await oauth.token({ grant_type, ...client, ...more })).body.error).toBe('invalid_client')
    })

    test('a code nobody issued is invalid_grant', async ({ skip }) => {
      const oauth = server(skip)
      const [[grant_type, more]] = grants

      expect((await oauth.token({ grant_type, ...registered(skip), ...more })).body.error).toBe('invalid_grant')
    })
  })
}
