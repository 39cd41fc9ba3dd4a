import { CliError } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'

/** The login command to repeat, with other scopes if given. */
export type LoginAgain = (scopes?: string) => string

/** The authorization server refused, with OAuth's `code`. */
export class OAuthRefusal extends CliError {
  override readonly name = 'OAuthRefusal'
  readonly code: string
  readonly #text: string

  /** `text` is the server's explanation, or empty. */
  constructor(code: string, text: string, again?: LoginAgain) {
    const [exit, what, hint] = refusals[code] ?? ['rejected', `The service said no to the login (${code})`, undefined]
    const message = `${what}.${text === '' ? '' : ` Its words: ${text}`}`
    super(exit, message, typeof hint === 'function' ? again && hint(again) : hint)
    this.code = code
    this.#text = text
  }

  /** The same for a login that can be tried again. */
  to(again: LoginAgain): OAuthRefusal {
    return new OAuthRefusal(this.code, this.#text, again)
  }
}

type Refusal = readonly [exit: Exit, what: string, hint?: string | ((again: LoginAgain) => string)]

const refusals: Readonly<Record<string, Refusal>> = {
  access_denied: [
    'forbidden',
    'Access was denied on the service’s page',
    (again) => `To log in again and allow it: ${again()}`,
  ],
  invalid_client: [
    'unauthenticated',
    'The service does not accept the client id or its secret',
    'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET',
  ],
  invalid_grant: ['unauthenticated', 'The code is wrong, used or expired', (again) => `Log in again: ${again()}`],
  invalid_scope: [
    'rejected',
    'The client may not ask for one of the scopes',
    (again) => `Ask for others: ${again('read-user,read-accounts')}`,
  ],
  unauthorized_client: ['forbidden', 'The client may not log in this way'],
  server_error: ['unavailable', 'The service failed', 'Try again later'],
  temporarily_unavailable: ['unavailable', 'The service is overloaded', 'Try again later'],
}
