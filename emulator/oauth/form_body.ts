import type { FastifyRequest } from 'fastify'

export const form = 'application/x-www-form-urlencoded'

type Done = (error: Error | null, body?: unknown) => void

/** A form's fields by name; those of a name that repeats are an array, as in a query. */
export function parseForm(_request: FastifyRequest, body: string | Buffer, done: Done): void {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(body.toString())) {
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (typeof before === 'string') fields[name] = [before, value]
    else before.push(value)
  }
  done(null, fields)
}
