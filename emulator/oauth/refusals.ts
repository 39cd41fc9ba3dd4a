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

/** An authorization error that a redirect reports to the client. */
export class RedirectRefusal extends Error {
  readonly code: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An authorization error that a page shows to the user only. */
export class PageRefusal extends Error {
  readonly status: 400 | 403
  readonly title: string

  constructor(status: 400 | 403, title: string, message: string) {
    super(message)
    this.status = status
    this.title = title
  }
}
