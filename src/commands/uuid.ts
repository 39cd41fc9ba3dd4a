import { InvalidArgumentError } from 'commander'

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** A parser of UUIDs for an option or argument. */
export function uuid(text: string): string {
  const id = text.trim().toLowerCase()
  if (isUuid(id)) return id
  throw new InvalidArgumentError('Give a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301.')
}
