import type { Endpoint } from '../contract/endpoint.ts'

/** What the table tells of an answer at first sight. */
export interface Kind {
  /** The schema's type. */
  readonly type: string | undefined
  readonly list: Endpoint['list'] | undefined
}

/**
 * Whether data is of the kind that is promised: an object, a list, a page with a list in it. Its fields are not looked
 * at: a service may leave one out or send another, and its answer is of use all the same.
 */
export function isOfKind(data: unknown, { type, list }: Kind): boolean {
  if (type === 'array') return Array.isArray(data)
  if (type !== 'object') return true
  return list ? isPage(data) : isObject(data)
}

const isPage = (data: unknown): boolean => isObject(data) && Array.isArray(data.data)

const isObject = (data: unknown): data is { readonly data?: unknown } =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** Deeper than any answer is; JSON.stringify would run out of stack. */
const deepest = 200

export const isTooDeep = (value: unknown, levels = deepest): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1)))
