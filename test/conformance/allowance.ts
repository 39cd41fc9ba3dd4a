import { TestRunner } from 'vitest'
import { type Endpoint, type EndpointId, endpoints, idempotencyHeader } from '../../src/contract/index.ts'
import { endpointOf } from './contract_check.ts'
import { demoNames } from './fixture.ts'
import type { WireRequest, World } from './target.ts'

/** A request that the run may not make at a service that is no emulator; the case that makes it is skipped. */
class NotAllowed extends Error {}

/** Inside a case: skips it and says why. */
export function skipIfNotAllowed(error: unknown): never {
  if (error instanceof NotAllowed) TestRunner.getCurrentTest()?.context.skip(error.message)
  throw error
}

export function unlessNotAllowed(error: unknown): void {
  if (!(error instanceof NotAllowed)) throw error
}

interface Limits {
  /** Most that all payments together may ask for, in minor units of whatever currency. Null: nothing is written at all. */
  readonly total: number | null
  readonly token: string
}

/**
 * Lets through what a run may do at a service with real money: reads, and with `total` writes. Every payment that is
 * asked for counts, refused or not, because a service under test may take what it should refuse. A payment goes only
 * to an account of the user's own, or to one of the demo's addresses that the demo's holder holds here too.
 */
export function guarded(exchange: World['exchange'], { total, token }: Limits): World['exchange'] {
  let asked = 0
  const read = async (id: EndpointId, params: Readonly<Record<string, string>> = {}) => {
    const { method, path }: Endpoint = endpoints[id]
    const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
    const { status, text } = await exchange({ method, url, headers })
    return status === 200 ? JSON.parse(text).data : null
  }

  const holderIsKnown = async (body: Record<string, unknown>): Promise<boolean> => {
    const { recipient_iban: iban, recipient_phone: phone } = body
    if (typeof iban === 'string') {
      const accounts: { iban?: unknown }[] = (await read('accounts.list'))?.data ?? []
      if (accounts.some((account) => account.iban === iban)) return true
      return demoNames(iban).includes((await read('iban.information', { iban }))?.name)
    }
    if (typeof phone !== 'string') return true // pays nobody
    return demoNames(phone.slice(-8)).includes((await read('phone.information', { phone }))?.name)
  }

  return async (wire) => {
    const id = endpointOf(wire.method, wire.url)
    if (wire.method === 'GET' || id === 'payments.validate') return exchange(wire)
    if (total === null) throw new NotAllowed('writes to the service: give --allow-payments <most in all>')
    if (id !== 'payments.create') return exchange(wire)
    const body = bodyOf(wire)
    const amount = mostOf(body)
    if (amount > total - asked) {
      throw new NotAllowed(`asks for ${amount} minor units, of ${total} in all ${total - asked} are left`)
    }
    if (!(await holderIsKnown(body))) throw new NotAllowed('would pay somebody who is not the demo’s holder')
    asked += amount
    return exchange(wire)
  }
}

function bodyOf({ payload, headers }: WireRequest): Record<string, unknown> {
  if (headers[idempotencyHeader] === undefined && payload === undefined) return {}
  try {
    const value: unknown = JSON.parse(String(payload))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** What a careless service could make of an amount of any type, in minor units. */
function mostOf({ amount }: Record<string, unknown>): number {
  const value = Math.abs(Number(Array.isArray(amount) ? amount[0] : amount))
  return Number.isNaN(value) ? 0 : Math.ceil(value)
}
