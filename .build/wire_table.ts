import type { Shape } from '../src/client/decode.ts'
import { type Endpoint, endpoints } from '../src/contract/index.ts'

/** Module that replaces src/contract/wire_table.ts in the bundle. */
export const wireTableModule = (): string => `export const wireTable = JSON.parse(${literal(wireRows())})`

/** Rows without the schemas of requests and errors, and with only the types of answers. */
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
