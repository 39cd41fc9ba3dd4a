export type Json = Readonly<Record<string, unknown>>

/** A body in JSON. Without examples there is no room made for them. */
export const jsonContent = (schema: Json, examples: Json = {}): Json => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
})
