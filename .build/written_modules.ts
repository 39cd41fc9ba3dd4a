import type { CommandRecord } from '../src/cli/command.ts'
import { type Listing, loadListing } from '../src/cli/manifest.ts'
import { subcommandsOf } from '../src/cli/register.ts'
import type { Shape } from '../src/client/decode.ts'
import { root } from '../src/commands/index.ts'
import { type Endpoint, endpoints } from '../src/contract/index.ts'

/** Module that replaces src/contract/wire_table.ts in the bundle. */
export const wireTableModule = (): string => `export const wireTable = JSON.parse(${literal(wireRows())})`

/**
 * Rows of the endpoint table without their texts and without the schemas of requests and errors; schemas of answers
 * keep only their types.
 */
function wireRows(): Record<string, unknown> {
  const rows: [string, Endpoint][] = Object.entries(endpoints)
  return Object.fromEntries(
    rows.map(([name, { params, query, headers, body, errors, summary, description, success, ...row }]) => [
      name,
      { ...row, success: { data: shapeOf(success.data as Shape) } },
    ]),
  )
}

/** Keywords that src/client/decode.ts reads when it is not strict. */
const shapeOf = ({ type, properties, required, patternProperties, items, anyOf, enum: values }: Shape): Shape => ({
  ...((type ?? values) && { type: type ?? 'string' }),
  ...(properties && { properties: shapesOf(properties) }),
  ...(required && { required }),
  ...(patternProperties && { patternProperties: shapesOf(patternProperties) }),
  ...(items && { items: shapeOf(items) }),
  ...(anyOf && { anyOf: anyOf.map(shapeOf) }),
})

const shapesOf = (shapes: Readonly<Record<string, Shape>>): Record<string, Shape> =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shapeOf(shape)]))

const literal = (value: unknown): string => JSON.stringify(JSON.stringify(value))

/**
 * Module that replaces src/cli/manifest.ts in the bundle, so that listing the commands does not load the command
 * modules.
 */
export const manifestModule = async (): Promise<string> =>
  `export const manifest = JSON.parse(${JSON.stringify(JSON.stringify(await listingsOf(root)))})
export const loadListing = () => {
  throw new Error('The manifest has every command.')
}`

async function listingsOf(record: CommandRecord, path = ''): Promise<Readonly<Record<string, Listing>>> {
  const all = await Promise.all(
    subcommandsOf(record).map(async ({ name, load }) => {
      const own = `${path} ${name}`.trim()
      return { [own]: await loadListing(load), ...(await listingsOf(await load(), own)) }
    }),
  )
  return Object.assign({}, ...all)
}
