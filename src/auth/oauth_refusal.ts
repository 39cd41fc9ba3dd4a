import { CliError } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'
import type { LogIn } from '../errors/next_step.ts'

/** The login command to repeat, with other scopes if given. */
export type LoginAgain = (scopes?: string) => LogIn

/** A refusal of the authorization server, with OAuth's `code`. */
export class OAuthRefusal extends CliError {
  override readonly name = 'OAuthRefusal'
  readonly code: string
  readonly #text: string

  /** `text` is the server's explanation, or empty. */
  constructor(code: string, text: string, again?: LoginAgain) {
    const known = Object.hasOwn(refusals, code) ? refusals[code] : undefined
    const [exit, what, hint] = known ?? ['rejected', `The service refused the login (${code})`]
    const message = `${what}${text === '' ? '.' : `: ${text}`}`
    super(exit, message, typeof hint === 'function' ? again && hint(again) : hint)
    this.code = code
    this.#text = text
  }

  /** This refusal for a login that can be tried again. */
  to(again: LoginAgain): OAuthRefusal {
    return new OAuthRefusal(this.code, this.#text, again)
  }
}

type Refusal = readonly [exit: Exit, what: string, hint?: string | ((again: LoginAgain) => LogIn)]

const refusals: Readonly<Record<string, Refusal>> = {
  access_denied: [
    'forbidden',
    'Access was denied on the service’s page',
    (again) => ({ ...again(), words: 'To log in again and allow it' }),
  ],
  invalid_client: [
    'unauthenticated',
    'The service does not accept the client id or its secret',
    'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET',
  ],
  invalid_grant: ['unauthenticated', 'The code is wrong, used or expired', (again) => again()],
  invalid_scope: [
    'rejected',
    'The client may not ask for one of the scopes',
    (again) => ({ ...again('read-user,read-accounts'), words: 'To ask for others' }),
  ],
  unauthorized_client: ['forbidden', 'The client may not log in this way'],
  server_error: ['unavailable', 'The service failed to log you in', 'Try again later'],
  temporarily_unavailable: ['unavailable', 'The service is overloaded', 'Try again later'],
}
