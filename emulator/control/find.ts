import {
  ibanPattern,
  isPhone,
  type Match,
  mostMatches,
  nationalPhone,
  normalizeIban,
  normalizePhone,
} from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { ControlHandlers } from '../http/context.ts'
import { type LoggedRequest, requestId } from '../observation/request_log.ts'
import type { DeliveryRecord } from '../store/deliveries.ts'
import type { MoneyId } from '../store/queries.ts'
import type { Subscription } from '../store/subscriptions.ts'
import type { User } from '../store/users.ts'
import { seqOfWebhook } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'
import { aboutMoney } from './state.ts'

export const find: ControlHandlers['control.find'] = ({ query }, { world }) => {
  const text = query.id.trim().replace(/^(\.{2,}|…)/, '')
  const found = [...byId(text, world), ...byNumber(text, world), ...byReference(text, world), ...byAddress(text, world)]
  if (found.length > 0) return distinct(found)
  const parts = byPart(text, world)
  return distinct(parts.length > 0 ? parts : byText(text, world))
}

/** Keeps the first match of each resource, up to the limit. */
const distinct = (matches: readonly Match[]): Match[] =>
  [...new Map(matches.toReversed().map((match) => [`${match.kind} ${match.id}`, match])).values()]
    .reverse()
    .slice(0, mostMatches)

type Finder = (text: string, world: World) => Match[]

const byId: Finder = (text, { store }) => {
  const id = text.toLowerCase()
  return some(
    paymentMatch('id', store.payments.get(id)),
    accountMatch('id', store.accounts.get(id)),
    userMatch('id', store.users.byId(id)),
    subscriptionMatch('id', store.subscriptions.get(id)),
    creditMatch('id', store.ids.scheduledCredit(id)),
  )
}

/** Finds a request or a delivery by its id, or a payment by the number of one of its events. */
const byNumber: Finder = (text, { store, requests, settings }) => {
  const [, request] = /^r(\d{1,15})$/i.exec(text) ?? []
  const delivery = /^whd_\d+$/.test(text) ? seqOfWebhook(settings.get('series'), text) : undefined
  const event = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
  return some(
    request === undefined ? undefined : requestMatch('request_id', requests.get(Number(request))),
    delivery === undefined ? undefined : deliveryMatch(text, store.deliveries.get(delivery)),
    event === undefined ? undefined : paymentMatch('event_id', store.payments.withEvent(event)),
  )
}

/** A key also finds the requests that contained it, because a refused request makes no payment. */
const byReference: Finder = (text, { store, requests }) => {
  const [, credit] = /^CREDIT_([0-9a-f_]{36})$/i.exec(text) ?? []
  return some(
    ...store.payments.withKey(text).map((payment) => paymentMatch('idempotency_key', payment)),
    credit === undefined
      ? undefined
      : paymentMatch('idempotency_key', store.payments.get(credit.toLowerCase().replaceAll('_', '-'))),
    ...requests.list({ matches: ({ key }) => key === text }).map((request) => requestMatch('idempotency_key', request)),
    ...store.payments
      .withReference(text)
      .map((payment) =>
        paymentMatch(payment.channel_reference === text ? 'channel_reference' : 'sinpe_reference', payment),
      ),
    creditMatch('sinpe_reference', store.ids.scheduledCreditWith(text)),
  )
}

/** Finds the owner of an IBAN or phone, and the newest payments to this address. */
const byAddress: Finder = (text, { store }) => {
  const [iban, phone] = [normalizeIban(text), normalizePhone(text)]
  const isIban = new RegExp(ibanPattern).test(iban)
  if (!isIban && !isPhone(phone)) return []
  const matched = isIban ? 'iban' : 'phone'
  const address = isIban ? iban : nationalPhone(phone)
  const entry = store.registry.get(address)
  const user = isIban ? undefined : store.users.byPhone(address)
  const account = isIban ? store.accounts.byIban(address) : undefined
  const holder = entry ?? user ?? account
  const payments = holder ? store.payments.to(address, holder, mostMatches) : []
  return some(
    account && accountMatch(matched, account),
    userMatch(matched, user),
    entry && { matched, kind: 'registry_entry', id: entry.address, about: `${entry.name}, ${entry.outcome}` },
    ...payments.map((payment) => paymentMatch(matched, payment)),
  )
}

/** Finds resources by part of their ids, because lists show shortened ids, such as `...88f6b`. */
const byPart: Finder = (text, { store: { ids } }) => {
  if (!/^[0-9a-f-]{4,36}$/i.test(text)) return []
  const part = text.toLowerCase()
  return some(
    ...ids.payments(part).map((payment) => paymentMatch('part_of_id', payment)),
    ...ids.accounts(part).map((account) => accountMatch('part_of_id', account)),
    ...ids.users(part).map((user) => userMatch('part_of_id', user)),
    ...ids.subscriptions(part).map((subscription) => subscriptionMatch('part_of_id', subscription)),
    ...ids.scheduledCredits(part).map((credit) => creditMatch('part_of_id', credit)),
  )
}

const byText: Finder = (text, { store }) =>
  some(
    ...store.payments
      .search({ text }, { limit: mostMatches, offset: 0 })
      .items.map((payment) => paymentMatch('text', payment)),
  )

const some = (...matches: readonly (Match | undefined)[]): Match[] => matches.filter((match) => match !== undefined)

type Matched = Match['matched']
type Maybe<T> = T | undefined

const paymentMatch = (matched: Matched, payment: Maybe<Payment | MoneyId>): Maybe<Match> =>
  payment && { matched, kind: 'payment', id: payment.id, about: aboutMoney(payment) }

const creditMatch = (matched: Matched, credit: Maybe<MoneyId>): Maybe<Match> =>
  credit && { matched, kind: 'scheduled_credit', id: credit.id, about: aboutMoney(credit) }

const accountMatch = (
  matched: Matched,
  account: Maybe<{ readonly id: string; readonly iban: string; readonly currency: string }>,
): Maybe<Match> =>
  account && { matched, kind: 'account', id: account.id, about: `${account.iban}, ${account.currency}` }

const userMatch = (matched: Matched, user: Maybe<Pick<User, 'id' | 'name'>>): Maybe<Match> =>
  user && { matched, kind: 'user', id: user.id, about: user.name }

const subscriptionMatch = (matched: Matched, one: Maybe<Pick<Subscription, 'id' | 'url'>>): Maybe<Match> =>
  one && { matched, kind: 'subscription', id: one.id, about: one.url }

const deliveryMatch = (id: string, delivery: Maybe<DeliveryRecord>): Maybe<Match> =>
  delivery && { matched: 'delivery_id', kind: 'delivery', id, about: `${delivery.event}, ${delivery.status}` }

const requestMatch = (matched: Matched, request: Maybe<LoggedRequest>): Maybe<Match> =>
  request && {
    matched,
    kind: 'request',
    id: requestId(request.number),
    about: `${request.method} ${request.path}, ${request.status ?? 'no answer'}`,
  }
