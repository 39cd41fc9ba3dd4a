import type { KnownUser } from '../auth/known_users.ts'
import type { Client, RawAnswer } from '../client/client.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import { isSurrogateId } from '../journal/intent.ts'
import { asText, say } from '../words/text.ts'

/**
 * Access tokens of the sender. A service scopes keys by user, so a later token is used only after the service has
 * confirmed its user. The check also applies to reads: another user's history lacks the payment.
 */
export class TokensOfUser {
  readonly #onAnswer: (head: Pick<RawAnswer, 'status' | 'headers'>) => void
  /** Proofs by token; a proof resolves when the token is known to be the sender's. */
  readonly #proofs = new Map<string, Promise<void>>()
  #user: KnownUser | undefined
  /** Number of tokens still accepted without a request; infinite until the user is known. */
  #unasked = Number.POSITIVE_INFINITY

  constructor(onAnswer: (head: Pick<RawAnswer, 'status' | 'headers'>) => void) {
    this.#onAnswer = onAnswer
  }

  /**
   * `isRemembered`: the user was remembered, not requested. The first token belongs to the remembered login.
   */
  learned(user: KnownUser | undefined, isRemembered: boolean): void {
    // If several tokens were used, it is not certain which token's user the service has named.
    if (this.#proofs.size > 1) this.#proofs.clear()
    this.#user = user
    this.#unasked = isRemembered && this.#proofs.size === 0 ? 1 : 0
  }

  /** Rejects another user's token before anything is sent with it. */
  requireSameUser(token: string, client: Client): Promise<void> {
    const known = this.#proofs.get(token)
    if (known) return known
    const proof = this.#unasked > 0 ? Promise.resolve() : this.#ask(token, client)
    this.#unasked = Math.max(this.#unasked - 1, 0)
    this.#proofs.set(token, proof)
    return proof
  }

  async #ask(token: string, client: Client): Promise<void> {
    const asking = client.with({ token, renew: undefined })
    asking.onAnswer(this.#onAnswer)
    try {
      const user = await askUser(asking)
      if (user?.id !== this.#user?.id) throw anotherUser(this.#user, user)
    } catch (error) {
      if (error instanceof CliError) throw error
      this.#proofs.delete(token) // allow another request
      // Converts an ApiError, which would look like the answer to a payment.
      throw error instanceof ApiError ? unprovenUser(error) : error
    } finally {
      await asking.close()
    }
  }
}

/** Asks for the token's user; undefined if the service does not name the user. */
export async function askUser(client: Client): Promise<KnownUser | undefined> {
  try {
    const { id, email } = await client.call('user.get')
    return id && /^\S{1,200}$/.test(id) && !isSurrogateId(id) ? { id, email: email ?? '' } : undefined
  } catch (error) {
    // A gateway's refusal says nothing about the user.
    if (isServiceAnswer(error, 403, 404)) return undefined
    throw error
  }
}

/** Shows the service's text only if it looks like a name, an address or an id. */
export const nameOf = ({ id, email }: KnownUser): string =>
  [email, id].find((text) => /^[\p{L}\p{N}._%+@-]{1,80}$/u.test(text)) ?? 'a user without a readable name'

export const unknownUser = 'the user of this token'

const anotherUser = (began: KnownUser | undefined, now: KnownUser | undefined): CliError =>
  new CliError(
    'unauthenticated',
    say`The token now belongs to ${now ? nameOf(now) : say`a user whom the service does not name`}, but this run began as ${began ? nameOf(began) : asText(unknownUser)}. Nothing more was sent.`,
    'Use a token of this run’s user again, and resume what the run left unfinished',
  )

const unprovenUser = (error: ApiError): CliError =>
  new CliError(
    'unauthenticated',
    say`The token has changed, and the service does not say whose it is now: ${reasonOf(error)}. Nothing more was sent.`,
    'Resume what this run left unfinished once the service says who the user is',
  )
