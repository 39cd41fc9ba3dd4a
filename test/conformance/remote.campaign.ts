import type { Allowance } from './allowance.ts'
import { told } from './campaign.ts'
import { conformance } from './conformance.ts'
import { rehearsal } from './targets/rehearsal.ts'
import { remote } from './targets/remote.ts'
import { WriteJournal } from './writes.ts'

/** What this file is told. */
export interface Orders {
  /** Null for a rehearsal. */
  readonly service: {
    readonly baseUrl: string
    readonly payer: string | undefined
    readonly allowance: Allowance | null
  } | null
  /** Where it is written down what is written at the service. */
  readonly journal: string
}

const { service, journal: file } = told().orders as Orders
const journal = new WriteJournal(file)

conformance(
  service === null ? rehearsal(journal) : remote({ ...service, token: process.env.CONFORMANCE_TOKEN ?? '', journal }),
)
