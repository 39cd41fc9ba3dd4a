/** A typed client of the service, and the arithmetic of the wire. */
export type { EndpointId, Endpoints, InputOf, ListId, OutputOf } from '../contract/endpoints.ts'
export { endpoints } from '../contract/endpoints.ts'
export type { IbanFault } from '../contract/iban.ts'
export { formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
export { formatMoney, money } from '../contract/money.ts'
export { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
export type { Account, AccountBalance, AccountStatus, CreatedAccount } from '../contract/schemas/account.ts'
export type { IbanInformation, PhoneInformation } from '../contract/schemas/lookup.ts'
export type { Currency, Money } from '../contract/schemas/money.ts'
export type { Page } from '../contract/schemas/page.ts'
export type {
  Channel,
  HistoryQuery,
  InitiatedPayment,
  Payment,
  PaymentStatus,
  PaymentValidation,
  SendPaymentBody,
  ServiceStatus,
  TransferType,
} from '../contract/schemas/payment.ts'
export type { User } from '../contract/schemas/user.ts'
export type { ErrorDetails } from '../errors/service_errors.ts'
export {
  ApiError,
  ContractError,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
} from '../errors/service_errors.ts'
export type { Answer, CallInput, Client, ClientOptions, ItemOf, RawAnswer, RawRequest } from './client.ts'
export { createClient } from './create_client.ts'
export { originalOf } from './decode.ts'
