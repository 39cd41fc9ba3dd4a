import type { TSchema } from 'typebox'
import type { ControlId } from '../contract/control.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/index.ts'
import type { CommandRecord, Prints } from './command.ts'
import { subcommandsOf, variantsOf } from './register.ts'

// Descriptions of what commands print with --json. Schemas are loaded on first use.

type Schema = TSchema | Promise<TSchema>

export const object = (schema: () => Schema): Prints => ({ shape: 'object', schema: async () => schema() })

export const lines = (schema: () => Schema): Prints => ({ shape: 'lines', schema: async () => schema() })

export const array = (row: () => Schema): Prints => ({
  shape: 'array',
  async schema() {
    const { Type } = await import('typebox')
    return Type.Array(await row())
  },
})

export const text: Prints = { shape: 'text' }
export const nothing: Prints = { shape: 'nothing' }

/** Output of a command that prints the data of an endpoint's answer. */
export const answer = (id: EndpointId | ControlId): Prints => object(() => dataOf(id))

/** Output of a command that prints the rows of an endpoint's list or page. */
export const rows = (id: EndpointId | ControlId): Prints => array(() => rowOf(id))

async function dataOf(id: EndpointId | ControlId): Promise<TSchema> {
  const [{ endpoints }, { controlEndpoints }] = await Promise.all([
    import('../contract/endpoints.ts'),
    import('../contract/control.ts'),
  ])
  return ({ ...endpoints, ...controlEndpoints }[id] as Endpoint).success.data
}

async function rowOf(id: EndpointId | ControlId): Promise<TSchema> {
  const data: TSchema & { items?: TSchema; properties?: Record<string, TSchema> } = await dataOf(id)
  const list: TSchema & { items?: TSchema } = data.items ? data : (data.properties?.data ?? data)
  if (!list.items) throw new Error(`${id} does not answer with a list.`)
  return list.items
}

/** Outputs of all commands, keyed by command and by the flag or argument that changes the shape. */
export async function printsOf(record: CommandRecord, path = ''): Promise<Readonly<Record<string, Prints>>> {
  const own = variantsOf(record.prints).map(([variant, prints]) => [`${path} ${variant}`.trim(), prints] as const)
  const inner = await Promise.all(
    subcommandsOf(record).map(async ({ name, load }) => printsOf(await load(), `${path} ${name}`.trim())),
  )
  return Object.assign(Object.fromEntries(own), ...inner)
}
