import { idempotencyHeader } from '../../../src/contract/headers.ts'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { asCurl, type SentRequest, sentRequest } from '../../../src/contract/sent_request.ts'
import { shellWord } from '../../../src/contract/shell_word.ts'
import { worldBase } from '../frame/session.ts'

/** Converts a logged request to a form that can be sent again. */
export const asSent = (request: ControlOutputOf<'control.requests.get'>): SentRequest => sentRequest(request, 'token')

const baseUrl = `${location.origin}${worldBase}`

/** Writes the request as a curl command. */
export const curlCommand = (sent: SentRequest): string => asCurl(sent, baseUrl)

/** Writes the request as a payctl command. */
export function apiCommand({ method, path, key, body }: SentRequest): string {
  const json = body?.type === 'application/json' ? JSON.stringify(body.json) : null
  const command = [
    'payctl',
    `--base-url ${shellWord(baseUrl)}`,
    `api ${shellWord(method)} ${shellWord(path)}`,
    key === null ? '' : `--header ${shellWord(`${idempotencyHeader}: ${key}`)}`,
    json === null ? '' : '--input -',
  ]
  const line = command.filter(Boolean).join(' ')
  return json === null ? line : `printf %s ${shellWord(json)} | ${line}`
}
