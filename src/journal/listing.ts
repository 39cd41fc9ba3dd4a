import type { Database } from 'better-sqlite3'
import { type IntentFilter, type IntentStatus, type Principal, unsettledStatuses } from './intent.ts'
import { columns, ofPrincipal, type Row } from './statements.ts'

type Bounds = Readonly<Record<string, string | number | null | undefined>>

export interface Query {
  readonly sql: string
  readonly bounds: Bounds
}

const pageSize = 500

/** Reads page by page, so that other statements can run and little is in memory while the caller works. */
export function* rowsOf(database: Database, filter: IntentFilter): Generator<Row, void> {
  const { sql, bounds } = pageQuery(filter)
  const statement = database.prepare<[Bounds], Row & { readonly seq: number }>(sql)
  let from = filter.oldestFirst ? 0 : Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = statement.all({ ...bounds, from })
    for (const { seq, ...row } of page) {
      from = seq
      yield row
    }
    if (page.length < pageSize) return
  }
}

export function countOf(database: Database, filter: IntentFilter): number {
  const { conditions, bounds } = conditionsOf(filter)
  const sql = `SELECT count(*) AS count FROM intents WHERE ${conditions.join(' AND ')}`
  return database.prepare<[Bounds], { readonly count: number }>(sql).get(bounds)?.count ?? 0
}

export function pageQuery(filter: IntentFilter): Query {
  const { conditions, bounds } = conditionsOf(filter)
  const [beyond, order] = filter.oldestFirst ? ['seq > :from', 'seq'] : ['seq < :from', 'seq DESC']
  const where = [beyond, ...conditions].join(' AND ')
  return { sql: `SELECT seq, ${columns} FROM intents WHERE ${where} ORDER BY ${order} LIMIT ${pageSize}`, bounds }
}

function conditionsOf({ statuses, batch, baseUrl, of, since }: IntentFilter): { conditions: string[]; bounds: Bounds } {
  const conditions = ['TRUE']
  if (statuses) conditions.push(inList(statuses))
  // In the words of the index of the unsettled ones, or SQLite would not see that it fits.
  if (statuses?.every((status) => unsettledStatuses.includes(status))) {
    conditions.push("status IN ('prepared', 'sent', 'unknown')")
  }
  if (batch !== undefined) conditions.push('batch = :batch')
  if (baseUrl !== undefined) conditions.push('base_url = :baseUrl')
  if (of !== undefined) conditions.push(ofPrincipal)
  if (since !== undefined) conditions.push('created_at >= :since')
  const bounds = Object.fromEntries(
    Object.entries({ batch, baseUrl, since, ...(of && boundsOf(of)) }).filter(([, value]) => value !== undefined),
  )
  return { conditions, bounds }
}

const boundsOf = ({ base_url, user, world }: Principal) => ({ base_url, user, world })

const inList = (statuses: readonly IntentStatus[]): string =>
  `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`
