import type { NetworkFault } from '../script/script.ts'

// A gateway that answers instead of the service.

/** Retry delay of a gateway's answers, in milliseconds. */
export const gatewayWait = 2000

const refusal = [
  '422 Unprocessable Content\r\nContent-Type: application/json',
  '{"success":false,"message":"Insufficient balance","data":null,"errors":{"amount":["Insufficient balance"]}}',
] as const

const gatewayAnswers: Partial<Record<NetworkFault, readonly [status: string, body: string]>> = {
  'answered 401': [
    '401 Unauthorized\r\nContent-Type: application/json',
    '{"success":false,"message":"Unauthenticated.","data":null,"errors":{}}',
  ],
  'answered 429': [
    `429 Too Many Requests\r\nRetry-After: ${gatewayWait / 1000}\r\nContent-Type: application/json`,
    '{"success":false,"message":"Too Many Attempts.","data":null,"errors":{}}',
  ],
  'answered 503': ['503 Service Unavailable', '<h1>Service unavailable</h1>'],
  'answer replaced by 400': ['400 Bad Request\r\nContent-Type: application/json', '{"message":"Blocked by a rule."}'],
  'answer replaced by 404': [
    '404 Not Found\r\nContent-Type: application/json',
    '{"success":false,"message":"No such route.","data":null,"errors":{}}',
  ],
  'answer replaced by 409': [
    '409 Conflict\r\nContent-Type: application/json',
    '{"success":false,"message":"This request is under way.","data":null,"errors":{}}',
  ],
  'answer replaced by 502': ['502 Bad Gateway', '<h1>Bad gateway</h1>'],
  'answered 422': refusal,
  'answer followed by 422': refusal,
}

/**
 * Answer of a gateway, sometimes in the service's own form, so that a client can treat it as an answer of the service.
 */
export function gatewayAnswer(fault: NetworkFault): Buffer {
  const [head, body] = gatewayAnswers[fault] ?? ['500 Internal Server Error', '']
  return Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}
