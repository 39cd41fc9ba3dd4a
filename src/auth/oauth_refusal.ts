import { CliError } from '../output/cli_error.ts'
import type { Exit } from '../output/exit_codes.ts'

/** The authorization server said no, by the `code` that OAuth has for it. */
export class OAuthRefusal extends CliError {
  override readonly name = 'OAuthRefusal'
  readonly code: string

  /** `text` is the server's own explanation, or empty. */
  constructor(code: string, text: string) {
    const [exit, what, hint] = refusals[code] ?? ['rejected', `The service said no to the login (${code})`, undefined]
    super(exit, `${what}.${text === '' ? '' : ` Its words: ${text}`}`, hint)
    this.code = code
  }
}

const refusals: Readonly<Record<string, readonly [exit: Exit, what: string, hint?: string]>> = {
  access_denied: ['forbidden', 'Access was denied on the service’s page', 'To log in again and allow it: payctl login'],
  invalid_client: [
    'unauthenticated',
    'The service does not accept the client id or its secret',
    'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET',
  ],
  invalid_grant: ['unauthenticated', 'The code is wrong, used or expired', 'Log in again: payctl login'],
  invalid_scope: [
    'rejected',
    'The client may not ask for one of the scopes',
    'Ask for others: payctl login --scopes read-user,read-accounts',
  ],
  unauthorized_client: ['forbidden', 'The client may not log in this way'],
  server_error: ['unavailable', 'The service failed', 'Try again later'],
  temporarily_unavailable: ['unavailable', 'The service is overloaded', 'Try again later'],
}
