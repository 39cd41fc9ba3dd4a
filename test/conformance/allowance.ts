import { type Currency, type Endpoint, type EndpointId, endpoints } from '../../src/contract/index.ts'
import { formatMoney } from '../../src/contract/money.ts'
import { endpointOf } from './contract_check.ts'
import { demoNames } from './fixture.ts'
import { NotAllowed } from './not_applicable.ts'
import type { WireRequest, World } from './target.ts'
import type { WriteJournal } from './writes.ts'

/** Limits of writes to a service with real money. */
export interface Allowance {
  /** The only account that may be debited. */
  readonly account: { readonly id: string; readonly currency: Currency }
  /** Limit of the sum of all payment requests, in minor units. */
  readonly total: number
}

interface Guard {
  readonly token: string
  /** Null: no writes at all. */
  readonly allowance: Allowance | null
  readonly journal: WriteJournal
}

/**
 * Lets through the requests that a run may send to a service with real money: reads, and writes within the allowance.
 * Every payment request counts, even a refused request, because a service under test may accept a payment that it
 * should refuse. A payment may debit only the allowed account, and may go only to another account of the user, or to an
 * address of the demo that has the same holder at the service.
 */
export function guarded(exchange: World['exchange'], { token, allowance, journal }: Guard): World['exchange'] {
  let asked = 0
  let own: readonly { readonly id?: unknown; readonly iban?: unknown }[] = []
  const read = async (id: EndpointId, path: Readonly<Record<string, string>>, query = '') => {
    const { method, path: pattern }: Endpoint = endpoints[id]
    const url = pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? '')) + query
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
    const { status, text } = await exchange({ method, url, headers })
    return status === 200 ? JSON.parse(text).data : null
  }
  const isOwn = async (field: 'id' | 'iban', value: string): Promise<boolean> => {
    const known = () => own.some((account) => String(account[field]).toLowerCase() === value.toLowerCase())
    if (!known()) own = (await read('accounts.list', {}, '?per_page=1000'))?.data ?? []
    return known()
  }
  const holderIsKnown = async ({ recipient_iban: iban, recipient_phone: phone }: Fields): Promise<boolean> => {
    if (typeof iban === 'string') {
      if (await isOwn('iban', iban)) return true
      return demoNames(iban).includes((await read('iban.information', { iban }))?.name)
    }
    if (typeof phone !== 'string') return true // pays nobody
    return demoNames(phone.slice(-8)).includes((await read('phone.information', { phone }))?.name)
  }
  /** Subtracts the amount of a payment request, in minor units, from the allowance. */
  const reserve = (body: Fields, { account, total }: Allowance): number => {
    const minor = mostOf(body)
    if (minor > total - asked) {
      const [wanted, all, left] = [minor, total, total - asked].map((each) => formatMoney(each, account.currency))
      throw new NotAllowed(`asks for ${wanted}, of ${all} in all ${left} are left`)
    }
    asked += minor
    return minor
  }
  const checkParties = async (body: Fields, { account }: Allowance): Promise<void> => {
    const { source_account_id: source } = body
    if (typeof source === 'string' && source.toLowerCase() !== account.id && (await isOwn('id', source))) {
      throw new NotAllowed('would pay from another account than the one that was given')
    }
    if (!(await holderIsKnown(body))) throw new NotAllowed('would pay somebody who is not the demo’s holder')
  }
  const pay = async (wire: WireRequest, allowed: Allowance): Promise<number> => {
    const body = fieldsOf(wire)
    const minor = reserve(body, allowed)
    await checkParties(body, allowed).catch((error) => {
      asked -= minor
      throw error
    })
    return minor
  }

  return async (wire) => {
    const endpoint = endpointOf(wire.method, wire.url)
    if (wire.method === 'GET' || endpoint === 'payments.validate') return exchange(wire)
    if (allowance === null) throw new NotAllowed('writes to the service: needs --allow-payments')
    if (endpoint === undefined) return exchange(wire)
    const isPayment = endpoint === 'payments.create'
    const money = isPayment && { asked: { minor: await pay(wire, allowance), currency: allowance.account.currency } }
    const sent = journal.sent({ endpoint, ...money })
    const reply = await exchange(wire)
    journal.answered(sent, reply.status)
    return reply
  }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf({ payload }: WireRequest): Fields {
  try {
    const value: unknown = JSON.parse(String(payload))
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

/** The largest amount, in minor units, that a careless service could read from a value of any type. */
function mostOf({ amount }: Fields): number {
  const value = Math.abs(Number(Array.isArray(amount) ? amount[0] : amount))
  return Number.isNaN(value) ? 0 : Math.ceil(value)
}
