import { documents } from '../src/contract/index.ts'
import type { Route } from './http_server.ts'
import { json } from './json_body.ts'

type Name = keyof typeof documents

/** What `npm run docs` has written, examples and all; read when it is first asked for. */
const readers: Readonly<Record<Name, () => Promise<{ readonly default: unknown }>>> = {
  service: () => import('../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

/** Serves the OpenAPI documents. */
export const documentRoutes: readonly Route[] = Object.entries(readers).map(([name, read]) => {
  let text: string | undefined
  return {
    ...documents[name as Name],
    parsers: {},
    admit: () => {},
    async handle(_request, reply) {
      text ??= JSON.stringify((await read()).default)
      reply.send(json, text)
    },
  }
})
