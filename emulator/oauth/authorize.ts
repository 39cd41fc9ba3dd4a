import type { Scope } from '../../src/contract/index.ts'
import type { RequestUrls } from '../http/addresses.ts'
import type { Reply, Request } from '../http/message.ts'
import { refuseRedirect } from '../http/request_faults.ts'
import { causeOf } from '../observation/observed_requests.ts'
import { newSecret } from '../store/secret.ts'
import type { User, Users } from '../store/users.ts'
import { consentPage } from '../ui/consent_page.ts'
import { languageOf } from '../ui/language.ts'
import { sendPage } from '../ui/page.ts'
import type { World } from '../worlds/world.ts'
import {
  errorRedirect,
  type RequestedAccess,
  type Requester,
  readRequestedAccess,
  readRequester,
  withQuery,
} from './authorization_request.ts'
import { type Parameters, parametersOf, text, texts } from './parameters.ts'
import { PageRefusal, RedirectRefusal } from './refusals.ts'

export interface OAuthOptions {
  readonly worldOf: (request: Request) => World
  /** Returns true if this secret allows its owner to choose a user of the world; null: anybody is allowed to choose. */
  readonly mayChooseUser: ((secret: string, world: string) => boolean) | null
  readonly urls: RequestUrls
  /**
   * If the emulator has teams: directs a token request to the world that the request names, if the client belongs to
   * that world.
   */
  readonly enterByClient?: ((request: Request, reply: Reply) => void) | undefined
}

/** After a POST, only 303 makes every browser use GET (RFC 9700, 4.12). */
const seeOther = 303

/** The page lists at most this many users; a program can name any user. */
const maxUsersShown = 100

/** Shows the consent page. */
export async function showConsent(request: Request, reply: Reply, options: OAuthOptions) {
  const world = options.worldOf(request)
  const query = parametersOf(request.query)
  const requester = readRequester(query, world.store.clients)
  return redirectingRefusals(reply, requester, async () => {
    refuseRedirect(request)
    const { scopes } = readRequestedAccess(query, requester.client)
    // If the emulator requires a control token, the page does not list users, whose names and addresses are private.
    const users = options.mayChooseUser === null ? world.store.users.first(maxUsersShown) : null
    await world.database.settled
    const action = request.url.slice(request.url.indexOf('?'))
    return sendPage(reply, consentPage({ requester, scopes, users, action, language: languageOf(request) }))
  })
}

/** Takes the user's answer. The form is sent to the page's URL, so the query is checked again. */
export async function takeConsent(request: Request, reply: Reply, options: OAuthOptions) {
  const world = options.worldOf(request)
  refuseForeignForm(request, options.urls)
  const query = parametersOf(request.query)
  const requester = readRequester(query, world.store.clients)
  return redirectingRefusals(reply, requester, async () => {
    refuseRedirect(request)
    const { store, database } = world
    const form = parametersOf(request.body)
    const requested = readRequestedAccess(query, requester.client)
    const mayChoose = (secret: string) => options.mayChooseUser?.(secret, request.world) ?? true
    const consent = readConsent(form, requested, { users: store.users, mayChoose })
    const issue = () => issueCode(world, requester, consent, requested.codeChallenge)
    const location = database.write(issue, () => causeOf(request))
    await database.settled
    return reply.redirect(location, seeOther)
  })
}

async function redirectingRefusals(reply: Reply, requester: Requester, work: () => Promise<unknown>) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RedirectRefusal)) throw error
    return reply.redirect(errorRedirect(requester, error), seeOther)
  }
}

/** Lifetime of an authorization code, in milliseconds of the world's clock. */
const codeLifeMs = 10 * 60 * 1000

interface Consent {
  readonly user: User
  readonly scopes: readonly Scope[]
}

/** Reads the user's answer. Throws a RedirectRefusal if access is denied. */
function readConsent(
  form: Parameters,
  { scopes }: RequestedAccess,
  { users, mayChoose }: { readonly users: Users; readonly mayChoose: (secret: string) => boolean },
): Consent {
  const decision = text(form, 'decision')
  if (decision === 'deny') throw new RedirectRefusal('access_denied', 'The user denied access.')
  if (decision !== 'allow') throw new PageRefusal(400, 'unknown_decision')
  // If there is a control token, only the owner of the token is allowed to choose a user.
  if (!mayChoose(text(form, 'control_token') ?? '')) throw new PageRefusal(403, 'wrong_token')
  const named = text(form, 'user')?.trim() ?? ''
  const user = users.byId(named.toLowerCase()) ?? users.byEmail(named)
  if (!user) throw new PageRefusal(400, 'unknown_user')
  const granted = texts(form, 'grant')
  if (granted.some((name) => !scopes.some((scope) => scope === name))) {
    throw new PageRefusal(400, 'other_scope')
  }
  if (granted.length === 0) throw new RedirectRefusal('access_denied', 'The user granted none of the scopes.')
  return { user, scopes: scopes.filter((scope) => granted.includes(scope)) }
}

/** Stores the consent and returns the client's redirect URI with a code. */
function issueCode(
  { store, random, clock }: World,
  { client, redirectUri, state }: Requester,
  { user, scopes }: Consent,
  codeChallenge: string | null,
): string {
  const code = newSecret(random.secrets)
  const now = clock.now()
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

/**
 * Refuses a form from a page of another origin. Browsers send Origin and Sec-Fetch-Site with every POST; other programs
 * send neither.
 */
function refuseForeignForm(request: Request, urls: RequestUrls): void {
  const { host, origin = '', 'sec-fetch-site': site } = request.headers
  const sameSite = site === undefined || site === 'same-origin'
  const sameHost = URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
  const isOwn = origin === '' || sameHost || urls.isOwnOrigin(origin, request)
  if (sameSite && isOwn) return
  throw new PageRefusal(403, 'foreign_form')
}
