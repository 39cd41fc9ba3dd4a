import type { RedirectErrorCode, TokenErrorCode } from '../../src/contract/index.ts'

/** The token endpoint says no, in OAuth's own words. */
export class OAuthRefusal extends Error {
  readonly code: TokenErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TokenErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }
}

/** An authorization request is turned down where the client can hear of it: in a redirect. */
export class RedirectRefusal extends Error {
  readonly code: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** It can't be told to the client, or must not be: the user sees it, as a page. */
export class PageRefusal extends Error {
  readonly status: 400 | 403
  readonly title: string

  constructor(status: 400 | 403, title: string, message: string) {
    super(message)
    this.status = status
    this.title = title
  }
}
