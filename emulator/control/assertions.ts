import {
  type DeliveredBody,
  type Endpoint,
  endpoints,
  formatMoney,
  isPhone,
  isUnderWay,
  nationalPhone,
  normalizeIban,
  normalizePhone,
  oauthEndpoints,
  type ReceivedBody,
} from '../../src/contract/index.ts'
import type { ControlHandlers } from '../http/context.ts'
import { type Came, judged } from '../observation/expectations.ts'
import { type LoggedRequest, requestId } from '../observation/request_log.ts'
import { webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'

export const assertionHandlers = {
  'control.assertions.received': ({ body: { times, ...expected } }, { world }) =>
    judged(
      { expected, times, noun: [`request to ${expected.endpoint}`, `requests to ${expected.endpoint}`] },
      world.requests.list().map((request) => requestCame(request, expected)),
    ),

  'control.assertions.delivered'({ body: { times, status = 'delivered', ...given } }, { world }) {
    const { payment, subscription } = given
    const ids = { payment: payment?.toLowerCase(), subscription: subscription?.toLowerCase() }
    const expected = { ...given, ...ids, status }
    const noun = [`delivery of ${given.event}`, `deliveries of ${given.event}`] as const
    return judged({ expected, times, noun }, deliveriesCame(world, expected))
  },

  'control.assertions.paid'({ body: { times = 1, ...given } }, { world }) {
    const { payee, account, status = moving } = given
    const expected = { ...given, payee: addressOf(payee), account: account?.toLowerCase(), status }
    const amount = formatMoney(given.amount, given.currency ?? '').trim()
    const noun = [`payment of ${amount} to ${given.payee}`, `payments of ${amount} to ${given.payee}`] as const
    return judged({ expected, times, noun }, paymentsCame(world, expected))
  },

  'control.assertions.balanced'(_, { world }) {
    const problems = world.store.ledger.problems()
    const pass = problems.length === 0
    const message = pass ? 'The ledger adds up.' : `The ledger does not add up: ${problems.join('; ')}.`
    return { pass, message, problems }
  },
} satisfies Partial<ControlHandlers>

const templates: Readonly<Record<string, Pick<Endpoint, 'path'>>> = { ...endpoints, ...oauthEndpoints }

function requestCame(request: LoggedRequest, expected: Pick<ReceivedBody, 'endpoint'>): Came {
  const { number, method, path, endpoint, status, key, query, body } = request
  const parameters = endpoint === null ? {} : parametersIn(path, templates[endpoint]?.path ?? '')
  return {
    id: requestId(number),
    what: `${method} ${path}, ${status ?? 'no answer'}`,
    members: { endpoint, key, params: parameters, query, body, status },
    isOfKind: endpoint === expected.endpoint,
  }
}

/** Parameters of a path by the template of its endpoint: `/api/payments/{id}`. */
function parametersIn(path: string, template: string): Record<string, string> {
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return { ...new RegExp(`^${pattern}$`).exec(path)?.groups }
}

function deliveriesCame(world: World, expected: Pick<DeliveredBody, 'event'>): Came[] {
  const series = world.settings.get('series')
  return world.store.deliveries.madeHere().map(({ seq, ...delivery }) => {
    const { event, url, status, attempts } = delivery
    const what = `${event} to ${url}, ${status} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return { id: webhookId(series, seq), what, members: delivery, isOfKind: event === expected.event }
  })
}

/** Statuses of payments that moved their money or still may. */
const moving = 'pending, processing or completed'

const addressOf = (payee: string): string => {
  const phone = normalizePhone(payee)
  return isPhone(phone) ? nationalPhone(phone) : normalizeIban(payee)
}

function paymentsCame({ store }: World, expected: { readonly payee: string; readonly status: string }): Came[] {
  const accounts = new Map(store.accounts.all().map(({ seq, id }) => [seq, id]))
  return store.payments
    .madeHere()
    .filter(({ transfer_type }) => transfer_type === 'debit')
    .map((payment) => {
      const { id, amount, currency, status, payee } = payment
      const address = [payee.iban, payee.phone].find((one) => one === expected.payee) ?? payee.phone ?? payee.iban
      const isMoving = isUnderWay(status) || status === 'completed'
      const shown = expected.status === moving && isMoving ? moving : status
      return {
        id,
        what: `${formatMoney(amount, currency)} to ${address}, ${status}`,
        members: { payee: address, amount, currency, account: accounts.get(payment.account), status: shown },
        isOfKind: address === expected.payee,
      }
    })
}
