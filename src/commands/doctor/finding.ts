import type { Exit } from '../../errors/exit_codes.ts'
import { failureOf } from '../../errors/failure.ts'

/** What one check says. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about it. */
  readonly hint: string | null
  /** How a command would end that needs this; only for a failure. */
  readonly exit?: Exit
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail, hint: null })

export const warn = (check: string, detail: string, hint: string): Finding => ({ check, status: 'warn', detail, hint })

export function fail(check: string, detail: string, { exit, hint }: { exit: Exit; hint: string }): Finding {
  return { check, status: 'fail', detail, hint, exit }
}

/** What a command would have said. */
export function failedWith(check: string, error: unknown): Finding {
  const { message, hint = null, exit } = failureOf(error, false)
  return { check, status: 'fail', detail: message, hint, exit }
}
