import { inspect } from 'node:util'
import type { ControlCalls } from '../../emulator/control/calls.ts'
import type {
  Assertion,
  Candidate,
  DeliveredBody,
  EventName,
  FaultEndpointId,
  PaidBody,
  ReceivedBody,
} from '../contract/index.ts'

/** Expected requests: how many, and with which key, parameters, part of the body, and status of the answer. */
export type ExpectedRequest = Omit<ReceivedBody, 'endpoint'>
/** Expected deliveries: how many, of which payment, to which receiver, and with which status. */
export type ExpectedDelivery = Omit<DeliveredBody, 'event'>
/** Expected payments: how many, in which currency, from which account, and with which status. */
export type ExpectedPayment = Omit<PaidBody, 'payee' | 'amount'>

/** Assertions on what the tested program did. Each throws an AssertionError that shows the nearest candidates first. */
export interface Assert {
  /** Asserts that requests to an endpoint arrived: at least one, or exactly `times`. */
  received(endpoint: FaultEndpointId, expected?: ExpectedRequest): Promise<void>
  /** Asserts that deliveries of an event were accepted: at least one, or exactly `times`. */
  delivered(event: EventName, expected?: ExpectedDelivery): Promise<void>
  /**
   * Asserts that a payee, by IBAN or phone, was paid an amount in minor units: exactly once, or exactly `times` times.
   */
  paid(payee: string, amount: number, expected?: ExpectedPayment): Promise<void>
  /** Asserts that the ledger adds up. */
  balanced(): Promise<void>
}

type Checks = Pick<ControlCalls, 'assertions'>

/** Result of an assertion, with its candidates if there are any. */
export type Checked = Pick<Assertion, 'pass' | 'message'> & Partial<Assertion>

/** Calls of `Assert` that return the result instead of throwing. */
export const checksIn = ({ assertions }: Checks) => ({
  received: async (endpoint: FaultEndpointId, expected: ExpectedRequest = {}): Promise<Checked> => {
    refuseMatchers(expected.body)
    return assertions.received({ endpoint, ...expected })
  },
  delivered: (event: EventName, expected: ExpectedDelivery = {}): Promise<Checked> =>
    assertions.delivered({ event, ...expected }),
  paid: (payee: string, amount: number, expected: ExpectedPayment = {}): Promise<Checked> =>
    assertions.paid({ payee, amount, ...expected }),
  balanced: (): Promise<Checked> => assertions.balanced(),
})

export function assertIn(control: Checks): Assert {
  const checks = checksIn(control)
  return {
    received: async (endpoint, expected) => refuseFailed(await checks.received(endpoint, expected)),
    delivered: async (event, expected) => refuseFailed(await checks.delivered(event, expected)),
    paid: async (payee, amount, expected) => refuseFailed(await checks.paid(payee, amount, expected)),
    balanced: async () => refuseFailed(await checks.balanced()),
  }
}

async function refuseFailed({ pass, message: summary, expected, nearest = [] }: Checked): Promise<void> {
  if (pass) return
  const { AssertionError } = await import('node:assert')
  const message = failureText(summary, nearest, plainDifference)
  throw new AssertionError({ message, expected, actual: nearest[0]?.actual, operator: 'payctl' })
}

/** Differences of a candidate in lines, without colours. */
export const plainDifference = ({ differences }: Candidate): string =>
  differences
    .map(({ path, expected, actual }) => `- ${path}: ${inspect(expected)}\n+ ${path}: ${inspect(actual)}`)
    .join('\n')

/** Number of nearest candidates that a failure shows. */
const shown = 3

/** Summary of a failure, and the nearest candidates, each with its difference. */
export function failureText(
  summary: string,
  nearest: readonly Candidate[],
  differenceIn: (candidate: Candidate) => string,
): string {
  const blocks = nearest.slice(0, shown).map((candidate) => {
    const { id, what, differences } = candidate
    return differences.length === 0 ? `${id}, ${what}: matches` : `${id}, ${what}:\n${differenceIn(candidate)}`
  })
  const more = nearest.length - blocks.length
  return [summary, ...blocks, ...(more > 0 ? [`and ${more} more`] : [])].join('\n\n')
}

/**
 * Throws TypeError for values such as `expect.any(String)`: the emulator compares the values, and receives them as
 * JSON.
 */
function refuseMatchers(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('asymmetricMatch' in value) {
    throw new TypeError(`${String(value)} can’t be sent to the emulator. Leave the member out, or give its value.`)
  }
  for (const member of Object.values(value)) refuseMatchers(member)
}
