import type { Allowance } from './allowance.ts'
import { told } from './campaign.ts'
import { conformance } from './conformance.ts'
import { rehearsal } from './targets/rehearsal.ts'
import { remote } from './targets/remote.ts'
import { runningEmulator } from './targets/running_emulator.ts'
import { WriteJournal } from './writes.ts'

/** Parameters of this file. Tokens and secrets are in the environment. */
export interface Orders {
  readonly target:
    | { readonly kind: 'rehearsal'; readonly total: number }
    | { readonly kind: 'emulator'; readonly baseUrl: string; readonly settlesAsUsual: boolean }
    | {
        readonly kind: 'service'
        readonly baseUrl: string
        readonly payer: string | undefined
        readonly allowance: Allowance | null
        readonly authUrl: string | undefined
        readonly clientId: string | undefined
      }
  /** File that records the writes to the service. */
  readonly journal: string
}

const { target, journal: file } = told().orders as Orders
const {
  CONFORMANCE_TOKEN: token = '',
  CONFORMANCE_CONTROL_TOKEN: controlToken,
  CONFORMANCE_CLIENT_SECRET: secret,
} = process.env

function targetOf(): Parameters<typeof conformance>[0] {
  const journal = new WriteJournal(file)
  switch (target.kind) {
    case 'rehearsal':
      return rehearsal(journal, target.total)
    case 'emulator':
      return runningEmulator({ ...target, controlToken })
    case 'service': {
      const { authUrl, clientId: id } = target
      const client = id && secret ? { id, secret } : null
      return remote({ ...target, token, journal, oauth: authUrl === undefined ? null : { authUrl, client } })
    }
  }
}

conformance(targetOf())
