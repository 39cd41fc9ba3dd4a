import { type OAuthEndpoint, oauthEndpoints, tokenErrors } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { limitRate } from '../http/access.ts'
import { json, jsonType, parseJson } from '../http/envelope.ts'
import type { Reply, Request, Route } from '../http/message.ts'
import { answerWithFault, meetFault } from '../http/request_faults.ts'
import { languageOf, textIn } from '../ui/language.ts'
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

/** True if a browser shows the answer to its user. */
export const isPageRequest = (request: Request): boolean => pages.has(request.path)

/** The OAuth endpoints. Bodies may be forms, and errors have OAuth's own shape. */
export const oauthRoutes = (options: OAuthOptions): readonly Route[] =>
  Object.entries(handlers).map(([id, handle]) => {
    const { method, path } = oauthEndpoints[id as keyof typeof oauthEndpoints]
    // A token request names its client in the body.
    const isByBody = options.enterByClient !== undefined && id === 'oauth.token'
    const admit = (request: Request, reply: Reply) => {
      reply.header('Cache-Control', 'no-store')
      const world = options.worldOf(request)
      limitRate(world, `${request.ip} ${method} ${path}`, reply)
      // Chaos spares the login, because test suites log in before the calls that they test.
      if (world.faults.requests > 0) meetFault(world, id, request, null)
    }
    return {
      method,
      path,
      endpoint: id,
      parsers: { [jsonType]: parseJson, [form]: parseForm },
      admit: isByBody ? () => {} : admit,
      handle(request, reply) {
        if (isByBody) {
          options.enterByClient?.(request, reply)
          admit(request, reply)
        }
        const answer = () => handle(request, reply, options)
        if (request.fault === null) return answer()
        return answerWithFault(request.fault, reply, { worldNow: () => options.worldOf(request), answer })
      },
      onError: answerOAuthError,
    }
  })

/** Answers errors of OAuth. Rethrows any other error, for the server's own handler. */
function answerOAuthError(error: Error, request: Request, reply: Reply): void {
  if (error instanceof PageRefusal) {
    const language = languageOf(request)
    const title = textIn(language, `problem.${error.problem}`)
    const message = textIn(language, `problem.${error.problem}.detail`)
    sendPage(reply.code(error.status), errorPage({ title, message }, language))
    return
  }
  if (isPageRequest(request)) throw error
  const refusal = asOAuthRefusal(error)
  const { code, message, headers } = refusal
  reply
    .code(tokenErrors[code])
    .headers(headers)
    .send(json, JSON.stringify({ error: code, message }))
}

/** A body that can't be parsed also counts as an invalid request (RFC 6749, 5.2). */
function asOAuthRefusal(error: Error): OAuthRefusal {
  if (error instanceof OAuthRefusal) return error
  if (error instanceof Refusal && error.status === 400) return new OAuthRefusal('invalid_request', error.message)
  throw error
}

const form = 'application/x-www-form-urlencoded'

/** Reads the fields of a form by name; a repeated field is an array, as in a query. */
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
