import { nobodysId } from '../requests.ts'
import {
  access,
  answers,
  data,
  everywhere,
  handles,
  limits,
  type Mutant,
  notValid,
  oauth,
  paying,
  reading,
  renumbers,
  tokens,
} from './mutant.ts'
import type { Answer } from './mutating_proxy.ts'

export const refusals: readonly Mutant[] = [
  {
    name: 'a payment that is refused is made all the same',
    caughtBy: `${notValid} > {"description":"xxxxxxxxxxxxxx"} is 422 from create, and makes no payment`,
    start: handles('payments.create', () => async (request, send) => {
      const answer = await send(request)
      if (answer.status === 422) await send({ ...request, body: { ...request.body, description: undefined } })
      return answer
    }),
  },
  {
    name: 'a description that is too long is cut',
    caughtBy: `${notValid} > {"description":"${'x'.repeat(24)}… (274 characters) is 422 from create, and makes no payment`,
    start: handles('payments.create', () => (request, send) => {
      const description = request.body?.description?.slice(0, 255)
      return send({ ...request, body: { ...request.body, description } })
    }),
  },
  {
    name: 'a channel has another description by default',
    caughtBy: `${paying} > without a description the default of the channel is set`,
    start: data('payments.create', (payment) => Object.assign(payment, { description: 'Transferencia' })),
  },
  {
    name: 'an account that nobody has is 403',
    caughtBy: `${reading} > GET /api/accounts/${nobodysId} is 404`,
    start: renumbers('accounts.get', 404, 403),
  },
  {
    name: 'an error has another message than the interface gives',
    caughtBy: `${reading} > GET /api/accounts/${nobodysId}/balance is 404`,
    start: answers('accounts.balance', ({ status, body }) => {
      if (status === 404) body.message = 'No such account'
    }),
  },
  {
    name: 'an error has no errors',
    caughtBy: `${reading} > GET /api/payments/${nobodysId} is 404`,
    start: answers('payments.get', ({ status, body }) => {
      if (status === 404) delete body.errors
    }),
  },
  {
    name: 'a request that is not valid is 400',
    caughtBy: `${reading} > GET /api/payments/nonsense is 422`,
    start: renumbers('payments.get', 422, 400),
  },
  {
    name: 'a request without a token is 403',
    caughtBy: `${access} > GET /api/user is 401 without a token, and with a wrong one`,
    start: renumbers('user.get', 401, 403),
  },
  {
    name: 'the scope of a token is overlooked',
    caughtBy: `${access} > GET /api/accounts is 403 to a token without the scope`,
    start: handles('accounts.list', () => {
      let known = ''
      return async (request, send) => {
        const answer = await send(request)
        const { authorization = '' } = request.headers
        if (answer.status === 200) known = authorization
        return answer.status === 403
          ? send({ ...request, headers: { ...request.headers, authorization: known } })
          : answer
      }
    }),
  },
  {
    name: 'a wrong token reads the accounts',
    caughtBy: `${access} > GET /api/accounts is 401 without a token, and with a wrong one`,
    start: handles('accounts.list', () => {
      let known = ''
      return async (request, send) => {
        const answer = await send(request)
        const { authorization = '' } = request.headers
        if (answer.status === 200) known = authorization
        const isWrong = answer.status === 401 && authorization !== ''
        return isWrong ? send({ ...request, headers: { ...request.headers, authorization: known } }) : answer
      }
    }),
  },
  {
    name: 'an expired token is good for ever',
    caughtBy: 'authentication > authentication > a token with an expiry time expires by the world’s clock',
    start: handles('user.get', () => {
      const good = new Map<string, Answer>()
      return async (request, send) => {
        const answer = await send(request)
        const { authorization = '' } = request.headers
        if (answer.status === 200) good.set(authorization, answer)
        return good.get(authorization) ?? answer
      }
    }),
  },
  {
    name: 'an OAuth error has another code',
    caughtBy: `interface > the interface: OAuth > authorization_code of a client nobody registered is invalid_client`,
    start: everywhere(({ body }) => {
      if (body?.error === 'invalid_client') body.error = 'invalid_grant'
    }),
  },
  {
    name: 'an error names another field',
    caughtBy:
      'refusals > payments that are refused > an amount of 0 gets 422 from both create and validate, and changes nothing',
    start: answers('payments.create', ({ body }) => {
      if (body?.errors?.amount) body.errors = { value: body.errors.amount }
    }),
  },
]

export const headers: readonly Mutant[] = [
  {
    name: 'the headers of the rate limit are missing',
    caughtBy: `${limits} > answers carry the rate limit`,
    start: everywhere(({ headers }) => {
      for (const name of Object.keys(headers)) if (name.startsWith('x-ratelimit-')) delete headers[name]
    }),
  },
  {
    name: 'of a rate limit all requests are always left',
    caughtBy: `${limits} > answers carry the rate limit`,
    start: everywhere(({ headers }) => {
      headers['x-ratelimit-remaining'] = headers['x-ratelimit-limit'] ?? ''
    }),
  },
  {
    name: 'of a rate limit always one request is gone',
    caughtBy: `${limits} > each request leaves fewer`,
    start: everywhere(({ headers }) => {
      headers['x-ratelimit-remaining'] = String(Number(headers['x-ratelimit-limit']) - 1)
    }),
  },
  {
    name: 'errors have no headers of the rate limit',
    caughtBy: `${limits} > an error of 404 carries the rate limit too`,
    start: everywhere(({ status, headers }) => {
      if (status < 400) return
      for (const name of Object.keys(headers)) if (name.startsWith('x-ratelimit-')) delete headers[name]
    }),
  },
  {
    name: 'a 401 does not say how to authenticate',
    caughtBy: 'authentication > authentication > GET /api/user answers 401 without a token',
    start: everywhere(({ headers }) => delete headers['www-authenticate']),
  },
  {
    name: 'a 429 does not say how long to wait',
    caughtBy:
      'rate_limits > rate limits > each endpoint has its own count, and answers 429 above the limit until the window ends',
    start: everywhere(({ headers }) => delete headers['retry-after']),
  },
]

export const oauthAnswers: readonly Mutant[] = [
  {
    name: 'the life of an access token is a text',
    caughtBy: `${oauth} > a code is exchanged for an access token, which the API accepts`,
    start: tokens((body) => Object.assign(body, { expires_in: String(body.expires_in) })),
  },
  {
    name: 'an access token does not say its scope',
    caughtBy: `${oauth} > a code is exchanged for an access token, which the API accepts`,
    start: tokens((body) => delete body.scope),
  },
  {
    name: 'the state of an authorization is lost',
    caughtBy: `${oauth} > a code is exchanged for an access token, which the API accepts`,
    start: everywhere(({ headers }) => {
      if (headers.location) headers.location = headers.location.replace(/[?&]state=[^&]*/, '')
    }),
  },
  {
    name: 'a refresh gives no new refresh token',
    caughtBy: `${oauth} > a refresh token buys another access token`,
    start: tokens((body, grant) => {
      if (grant === 'refresh_token') delete body.refresh_token
    }),
  },
]
