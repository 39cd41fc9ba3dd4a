import type { ControlId, ControlOutputOf } from '../contract/control.ts'
import type { Endpoints, OutputOf } from '../contract/endpoints.ts'
import type * as contract from '../contract/index.ts'

/**
 * Data of an answer after `decode`. Required objects and lists exist. A string, number or boolean can be null or
 * missing, and a string can have a value that the interface does not list.
 */
export type Received<T> = T extends Uint8Array
  ? T
  : T extends string
    ? (string extends T ? string : T | OtherText) | None
    : T extends number
      ? number | None
      : T extends boolean
        ? boolean | None
        : T extends object
          ? { [K in keyof T]: Received<T[K]> }
          : T

/** Data with an id. */
export type Named<T> = T & { readonly id: string }

export const isNamed = <T extends { readonly id: string | None }>(data: T): data is Named<T> => Boolean(data.id)

/** Value of a member that was missing, or had a value of the wrong type. */
type None = null | undefined

type OtherText = string & Record<never, never>

/** The data of an endpoint's answer after `decode`. */
export type AnswerOf<Id extends keyof Endpoints> = Answers[Id]

type Answers = { readonly [Id in keyof Endpoints]: Received<OutputOf<Id>> }

/** The data of a control endpoint's answer after `decode`. */
export type ControlAnswerOf<Id extends ControlId> = ControlAnswers[Id]

type ControlAnswers = { readonly [Id in ControlId]: Received<ControlOutputOf<Id>> }

export type User = Received<contract.User>
export type Account = Received<contract.Account>
export type CreatedAccount = Received<contract.CreatedAccount>
export type AccountBalance = Received<contract.AccountBalance>
export type Money = Received<contract.Money>
export type Payment = Received<contract.Payment>
export type InitiatedPayment = Received<contract.InitiatedPayment>
export type PaymentValidation = Received<contract.PaymentValidation>
export type ServiceStatus = Received<contract.ServiceStatus>
export type PhoneInformation = Received<contract.PhoneInformation>
export type IbanInformation = Received<contract.IbanInformation>
export type WebhookSubscription = Received<contract.WebhookSubscription>
export type CreatedSubscription = Received<contract.CreatedSubscription>
export type DeletedSubscription = Received<contract.DeletedSubscription>
export type Page<Item> = Received<Omit<contract.Page<unknown>, 'data'>> & { data: Item[] }
