import type { EndpointId } from '../contract_check.ts'
import type { Answer, Json, Mutation, Request } from './mutating_proxy.ts'

/** A service with a fault. */
export interface Mutant {
  readonly name: string
  /** The case that catches the mutant: file > groups > title. */
  readonly caughtBy: string
  /** Starts the mutation for one server; each start has separate state. */
  readonly start: () => Mutation
}

/** Forwards a request to the service. */
type Send = (request: Request) => Promise<Answer>

/** Changes answers of an endpoint. */
export const answers =
  (id: EndpointId, change: (answer: Answer, request: Request) => void): Mutant['start'] =>
  () => ({
    async answer(request, send) {
      const answer = await send(request)
      if (request.endpoint === id) change(answer, request)
      return answer
    },
  })

/** Replaces one status of an endpoint with another status. */
export const renumbers = (id: EndpointId, status: number, wrong: number): Mutant['start'] =>
  answers(id, (answer) => {
    if (answer.status === status) answer.status = wrong
  })

/** Changes the data of an endpoint's successes. */
export const data = (id: EndpointId, change: (data: Json, request: Request) => void): Mutant['start'] =>
  answers(id, ({ body, status }, request) => {
    if (status < 300) change(body.data, request)
  })

/** Changes answers to any request. */
export const everywhere =
  (change: (answer: Answer) => void): Mutant['start'] =>
  () => ({
    async answer(request, send) {
      const answer = await send(request)
      change(answer)
      return answer
    },
  })

/** Changes tokens that the OAuth server issues; `grant` is the request's grant type. */
export const tokens =
  (change: (body: Json, grant: string) => void): Mutant['start'] =>
  () => ({
    async answer(request, send) {
      const answer = await send(request)
      if (answer.body?.access_token) change(answer.body, request.body.grant_type)
      return answer
    },
  })

/** Handles requests to an endpoint; `make` is called once for each server, so that the handler can have state. */
export const handles =
  (id: EndpointId, make: () => (request: Request, send: Send) => Promise<Answer>): Mutant['start'] =>
  () => {
    const handle = make()
    return { answer: (request, send) => (request.endpoint === id ? handle(request, send) : send(request)) }
  }

/** Changes the body of deliveries of an event. */
export const event =
  (name: string, change: (body: Json) => void): Mutant['start'] =>
  () => ({
    deliveries(delivery) {
      const body = structuredClone(delivery.body)
      if (body.event === name) change(body)
      return [{ ...delivery, body }]
    },
  })

/** Groups of cases, or single cases, that catch several mutants. */
export const reading = 'interface > the interface: reading'
export const paying = 'interface > the interface: paying'
export const payingOnce = 'interface > the interface: paying once'
export const notValid = 'interface > the interface: payments that are not valid'
export const access = 'interface > the interface: access'
export const limits = 'interface > the interface: limits'
export const hooks = 'interface > the interface: webhooks'
export const deliveries = 'interface > the interface: deliveries'
export const oauth = 'oauth > OAuth'
export const initiated = `${paying} > a payment is answered as initiated, read by its id and listed`
export const eventsOfOne = `${deliveries} > the events of a payment tell what it is`
export const subscriptionLife = `${hooks} > a subscription is made, suspended once, resumed once and deleted`

/** An amount without thousands separators. */
export const text = (minor: number, currency: string): string => `${(minor / 100).toFixed(2)} ${currency}`
