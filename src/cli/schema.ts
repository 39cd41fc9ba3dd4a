import { type Static, type TSchema, Type } from 'typebox'
import { Components, type Json } from '../contract/openapi/components.ts'

// Helpers for the schemas of what commands print.

type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T

/** Fields of all members of a union. */
type Fields<T> = T extends unknown ? keyof T : never

/** The schema if it accepts every value of the type and describes every field of the type; otherwise `never`. */
type Of<T, S extends TSchema> =
  Fixed<T> extends Fixed<Static<S>> ? (Fields<T> extends Fields<Static<S>> ? S : never) : never

/** Ties a schema to the type of the printed value: does not compile if only one of them changes. */
export const shapeOf =
  <T>() =>
  <S extends TSchema>(schema: S & Of<T, S>): S =>
    schema

export const text = (description: string) => Type.String({ description })

export const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const count = (description: string) => Type.Integer({ minimum: 0, description })

export const flag = (description: string) => Type.Boolean({ description })

export const time = (description: string) => Type.String({ format: 'date-time', description })

export const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** A command to type, as a list of arguments that begins with `payctl`; null if there is none. */
export const commandOrNull = Type.Union([Type.Array(Type.String()), Type.Null()], {
  description: 'Next command, as arguments; null if no command follows, or if the user must fill in a value',
})

/** A JSON Schema without references to other documents. Schemas that have a name in the contract are in `$defs`. */
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
