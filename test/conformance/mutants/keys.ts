import { randomUUID } from 'node:crypto'
import { idempotencyHeader } from '../../../src/contract/index.ts'
import { answers, data, handles, type Mutant, paying, payingOnce } from './mutant.ts'
import type { Answer, Request } from './mutating_proxy.ts'

const keyName = idempotencyHeader.toLowerCase()
const keyOf = ({ headers }: Request): string => headers[keyName] ?? ''
const withKey = (request: Request, key: string): Request => ({
  ...request,
  headers: { ...request.headers, [keyName]: key },
})

export const keys: readonly Mutant[] = [
  {
    name: 'a repeated key pays again',
    caughtBy: `${payingOnce} > the same key again gives the same payment, and makes no other`,
    start: handles('payments.create', () => {
      const used = new Set<string>()
      return async (request, send) => {
        const key = keyOf(request)
        if (!used.has(key)) {
          used.add(key)
          return send(request)
        }
        const answer = await send(withKey(request, randomUUID()))
        if (answer.body?.data) answer.body.data.idempotency_key = key
        return answer
      }
    }),
  },
  {
    name: 'a repeated key is refused as used',
    caughtBy: `${payingOnce} > the same key again gives the same payment, and makes no other`,
    start: answers('payments.create', (answer) => {
      if (answer.headers['idempotent-replayed'] === undefined) return
      answer.status = 409
      answer.body = { success: false, message: 'Payment already processed', data: null, errors: {} }
    }),
  },
  {
    name: 'a repeated key with another body pays again',
    caughtBy: `${payingOnce} > the same key with another body gives the first payment, and makes no other`,
    start: handles('payments.create', () => {
      const used = new Map<string, string>()
      return (request, send) => {
        const [key, body] = [keyOf(request), JSON.stringify(request.body)]
        const first = used.get(key) ?? body
        used.set(key, first)
        return send(first === body ? request : withKey(request, randomUUID()))
      }
    }),
  },
  {
    name: 'a key is forgotten once its payment has ended',
    caughtBy: `${payingOnce} > the same key gives the same payment after that has ended, and makes no other`,
    start: handles('payments.create', () => {
      const made = new Map<string, string>()
      return async (request, send) => {
        const first = made.get(keyOf(request))
        const read = { ...request, method: 'GET', url: `/api/payments/${first}`, body: undefined }
        const isOver = first !== undefined && (await send(read)).body.data.status === 'completed'
        const answer = await send(isOver ? withKey(request, randomUUID()) : request)
        if (answer.status === 201) made.set(keyOf(request), answer.body.data.id)
        return answer
      }
    }),
  },
  {
    name: 'a replay does not say that it is one',
    caughtBy:
      'idempotency > idempotency > a repeated key gets the original answer, marked as replayed, and makes no second payment',
    start: answers('payments.create', ({ headers }) => delete headers['idempotent-replayed']),
  },
  {
    name: 'a key that another user has used is replayed',
    caughtBy: 'idempotency > idempotency > keys belong to their user: two users may choose the same key',
    start: handles('payments.create', () => {
      const made = new Map<string, Answer>()
      return async (request, send) => {
        const answer = made.get(keyOf(request)) ?? (await send(request))
        if (answer.status === 201) made.set(keyOf(request), answer)
        return answer
      }
    }),
  },
  {
    name: 'keys are compared in lower case',
    caughtBy: 'idempotency > idempotency > keys are distinguished by case and to the last character',
    start: handles('payments.create', () => (request, send) => send(withKey(request, keyOf(request).toLowerCase()))),
  },
  {
    name: 'keys are compared by their first 64 characters',
    caughtBy: 'idempotency > idempotency > a key of 255 characters is taken as it is',
    start: handles('payments.create', () => (request, send) => send(withKey(request, keyOf(request).slice(0, 64)))),
  },
  {
    name: 'a request that was refused uses up its key',
    caughtBy: 'idempotency > idempotency > a request that was refused does not use up its key',
    start: handles('payments.create', () => {
      const refused = new Map<string, Answer>()
      return async (request, send) => {
        const answer = refused.get(keyOf(request)) ?? (await send(request))
        if (answer.status === 422) refused.set(keyOf(request), answer)
        return answer
      }
    }),
  },
  {
    name: 'a key is made up where there is none',
    caughtBy: `${paying} > POST /api/payments without a key is 400`,
    start: handles('payments.create', () => (request, send) => send(withKey(request, keyOf(request) || randomUUID()))),
  },
  {
    name: 'a validation overlooks that its key has paid',
    caughtBy: `${payingOnce} > a key that has paid is 409 for validation`,
    start: handles('payments.validate', () => (request, send) => send(withKey(request, randomUUID()))),
  },
  {
    name: 'a validation pays',
    caughtBy: `${payingOnce} > validation tells channel and fee, and makes no payment`,
    start: handles('payments.validate', () => async (request, send) => {
      const answer = await send(request)
      await send({ ...request, url: request.url.replace('/validate', '') })
      return answer
    }),
  },
  {
    name: 'a replay shows what has become of the payment',
    caughtBy: 'idempotency > idempotency > the answer is still the original after the payment’s status has changed',
    start: handles('payments.create', () => async (request, send) => {
      const answer = await send(request)
      if (answer.headers['idempotent-replayed'] === undefined) return answer
      const url = `/api/payments/${answer.body.data.id}`
      const { body } = await send({ ...request, method: 'GET', url, body: undefined })
      answer.body.data.status = body.data.status
      return answer
    }),
  },
  {
    name: 'a key is answered in lower case',
    caughtBy: 'idempotency > idempotency > keys are distinguished by case and to the last character',
    start: data('payments.create', (payment) => {
      payment.idempotency_key = payment.idempotency_key.toLowerCase()
    }),
  },
]
