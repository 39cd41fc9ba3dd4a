import { type Endpoint, endpoints, formatMoney, type ReceivedBody } from '../../src/contract/index.ts'
import { invalid } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { ledgerOf } from './readings.ts'

/** Loaded at its first use: the start of the emulator does not need it. */
const expectations = () => import('../observation/expectations.ts')

export const assertionHandlers = {
  async 'control.assertions.received'({ body: { times, ...expected } }, { world }) {
    refuseUnknownNames(expected)
    const { judged, requestsCame } = await expectations()
    const noun = [`request to ${expected.endpoint}`, `requests to ${expected.endpoint}`] as const
    const came = requestsCame(world, expected)
    const dropped = world.requests.count(expected.endpoint).answered - came.filter(({ isOfKind }) => isOfKind).length
    return judged({ expected, times, noun, dropped }, came)
  },

  async 'control.assertions.delivered'({ body: { times, status = 'delivered', ...given } }, { world }) {
    const { judged, deliveriesCame } = await expectations()
    const { event, payment, subscription } = given
    const ids = { payment: payment?.toLowerCase(), subscription: subscription?.toLowerCase() }
    const expected = { ...given, ...ids, status }
    const noun = [`delivery of ${event}`, `deliveries of ${event}`] as const
    return judged({ expected, times, noun }, deliveriesCame(world, expected))
  },

  async 'control.assertions.paid'({ body: { times = 1, ...given } }, { world }) {
    const { addressOf, judged, moving, paymentsCame } = await expectations()
    const { payee, account, status = moving } = given
    const expected = { ...given, payee: addressOf(payee), account: account?.toLowerCase(), status }
    const amount = formatMoney(given.amount, given.currency ?? '').trim()
    const noun = [`payment of ${amount} to ${payee}`, `payments of ${amount} to ${payee}`] as const
    return judged({ expected, times, noun }, paymentsCame(world, expected))
  },

  async 'control.assertions.balanced'(_, context) {
    const { balanced: pass, problems } = await ledgerOf(context)
    const message = pass ? 'The ledger adds up.' : `The ledger does not add up: ${problems.join('; ')}.`
    return { pass, message, problems }
  },

  'control.breaches'(_, { worlds, name }) {
    const { strict, breaches } = worlds.find(name)
    return { strict, ...breaches.all() }
  },
} satisfies Partial<ControlHandlers>

/**
 * Refuses names of parameters that the endpoint does not have: no request could match them. Throws a Refusal with 422.
 */
function refuseUnknownNames({ endpoint, params = {}, query = {} }: ReceivedBody): void {
  const row = Object.hasOwn(endpoints, endpoint) ? (endpoints as Record<string, Endpoint>)[endpoint] : undefined
  if (!row) return
  const ofPath = new Set([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const ofQuery = new Set(Object.keys(row.query?.properties ?? {}))
  const given = [
    ...Object.keys(params).map((name) => ({ field: `params.${name}`, isKnown: ofPath.has(name) })),
    ...Object.keys(query).map((name) => ({ field: `query.${name}`, isKnown: ofQuery.has(name) })),
  ]
  const unknown = given.find(({ isKnown }) => !isKnown)
  if (unknown) throw invalid(unknown.field, `The ${unknown.field} field does not exist.`)
}
