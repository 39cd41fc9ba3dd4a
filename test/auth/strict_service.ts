import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints, oauthEndpoints } from '../../src/contract/index.ts'
import { serve } from '../support/server.ts'

type Respond = (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => void

export interface Settings {
  /** Lifetime of an access token in the service's answers, in seconds; `expire` decides when the token really ends. */
  readonly life?: number
  /** Called before the service's own answer to a refresh; false prevents that answer. */
  readonly onRefresh?: (response: ServerResponse, refresh: Refresh) => boolean | Promise<boolean>
  /** Called before the service's own answer to an API call; false prevents that answer. */
  readonly onCall?: (response: ServerResponse, token: string) => boolean
}

interface Refresh {
  readonly body: Readonly<Record<string, string>>
  /** Issues new tokens, even if no client gets them. */
  readonly rotate: () => void
}

interface Family {
  dead: boolean
  access: string
  refresh: string
}

/**
 * A strict service: each refresh token works once, and a repeated refresh token ends its whole family, including the
 * access token. Saves all requests.
 */
export class StrictService {
  readonly received: string[] = []
  refreshes = 0
  calls = 0
  /** Number of refresh tokens that arrived a second time. */
  reuses = 0
  readonly #families: Family[] = []
  #made = 0
  readonly #settings: Settings
  url = ''

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Makes the tokens of a new login. */
  issue(): Family {
    const family = { dead: false, access: this.#secret('access'), refresh: this.#secret('refresh') }
    this.#families.push(family)
    return family
  }

  /** Ends all access tokens issued so far. */
  expire(): void {
    for (const family of this.#families) family.access = this.#secret('none')
  }

  get alive(): boolean {
    return this.#families.every(({ dead }) => !dead)
  }

  #secret(kind: string): string {
    this.#made += 1
    return `s3cret-${kind}-${this.#made}-${'x'.repeat(24)}`
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { authorization = '' } = request.headers
    this.received.push([request.method, request.url, authorization, body].join(' '))
    const respond: Respond = (status, answer) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    }
    if (request.url === oauthEndpoints['oauth.token'].path)
      return await this.#token(JSON.parse(body), response, respond)
    this.calls += 1
    const token = authorization.replace('Bearer ', '')
    if (this.#settings.onCall?.(response, token) === false) return
    if (!this.#families.some(({ access, dead }) => access === token && !dead)) {
      return respond(401, { success: false, message: 'Unauthenticated.', data: null, errors: null })
    }
    const user = { id: 'u1', name: 'Ana', email: 'ana@example.com' }
    respond(200, { success: true, message: 'OK', data: request.url === endpoints['user.get'].path ? user : [] })
  }

  async #token(body: Record<string, string>, response: ServerResponse, respond: Respond): Promise<void> {
    if (body.grant_type === 'authorization_code') return respond(200, this.#tokens(this.issue()))
    this.refreshes += 1
    const { refresh_token: given = '' } = body
    const family = this.#families.find(({ refresh }) => refresh === given)
    const rotate = () => {
      if (!family) return
      Object.assign(family, { access: this.#secret('access'), refresh: this.#secret('refresh') })
    }
    if (family && !family.dead) {
      if ((await this.#settings.onRefresh?.(response, { body, rotate })) === false) return
      rotate()
      return respond(200, this.#tokens(family))
    }
    this.reuses += 1
    for (const each of this.#families) each.dead = true
    respond(400, { error: 'invalid_grant', message: `The refresh token ${given} was used before.` })
  }

  #tokens = ({ access, refresh }: Family) => ({
    access_token: access,
    token_type: 'Bearer',
    expires_in: this.#settings.life ?? 3600,
    refresh_token: refresh,
    scope: 'read-user read-accounts',
  })
}

export async function startStrictService(settings: Settings = {}): Promise<StrictService> {
  const service = new StrictService(settings)
  const url = await serve((request, response) => {
    service.answer(request, response).catch((error) => response.destroy(error))
  })
  service.url = url
  return service
}
