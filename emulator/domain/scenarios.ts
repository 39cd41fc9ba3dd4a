import type { Channel, IbanStatus, RegistryEntry, Scenario, StateCode } from '../../src/contract/index.ts'
import { endingOf, endsAfter } from './lifecycle.ts'

type Recipient = Pick<RegistryEntry, 'address' | 'name' | 'currency' | 'outcome' | 'state_code'>

/** The rail that gets to an address of another bank. */
export const channelOf = (address: string): Channel => (address.startsWith('CR') ? 'pin' : 'sinpe_movil')

/** The status of an account that payments fail for. */
export function statusOf(stateCode: StateCode | null): IbanStatus {
  if (stateCode === 'account_closed') return 'closed'
  return stateCode === 'account_blocked' ? 'blocked' : 'active'
}

/** What becomes of a payment to a recipient, where a usual one takes `settleMs` milliseconds. */
export function scenarioOf(recipient: Recipient, settleMs: number): Scenario {
  const { address, name, currency, outcome, state_code } = recipient
  const ending = endingOf(outcome, state_code)
  const after_ms = endsAfter(outcome, settleMs)
  return { address, channel: channelOf(address), name, currency, outcome, ...ending, after_ms }
}
