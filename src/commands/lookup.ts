import { ApiError } from '../client/errors.ts'
import { CliError } from '../output/cli_error.ts'
import { detail, field, status } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import type { Context } from './context.ts'

/** What both lookups tell of a holder; a value that was not found has no more than itself and a status. */
interface Holder {
  readonly status: string
  readonly name?: string
  readonly document_number?: string
  readonly currency?: string
  readonly country_code?: string
  readonly entity_name?: string
}

interface Lookup<Row> {
  readonly values: readonly string[]
  readonly key: Column<Row>
  readonly find: (value: string) => Promise<Row>
  readonly missing: (value: string) => Row
}

/** One value is shown as a record; of many, each as it comes, those that are not found marked. */
export async function lookUp<Row extends Holder>(context: Context, lookup: Lookup<Row>): Promise<void> {
  const { values, key, find, missing } = lookup
  const columns = [key, ...holderColumns]
  const [first, ...others] = values
  if (first !== undefined && others.length === 0) return context.output.record(await find(first), columns)
  let lost = 0
  const found = async function* () {
    for (const value of values) {
      const row = await find(value).catch(nullIfMissing)
      if (row === null) lost += 1
      yield row ?? missing(value)
    }
  }
  await context.output.stream(found(), columns)
  if (lost > 0) {
    throw new CliError(
      'not_found',
      `${lost} of ${values.length} not found.`,
      'Check those numbers with who gave them to you.',
    )
  }
}

const holderColumns: readonly Column<Holder>[] = [
  field('name', ({ name }) => name),
  field('document_number', (holder) => holder.document_number),
  field('currency', ({ currency }) => currency),
  detail('country_code', (holder) => holder.country_code),
  field('entity_name', (holder) => holder.entity_name),
  status('status', (holder) => holder.status),
]

function nullIfMissing(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
