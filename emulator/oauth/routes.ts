import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OAuthEndpoint, oauthEndpoints, tokenErrors } from '../../src/contract/index.ts'
import { limitRate } from '../access.ts'
import { Refusal } from '../domain/refusal.ts'
import { json } from '../json_body.ts'
import { pathOf } from '../route_path.ts'
import { errorPage } from '../ui/error_page.ts'
import { sendPage } from '../ui/page.ts'
import { type OAuthOptions, showConsent, takeConsent } from './authorize.ts'
import { form, parseForm } from './form_body.ts'
import { OAuthRefusal, PageRefusal } from './refusals.ts'
import { answerToken } from './token.ts'

type Handle = (request: FastifyRequest, reply: FastifyReply, options: OAuthOptions) => Promise<unknown>

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
export const isPage = (request: FastifyRequest): boolean => pages.has(pathOf(request))

/** The OAuth endpoints. Their bodies may be forms and their errors are OAuth's own, so they are a world of their own. */
export function oauthRoutes(app: FastifyInstance, options: OAuthOptions): void {
  app.register((scope, _, done) => {
    scope.addContentTypeParser(form, { parseAs: 'string' }, parseForm)
    scope.setErrorHandler(answerRefusal)
    for (const [id, handle] of Object.entries(handlers)) {
      const { method, path } = oauthEndpoints[id as keyof typeof oauthEndpoints]
      scope.route({
        method,
        url: path,
        onRequest: (request, reply, next) => {
          reply.header('Cache-Control', 'no-store')
          limitRate(options.worldOf(request), `${request.ip} ${method} ${path}`, reply)
          next()
        },
        handler: (request, reply) => handle(request, reply, options),
      })
    }
    done()
  })
}

/** What is none of OAuth's goes on to the handler of the whole server. */
function answerRefusal(error: Error, request: FastifyRequest, reply: FastifyReply): void {
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
    .type(json)
    .send(JSON.stringify({ error: code, message }))
}

/** A body that can't be parsed is one request among the malformed ones (RFC 6749, 5.2). */
function asOAuth(error: Error): OAuthRefusal {
  if (error instanceof OAuthRefusal) return error
  if (error instanceof Refusal && error.status === 400) return new OAuthRefusal('invalid_request', error.message)
  throw error
}
