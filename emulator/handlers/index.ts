import type { Endpoints, Handlers } from '../../src/contract/index.ts'
import type { Context } from '../http/context.ts'
import { createAccount, getAccount, getBalance, getUser, listAccounts } from './accounts.ts'
import { getRates, getUpstreamRates, ibanInformation, phoneInformation } from './lookups.ts'
import { createPayment, getPayment, paymentHistory, serviceStatus, validatePayment } from './payments.ts'
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  resumeSubscription,
  suspendSubscription,
} from './webhooks.ts'

/** Handlers of the service's endpoints. */
export const handlers: Handlers<Endpoints, Context> = {
  'user.get': getUser,
  'accounts.list': listAccounts,
  'accounts.create': createAccount,
  'accounts.get': getAccount,
  'accounts.balance': getBalance,
  'payments.create': createPayment,
  'payments.validate': validatePayment,
  'payments.history': paymentHistory,
  'payments.serviceStatus': serviceStatus,
  'payments.get': getPayment,
  'phone.information': phoneInformation,
  'iban.information': ibanInformation,
  'fx.rates': getRates,
  'fx.upstream': getUpstreamRates,
  'webhooks.list': listSubscriptions,
  'webhooks.create': createSubscription,
  'webhooks.get': getSubscription,
  'webhooks.delete': deleteSubscription,
  'webhooks.suspend': suspendSubscription,
  'webhooks.resume': resumeSubscription,
}
