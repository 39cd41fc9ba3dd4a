import type { Suite } from '../suite.ts'
import { accessCases } from './interface/access.ts'
import { oauthInterfaceCases } from './interface/oauth.ts'
import { payingCases } from './interface/paying.ts'
import { readingCases } from './interface/reading.ts'
import { webhookCases } from './interface/webhooks.ts'

/**
 * What the interface itself says, in its own words: the cases for a service that was made by somebody else. Those in the
 * other files that prove a row of docs/decisions/emulator.md hold for the emulator only.
 */
export function interfaceCases(suite: Suite): void {
  readingCases(suite)
  accessCases(suite)
  payingCases(suite)
  webhookCases(suite)
  oauthInterfaceCases(suite)
}
