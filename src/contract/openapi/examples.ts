import type { Json } from './json.ts'

/** Requests or answers by name. */
export type Named = Readonly<Record<string, { readonly value: unknown }>>

/** The recordings of one operation. */
interface OperationExamples {
  /** Values of path, query and header parameters. */
  readonly parameters?: Json
  readonly request?: Named
  /** By status. */
  readonly responses?: Readonly<Record<string, Named>>
}

/** By operation id. */
export type Examples = Readonly<Record<string, OperationExamples>>

/** The first example of a status over all operations, for answers that are equal in all of them. */
export function firstOf(examples: Examples, status: number): Named {
  for (const { responses } of Object.values(examples)) {
    const named = responses?.[status]
    if (named) return named
  }
  return {}
}
