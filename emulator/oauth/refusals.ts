import type { RedirectErrorCode, TokenErrorCode } from '../../src/contract/index.ts'
import { type MessageKey, textIn } from '../ui/language.ts'

/** An error of the token endpoint, as OAuth defines it. */
export class OAuthRefusal extends Error {
  readonly code: TokenErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TokenErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }
}

/** An authorization error that a redirect reports to the client. */
export class RedirectRefusal extends Error {
  readonly code: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Names of the errors that a page shows. */
type PageProblem = MessageKey extends infer Key ? (Key extends `problem.${infer Name}.detail` ? Name : never) : never

/**
 * An authorization error that only a page shows to the user, in the user's language. The log contains the message in
 * English.
 */
export class PageRefusal extends Error {
  readonly status: 400 | 403
  readonly problem: PageProblem

  constructor(status: 400 | 403, problem: PageProblem) {
    super(textIn('en', `problem.${problem}.detail`))
    this.status = status
    this.problem = problem
  }
}
