import type { FastifyInstance } from 'fastify'
import { documents } from '../src/contract/index.ts'
import { json } from './json_body.ts'

type Name = keyof typeof documents

/** What `npm run docs` has written, examples and all; read when it is first asked for. */
const readers: Readonly<Record<Name, () => Promise<{ readonly default: unknown }>>> = {
  service: () => import('../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

/** Serves the OpenAPI documents. */
export function documentRoutes(app: FastifyInstance): void {
  for (const [name, read] of Object.entries(readers)) {
    const { method, path } = documents[name as Name]
    let text: string | undefined
    app.route({
      method,
      url: path,
      handler: async (_request, reply) => {
        text ??= JSON.stringify((await read()).default)
        return reply.type(json).send(text)
      },
    })
  }
}
