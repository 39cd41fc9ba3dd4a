import type { ControlClient } from '../../client/control_client.ts'
import { originalOf } from '../../client/decode.ts'
import type { RequestDetail } from '../../contract/control/requests.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { asCurl, type SentBody, type SentRequest, sentRequest } from '../../contract/sent_request.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { escapeHidden } from '../../run/sanitise.ts'

// Prepares requests of the log for sending again from other tools.

/** A request of the log, with the data needed to send it again. */
export interface Exchange {
  readonly logged: RequestDetail
  readonly sent: SentRequest
}

/** Reads the requests with their bodies. Skips requests that the log has dropped in the meantime. */
export async function exchangesOf(ids: readonly string[], control: ControlClient): Promise<Exchange[]> {
  const found: RequestDetail[] = []
  for (const id of ids) {
    try {
      found.push(originalOf(await control.call('control.requests.get', { params: { id } })) as RequestDetail)
    } catch (error) {
      if (!isServiceAnswer(error, 404)) throw error
    }
  }
  const users = [...new Set(found.map(({ user }) => user))].filter((user) => user !== null)
  return found.map((logged) => ({ logged, sent: sentRequest(logged, tokenVariable(users.indexOf(logged.user ?? ''))) }))
}

/** Variable with the token of the nth user: `token`, `token_2`. */
const tokenVariable = (at: number): string => (at > 0 ? `token_${at + 1}` : 'token')

const table: Readonly<Record<string, Endpoint>> = endpoints

/** Description of the parts of the request that the log does not contain. */
export function gapsIn({ logged: { endpoint }, sent: { body } }: Exchange): readonly string[] {
  if (body === null && table[endpoint ?? '']?.body !== undefined) {
    return ['The log has no body: the request had none, or one of more than 4 KiB.']
  }
  return body !== null && bodyText(body).includes('***') ? ['Replace ***: the log hides this value.'] : []
}

/** `r12 payments.create: 201` */
export const titleOf = ({ id, endpoint, method, path, status }: RequestDetail): string =>
  `${id} ${endpoint ?? `${method} ${path}`}: ${status ?? 'no answer'}`

/** Formats of `--as`. */
export const textFormats = ['curl', 'http'] as const
export type TextFormat = (typeof textFormats)[number]

/** The requests as curl commands, or as a file for the HTTP clients of JetBrains and VS Code. */
export function textOf(exchanges: readonly Exchange[], format: TextFormat, baseUrl: string): string {
  const write = format === 'curl' ? curlText : httpText
  return escapeHidden(`${write(exchanges, baseUrl).join('\n\n')}\n`)
}

const curlText = (exchanges: readonly Exchange[], baseUrl: string): string[] =>
  exchanges.map((exchange) =>
    [
      `# ${titleOf(exchange.logged)}`,
      ...gapsIn(exchange).map((gap) => `# ${gap}`),
      asCurl(exchange.sent, baseUrl),
    ].join('\n'),
  )

const httpText = (exchanges: readonly Exchange[], baseUrl: string): string[] => [
  `@base_url = ${baseUrl}`,
  ...exchanges.map((exchange) => {
    const { logged, sent } = exchange
    const { method, path, body } = sent
    return [
      `### ${titleOf(logged)}`,
      ...gapsIn(exchange).map((gap) => `# ${gap}`),
      `${method} {{base_url}}${path}`,
      ...headersOf(sent).map(({ name, value }) => `${name}: ${value}`),
      ...(body === null ? [] : ['', bodyText(body)]),
    ].join('\n')
  }),
]

/** Headers of the request; the token is a variable in double braces. */
export const headersOf = ({ bearer, key, body }: SentRequest): { readonly name: string; readonly value: string }[] => [
  ...(bearer === null ? [] : [{ name: 'Authorization', value: `Bearer {{${bearer}}}` }]),
  ...(key === null ? [] : [{ name: idempotencyHeader, value: key }]),
  ...(body === null ? [] : [{ name: 'Content-Type', value: body.type }]),
]

/** The body; the secrets of a form are variables in double braces. */
export const bodyText = (body: SentBody): string =>
  body.type === 'application/json'
    ? JSON.stringify(body.json, null, 2)
    : body.form
        .map(
          ([name, value]) =>
            `${encodeURIComponent(name)}=${value === null ? `{{${name}}}` : encodeURIComponent(value)}`,
        )
        .join('&')
