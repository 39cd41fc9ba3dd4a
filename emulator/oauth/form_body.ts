export const form = 'application/x-www-form-urlencoded'

/** A form's fields by name; those of a name that repeats are an array, as in a query. */
export function parseForm(text: string): unknown {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (typeof before === 'string') fields[name] = [before, value]
    else before.push(value)
  }
  return fields
}
