import { describe, expect, test } from 'vitest'
import { type EndpointId, endpoints, idempotencyHeader } from '../../../../src/contract/index.ts'
import type { Answer } from '../../api.ts'
import { documented } from '../../documented.ts'
import { aKey } from '../../fixture.ts'
import { endpointIds, nobodysId, requestTo } from '../../requests.ts'
import type { Suite } from '../../suite.ts'

const refusing = (status: number): readonly EndpointId[] =>
  endpointIds.filter((id) => documented[id]?.statuses.includes(status))

/**
 * For these lookups the interface names only the scopes of other endpoints, so it leaves open who may use the lookups.
 */
const openToWhom: readonly EndpointId[] = ['phone.information', 'iban.information']

export function accessCases(suite: Suite): void {
  /** A request in which only the token can be wrong. */
  const ask = async (id: EndpointId, token: string | null): Promise<Answer> => {
    const [method, path] = requestTo(id)
    const { fixture } = suite
    const order = () => ({
      source_account_id: fixture.colones.id,
      amount: 1,
      recipient_iban: fixture.savings.iban,
    })
    const body = id === 'payments.create' || id === 'payments.validate' ? { body: order() } : {}
    const url = id.startsWith('accounts.') ? path.replace(nobodysId, fixture.colones.id) : path
    return suite.api.request(method, url, { token, headers: { [idempotencyHeader]: aKey() }, ...body })
  }
  const otherProvider = (id: EndpointId, { status }: Answer) =>
    id === 'fx.upstream' && status === 404 && !suite.world.emulated

  describe('the interface: access', () => {
    test.for(refusing(401).map((id) => [requestTo(id).join(' '), id] as const))(
      '%s is 401 without a token, and with a wrong one',
      async ([, id], { skip }) => {
        for (const token of [null, 'no-such-token']) {
          const answer = await ask(id, token)
          skip(otherProvider(id, answer), 'the path has the name of another rate provider')
          expect(answer.status).toBe(401)
        }
      },
    )

    test.each([
      ['an empty token', 'Bearer '],
      ['no scheme', 'no-such-token'],
      ['another scheme', 'Basic cGF5Y3RsOnBheWN0bA=='],
      ['SQL for a token', "Bearer ' OR '1'='1"],
    ])('%s is 401', async (_, authorization) => {
      const answer = await suite.api.get('/api/user', { token: null, headers: { Authorization: authorization } })

      expect(answer.status).toBe(401)
    })

    test.for(
      refusing(403)
        .filter((id) => !openToWhom.includes(id))
        .map((id) => [`${endpoints[id].method} ${endpoints[id].path}`, id] as const),
    )('%s is 403 to a token without the scope', async ([, id], { skip }) => {
      const given = process.env.CONFORMANCE_LIMITED_TOKEN
      const { control } = suite.world
      skip(!given && !control, 'needs a token with no scope but read-user in CONFORMANCE_LIMITED_TOKEN')
      const answer = await ask(id, given ?? (await control?.mint(['read-user'])) ?? null)

      skip(otherProvider(id, answer), 'the path has the name of another rate provider')
      expect(answer.status).toBe(403)
    })
  })
}
