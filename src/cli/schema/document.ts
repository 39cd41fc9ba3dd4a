import type { TSchema } from 'typebox'
import { Components, type Json } from '../../contract/openapi/components.ts'

/** A JSON Schema by itself. Schemas that have a name in the contract are in `$defs`. */
export function schemaDocument(title: string, schema: TSchema): Json {
  const components = new Components()
  const root = components.schema(schema)
  const { schemas } = components.all() as { readonly schemas: Json }
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...root,
    ...(Object.keys(schemas).length > 0 && { $defs: schemas }),
  }
  return JSON.parse(JSON.stringify(document).replaceAll('"#/components/schemas/', '"#/$defs/'))
}
