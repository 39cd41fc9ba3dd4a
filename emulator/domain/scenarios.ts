import type { Channel, RegistryEntry, Scenario } from '../../src/contract/index.ts'
import { endingOf, endsAfter } from './lifecycle.ts'

type Recipient = Pick<RegistryEntry, 'address' | 'name' | 'currency' | 'outcome' | 'state_code'>

/** The rail that gets to an address of another bank. */
export const channelOf = (address: string): Channel => (address.startsWith('CR') ? 'pin' : 'sinpe_movil')

/** What becomes of a payment to a recipient, where a usual one takes `settleMs` milliseconds. */
export function scenarioOf(recipient: Recipient, settleMs: number): Scenario {
  const { address, name, currency, outcome, state_code } = recipient
  const ending = endingOf(outcome, state_code)
  const after_ms = endsAfter(outcome, settleMs)
  return { address, channel: channelOf(address), name, currency, outcome, ...ending, after_ms }
}
