import type { RedirectErrorCode, TokenErrorCode } from '../../src/contract/index.ts'

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

/** An error of an authorization request that the client is told, in a redirect. */
export class RedirectRefusal extends Error {
  readonly code: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An error of an authorization request that only the user is told, on a page. */
export class PageRefusal extends Error {
  readonly status: 400 | 403
  readonly title: string

  constructor(status: 400 | 403, title: string, message: string) {
    super(message)
    this.status = status
    this.title = title
  }
}
