import { pageCodeLife } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import { newSecret } from '../store/secret.ts'

/** Maximum number of codes that are remembered. */
const mostCodes = 1000

interface Code {
  /** Control token that the page gets for the code. */
  readonly controlToken: string | null
  /** Epoch milliseconds of the machine's clock. */
  readonly expiresAt: number
  isUsed: boolean
}

/**
 * One-time codes that open the page in a browser: every user of the machine can see the URL, but a used code is
 * worthless.
 */
export class PageCodes {
  readonly #codes = new Map<string, Code>()
  readonly #controlToken: string | null
  readonly #clock: Clock
  readonly #onNotice: (text: string) => void

  constructor(options: {
    readonly controlToken?: string | undefined
    readonly clock: Clock
    readonly onNotice?: ((text: string) => void) | undefined
  }) {
    this.#controlToken = options.controlToken ?? null
    this.#clock = options.clock
    this.#onNotice = options.onNotice ?? (() => {})
  }

  /** `controlToken`: the caller's own token, if callers have different tokens. */
  make(controlToken = this.#controlToken): { readonly code: string; readonly expires_at: string } {
    const code = newSecret().slice(0, 22)
    const expiresAt = this.#clock.now() + pageCodeLife * 1000
    const [oldest] = this.#codes.keys()
    if (this.#codes.size >= mostCodes && oldest !== undefined) this.#codes.delete(oldest)
    this.#codes.set(code, { controlToken, expiresAt, isUsed: false })
    return { code, expires_at: timestamp(expiresAt) }
  }

  /** Returns the control token for a code. Throws 404 for an unknown or expired code, and 409 for a used code. */
  exchange(text: string): string | null {
    const code = this.#codes.get(text)
    if (code?.isUsed) {
      this.#onNotice(
        'The page was opened twice with the same code. The emulator refused the second request. If you did not open the page twice, stop the emulator.',
      )
      throw new Refusal(409)
    }
    if (!code || code.expiresAt <= this.#clock.now()) throw new Refusal(404)
    code.isUsed = true
    return code.controlToken
  }
}
