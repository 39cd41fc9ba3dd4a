import type { FastifyRequest } from 'fastify'
import { badJson } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'

export const json = 'application/json'

type Done = (error: Error | null, body?: unknown) => void

/** An empty body is one without fields; anything else has to be JSON, unless its path is unknown anyway. */
export function parseJson(request: FastifyRequest, text: string | Buffer, done: Done): void {
  let body: unknown = {}
  try {
    if (text.length > 0 && !request.is404) body = JSON.parse(text.toString())
  } catch {
    done(new Refusal(400, { message: badJson }))
    return
  }
  done(null, body)
}
