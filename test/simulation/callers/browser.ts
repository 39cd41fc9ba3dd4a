import { createConnection } from '../../../src/client/connection.ts'
import { exchange } from '../../../src/client/exchange.ts'
import { allScopes } from '../../../src/contract/index.ts'
import { machine, Process } from '../machine/machine.ts'
import { Random } from '../random.ts'

export const redirectUri = 'http://127.0.0.1/callback'

/** Consents like a user on the service's page. Resolves with the code, or undefined if no answer came. */
export function consent(user: string, url: string): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(url)
  const form = new URLSearchParams([
    ['decision', 'allow'],
    ['user', user],
    ...allScopes.map((scope) => ['grant', scope] as [string, string]),
  ])
  const outgoing = {
    origin,
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `${form}`,
  }
  return machine.as(new Process('browser', new Random('browser')), async () => {
    const connection = createConnection({ baseUrl: origin })
    try {
      const reply = await exchange(await connection.transport(), outgoing, connection)
      const location = 'headers' in reply ? reply.headers.location : undefined
      return location === undefined ? undefined : (new URL(location).searchParams.get('code') ?? undefined)
    } finally {
      await connection.close()
    }
  })
}
