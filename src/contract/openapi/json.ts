export type Json = Readonly<Record<string, unknown>>

/** A JSON body, with examples if there are any. */
export const jsonContent = (schema: Json, examples: Json = {}): Json => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
})
