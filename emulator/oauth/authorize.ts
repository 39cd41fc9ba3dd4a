import type { Scope } from '../../src/contract/index.ts'
import type { Reply, Request } from '../http_server.ts'
import { newSecret, sameSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import { consentPage } from '../ui/consent_page.ts'
import { sendPage } from '../ui/page.ts'
import type { World } from '../world.ts'
import { type Asked, type Requester, readAsked, readRequester, refusedAt, withQuery } from './authorization_request.ts'
import { type Parameters, parametersOf, text, texts } from './parameters.ts'
import { PageRefusal, RedirectRefusal } from './refusals.ts'

export interface OAuthOptions {
  readonly worldOf: (request: Request) => World
  readonly controlToken?: string | undefined
}

/** After a POST only 303 makes a browser GET what it is sent to, whatever its age (RFC 9700, 4.12). */
const seeOther = 303

/** Users beyond these are not offered; a program may name them all the same. */
const offeredUsers = 100

/** Shows the user what a client asks for. */
export async function showConsent(request: Request, reply: Reply, options: OAuthOptions) {
  const { controlToken } = options
  const world = options.worldOf(request)
  const query = parametersOf(request.query)
  const requester = readRequester(query, world.store.clients)
  return tellingClient(reply, requester, async () => {
    const { scopes } = readAsked(query, requester.client)
    const users = world.store.users.first(offeredUsers)
    await world.database.settled
    const action = request.url.slice(request.url.indexOf('?'))
    return sendPage(reply, consentPage({ requester, scopes, users, action, locked: controlToken !== undefined }))
  })
}

/** Takes the user's answer. The form is posted to the URL of the page, so that one check serves for both. */
export async function takeConsent(request: Request, reply: Reply, options: OAuthOptions) {
  const { controlToken } = options
  const world = options.worldOf(request)
  refuseForeignForm(request)
  const query = parametersOf(request.query)
  const requester = readRequester(query, world.store.clients)
  return tellingClient(reply, requester, async () => {
    const { store, database, clock } = world
    const form = parametersOf(request.body)
    const asked = readAsked(query, requester.client)
    const consent = readConsent(form, asked, store.users)
    checkControlToken(form, controlToken)
    const location = database.write(() =>
      issueCode(consent, requester, { store, now: clock.now(), codeChallenge: asked.codeChallenge }),
    )
    await database.settled
    return reply.redirect(location, seeOther)
  })
}

async function tellingClient(reply: Reply, requester: Requester, work: () => Promise<unknown>) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RedirectRefusal)) throw error
    return reply.redirect(refusedAt(requester, error), seeOther)
  }
}

/** Life of an authorization code, by the world's clock. */
const codeLifeMs = 10 * 60 * 1000

interface Consent {
  readonly user: User
  readonly scopes: readonly Scope[]
}

/** What the user answered; a no of any kind is thrown. */
function readConsent(form: Parameters, { scopes }: Asked, users: Store['users']): Consent {
  const decision = text(form, 'decision')
  if (decision === 'deny') throw new RedirectRefusal('access_denied', 'The user said no.')
  if (decision !== 'allow') throw unanswered('The decision has to be allow or deny.')
  const user = users.byId(text(form, 'user')?.toLowerCase() ?? '')
  if (!user) throw unanswered('The user is none of this sandbox.')
  const granted = texts(form, 'grant')
  if (granted.some((name) => !scopes.some((scope) => scope === name))) {
    throw unanswered('A scope was granted that the application did not ask for.')
  }
  if (granted.length === 0) throw new RedirectRefusal('access_denied', 'The user granted none of the scopes.')
  return { user, scopes: scopes.filter((scope) => granted.includes(scope)) }
}

/** Where anybody may knock, picking a user takes the secret that everything else of the emulator takes. */
function checkControlToken(form: Parameters, controlToken: string | undefined): void {
  if (controlToken === undefined || sameSecret(text(form, 'control_token') ?? '', controlToken)) return
  throw new PageRefusal(
    403,
    'Wrong control token',
    'Go back and give the control token that the emulator was started with.',
  )
}

const unanswered = (why: string): PageRefusal =>
  new PageRefusal(400, 'Answer not understood', `${why} Go back and try again.`)

/** Keeps the consent and returns the way back to the client, with the code for it. */
function issueCode({ user, scopes }: Consent, requester: Requester, context: IssueContext): string {
  const { client, redirectUri, state } = requester
  const { store, now, codeChallenge } = context
  const code = newSecret()
  store.authorizations.add({
    client: client.seq,
    user: user.seq,
    scopes,
    redirect_uri: redirectUri,
    code,
    code_challenge: codeChallenge,
    code_expires_at: now + codeLifeMs,
    created_at: now,
  })
  return withQuery(redirectUri, { code, state })
}

interface IssueContext {
  readonly store: Store
  readonly now: number
  readonly codeChallenge: string | null
}

/**
 * Refuses a form that another page has sent. There is no session to ride on, so what matters is which page the browser
 * was on, and browsers say so in these headers on every POST; a program sends neither.
 */
function refuseForeignForm({ headers }: Request): void {
  const { host, origin, 'sec-fetch-site': site } = headers
  const sameSite = site === undefined || site === 'same-origin'
  const sameHost = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
  if (sameSite && sameHost) return
  throw new PageRefusal(
    403,
    'Not from here',
    'This answer came from another page than the one that asked the question.',
  )
}
