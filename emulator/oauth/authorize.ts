import type { Reply, Request } from '../http_server.ts'
import { consentPage } from '../ui/consent_page.ts'
import { sendPage } from '../ui/page.ts'
import type { World } from '../world.ts'
import { type Requester, readAsked, readRequester, refusedAt } from './authorization_request.ts'
import { checkControlToken, issueCode, readConsent } from './consent.ts'
import { refuseForeignForm } from './page_origin.ts'
import { parametersOf } from './parameters.ts'
import { RedirectRefusal } from './refusals.ts'

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
