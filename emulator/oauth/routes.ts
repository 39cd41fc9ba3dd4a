import { type OAuthEndpoint, oauthEndpoints, tokenErrors } from '../../src/contract/index.ts'
import { limitRate } from '../access.ts'
import { Refusal } from '../domain/refusal.ts'
import { json, jsonType, parseJson } from '../envelope.ts'
import type { Reply, Request, Route } from '../http_server.ts'
import { errorPage, sendPage } from '../ui/page.ts'
import { type OAuthOptions, showConsent, takeConsent } from './authorize.ts'
import { OAuthRefusal, PageRefusal } from './refusals.ts'
import { answerToken } from './token.ts'

type Handle = (request: Request, reply: Reply, options: OAuthOptions) => Promise<unknown>

const handlers: Readonly<Record<keyof typeof oauthEndpoints, Handle>> = {
  'oauth.authorize': showConsent,
  'oauth.decide': takeConsent,
  'oauth.token': answerToken,
}

const pages = new Set<string>(
  Object.values<OAuthEndpoint>(oauthEndpoints)
    .filter(({ success }) => typeof success.data === 'string')
    .map(({ path }) => path),
)

/** Whether a request comes from a browser that shows its user the answer, by whatever method. */
export const isPage = (request: Request): boolean => pages.has(request.path)

/** The OAuth endpoints. Their bodies may be forms, and their errors are OAuth's own. */
export const oauthRoutes = (options: OAuthOptions): readonly Route[] =>
  Object.entries(handlers).map(([id, handle]) => {
    const { method, path } = oauthEndpoints[id as keyof typeof oauthEndpoints]
    return {
      method,
      path,
      parsers: { [jsonType]: parseJson, [form]: parseForm },
      admit(request, reply) {
        reply.header('Cache-Control', 'no-store')
        limitRate(options.worldOf(request), `${request.ip} ${method} ${path}`, reply)
      },
      handle: (request, reply) => handle(request, reply, options),
      onError: answerRefusal,
    }
  })

/** What is none of OAuth's goes on to the handler of the whole server. */
function answerRefusal(error: Error, request: Request, reply: Reply): void {
  if (error instanceof PageRefusal) {
    sendPage(reply.code(error.status), errorPage(error))
    return
  }
  if (isPage(request)) throw error
  const refusal = asOAuth(error)
  const { code, message, headers } = refusal
  reply
    .code(tokenErrors[code])
    .headers(headers)
    .send(json, JSON.stringify({ error: code, message }))
}

/** A body that can't be parsed is one request among the malformed ones (RFC 6749, 5.2). */
function asOAuth(error: Error): OAuthRefusal {
  if (error instanceof OAuthRefusal) return error
  if (error instanceof Refusal && error.status === 400) return new OAuthRefusal('invalid_request', error.message)
  throw error
}

const form = 'application/x-www-form-urlencoded'

/** A form's fields by name; those of a name that repeats are an array, as in a query. */
function parseForm(text: string): unknown {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (typeof before === 'string') fields[name] = [before, value]
    else before.push(value)
  }
  return fields
}
