import type { Suite } from '../suite.ts'
import { accessCases } from './interface/access.ts'
import { oauthInterfaceCases } from './interface/oauth.ts'
import { payingCases } from './interface/paying.ts'
import { readingCases } from './interface/reading.ts'
import { webhookCases } from './interface/webhooks.ts'

/**
 * Cases for any service: they test only what the interface itself says. Cases in the other files that prove a row of
 * docs/decisions/emulator.md apply to the emulator only.
 */
export function interfaceCases(suite: Suite): void {
  readingCases(suite)
  accessCases(suite)
  payingCases(suite)
  webhookCases(suite)
  oauthInterfaceCases(suite)
}
