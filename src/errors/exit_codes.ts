/**
 * All outcomes of a run, with their exit codes. The only table of exit codes: main, `payctl help exit-codes` and the
 * docs read it.
 */
export const exits = {
  done: { code: 0, meaning: 'done' },
  bug: { code: 1, meaning: 'unexpected error, or emulator compare found a difference' },
  usage: { code: 2, meaning: 'wrong usage or input, or a confirmation refused' },
  not_found: { code: 3, meaning: 'not found' },
  unauthenticated: { code: 4, meaning: 'no token, or an invalid or expired token' },
  forbidden: {
    code: 5,
    meaning: 'the token lacks a scope or permission, or a limit of the profile forbids the action',
  },
  conflict: { code: 6, meaning: 'conflict with the current state' },
  rejected: { code: 7, meaning: "rejected by the service's validation (400, 422)" },
  payment_unsuccessful: { code: 8, meaning: 'the payment was accepted and has ended without paying' },
  payment_in_progress: { code: 9, meaning: 'the wait timed out; the payment is still in progress' },
  outcome_unknown: { code: 10, meaning: 'outcome unknown: money may have moved' },
  rate_limited: { code: 11, meaning: 'rate limited' },
  unavailable: { code: 12, meaning: 'service unavailable or unreachable; nothing happened' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const

export type Exit = keyof typeof exits
