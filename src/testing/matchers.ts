import type { Candidate, EventName, FaultEndpointId } from '../contract/index.ts'
import {
  type Checked,
  checksIn,
  type ExpectedDelivery,
  type ExpectedPayment,
  type ExpectedRequest,
  failureText,
  plainDifference,
} from './assert.ts'
import type { EmulatorWorld } from './world.ts'

/** Matchers of Vitest and Jest for worlds. All are asynchronous: `await expect(world).toBeBalanced()`. */
export interface WorldMatchers {
  /**
   * Passes if requests to an endpoint arrived: at least one, or exactly `times`. With `.not` and without `times`:
   * passes if no request arrived.
   */
  toHaveReceived(endpoint: FaultEndpointId, expected?: ExpectedRequest): Promise<void>
  /**
   * Passes if deliveries of an event were accepted: at least one, or exactly `times`. With `.not` and without `times`:
   * passes if no delivery was accepted.
   */
  toHaveDelivered(event: EventName, expected?: ExpectedDelivery): Promise<void>
  /**
   * Passes if a payee, by IBAN or phone, was paid an amount in minor units: exactly once, or exactly `times` times.
   * With `.not` and without `times`: passes if the payee was never paid this amount.
   */
  toHavePaid(payee: string, amount: number, expected?: ExpectedPayment): Promise<void>
  /** Passes if the ledger adds up. */
  toBeBalanced(): Promise<void>
}

/** The part of a test runner's matcher context that the matchers use. */
interface MatcherContext {
  readonly isNot: boolean
  readonly utils: {
    matcherHint(name: string, received?: string, expected?: string, options?: { isNot?: boolean }): string
    /** Bun has none. */
    diff?(expected: unknown, received: unknown): string | null | undefined
  }
}

type Checks = ReturnType<typeof checksIn>
type Result = Promise<{ readonly pass: boolean; readonly message: () => string }>

/** Matchers for `expect.extend`. `payctl/vitest` and `payctl/jest` install them. */
export const matchers = {
  toHaveReceived(this: MatcherContext, world: unknown, endpoint: FaultEndpointId, expected: ExpectedRequest = {}) {
    return checked(this, { name: 'toHaveReceived', shown: endpoint, world, times: expected.times }, (checks, times) =>
      checks.received(endpoint, { ...expected, ...times }),
    )
  },

  toHaveDelivered(this: MatcherContext, world: unknown, event: EventName, expected: ExpectedDelivery = {}) {
    return checked(this, { name: 'toHaveDelivered', shown: event, world, times: expected.times }, (checks, times) =>
      checks.delivered(event, { ...expected, ...times }),
    )
  },

  toHavePaid(this: MatcherContext, world: unknown, payee: string, amount: number, expected: ExpectedPayment = {}) {
    const shown = `${payee}, ${amount}`
    return checked(this, { name: 'toHavePaid', shown, world, times: expected.times }, (checks, times) =>
      checks.paid(payee, amount, { ...expected, ...times }),
    )
  },

  toBeBalanced(this: MatcherContext, world: unknown) {
    return checked(this, { name: 'toBeBalanced', shown: '', world, times: 1 }, (checks) => checks.balanced())
  },
}

interface Call {
  readonly name: string
  /** Arguments, for the first line of the message. */
  readonly shown: string
  readonly world: unknown
  readonly times: number | undefined
}

/**
 * Runs a check. A negated check without a count must find nothing: the opposite of "exactly once" would accept a
 * payment that was made twice.
 */
async function checked(
  { isNot, utils }: MatcherContext,
  { name, shown, world, times }: Call,
  run: (checks: Checks, times: { readonly times?: 0 }) => Promise<Checked>,
): Result {
  const isNone = isNot && times === undefined
  const answer = await run(checksIn(controlOf(world, name)), isNone ? { times: 0 } : {})
  const summary = isNot && !isNone ? answer.message.replace(/^Expected /, 'Expected anything but ') : answer.message
  const differenceIn = (candidate: Candidate) =>
    utils.diff?.(answer.expected, candidate.actual) ?? plainDifference(candidate)
  return {
    pass: isNone ? !answer.pass : answer.pass,
    message: () =>
      `${utils.matcherHint(name, 'world', shown, { isNot })}\n\n${failureText(summary, answer.nearest ?? [], differenceIn)}`,
  }
}

function controlOf(world: unknown, matcher: string): EmulatorWorld['control'] {
  const { control } = (world ?? {}) as Partial<EmulatorWorld>
  if (control && 'assertions' in control) return control
  throw new TypeError(`${matcher} takes a world of payctl/emulator: await expect(world).${matcher}(…)`)
}
