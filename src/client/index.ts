/** The typed client of the service, and helpers for amounts, IBANs and phone numbers. */
export type { EndpointId, Endpoints, InputOf, ListId, OutputOf } from '../contract/endpoints.ts'
export { endpoints } from '../contract/endpoints.ts'
export type { EventName } from '../contract/event_names.ts'
export type { EventBody } from '../contract/events.ts'
export type { IbanFault } from '../contract/iban.ts'
export { formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
export { formatMoney, money } from '../contract/money.ts'
export { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
export type { AccountStatus } from '../contract/schemas/account.ts'
export type {
  Channel,
  HistoryQuery,
  PaymentStatus,
  SendPaymentBody,
  TransferType,
} from '../contract/schemas/payment.ts'
export type { Currency } from '../contract/schemas/scalars.ts'
export type { ErrorDetails } from '../errors/service_errors.ts'
export {
  ApiError,
  ContractError,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
} from '../errors/service_errors.ts'
export type {
  Answer,
  CallInput,
  Client,
  ClientOptions,
  ItemOf,
  ListInput,
  RawAnswer,
  RawRequest,
  StrictClient,
} from './client.ts'
export { createClient } from './create_client.ts'
export { originalOf } from './decode.ts'
export type {
  Account,
  AccountBalance,
  AnswerOf,
  CreatedAccount,
  IbanInformation,
  InitiatedPayment,
  Money,
  Page,
  Payment,
  PaymentValidation,
  PhoneInformation,
  Received,
  ServiceStatus,
  User,
} from './received.ts'
