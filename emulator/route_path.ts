import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../src/contract/index.ts'

/** `{id}` in the table is `:id` to the router. */
export const routePath = ({ path }: Endpoint): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The path of a request, without its query. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] as string

/** The parameters in the path of a request. */
export const paramsOf = (request: FastifyRequest): Readonly<Record<string, string>> =>
  (request.params ?? {}) as Record<string, string>
