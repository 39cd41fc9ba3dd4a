import type { Scope } from '../../src/contract/index.ts'
import { sameSecret } from '../store/digest.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import type { Asked, Requester } from './authorization_request.ts'
import { type Parameters, text, texts } from './parameters.ts'
import { withQuery } from './redirect_uri.ts'
import { PageRefusal, RedirectRefusal } from './refusals.ts'
import { newSecret } from './secret.ts'

/** Life of an authorization code, by the world's clock. */
const codeLifeMs = 10 * 60 * 1000

export interface Consent {
  readonly user: User
  readonly scopes: readonly Scope[]
}

/** What the user answered; a no of any kind is thrown. */
export function readConsent(form: Parameters, { scopes }: Asked, users: Store['users']): Consent {
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
export function checkControlToken(form: Parameters, controlToken: string | undefined): void {
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
export function issueCode({ user, scopes }: Consent, requester: Requester, context: IssueContext): string {
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
