import { type Channel, channels, type TransferType, transferTypes } from '../../src/contract/index.ts'
import type { Slice } from '../domain/paginator.ts'
import type { Payment } from '../domain/payment.ts'
import type { Statements } from './database.ts'

export interface HistoryFilter {
  readonly channel?: Channel | null
  readonly transfer_type?: TransferType | null
  readonly recipient_document_number?: string | null
}

export interface Window {
  readonly limit: number
  readonly offset: number
}

/** Payments of one channel and transfer type: a list with separate positions. */
interface Kind {
  readonly channel: Channel
  readonly type: TransferType
}

interface PayeeAndKind {
  readonly user: number
  readonly document: string
  readonly channel: Channel | null
  readonly type: TransferType | null
}

/** Maximum number of lists whose last position is cached. */
const maxLastPositions = 10_000

/**
 * Pages of a user's payments, newest first. The payments of each list are numbered without gaps, so any page is found
 * without counting: the last page of a million payments costs as much as the first. Only a filter on the payee that is
 * combined with another filter reads all payments to that payee.
 */
export function historyIn<Row extends object>(db: Statements, select: string) {
  const positioned = select.replace('SELECT ', 'SELECT position, ')
  const last = db.prepare<[number], number>(
    'SELECT position FROM payments WHERE user = ? ORDER BY position DESC LIMIT 1',
  )
  const lastOfKind = db.prepare<[number, Channel, TransferType], number>(
    `SELECT kind_position FROM payments WHERE user = ? AND channel = ? AND transfer_type = ?
     ORDER BY kind_position DESC LIMIT 1`,
  )
  const lastOfPayee = db.prepare<[number, string], number>(
    `SELECT payee_position FROM payments WHERE user = ? AND payee_document_number = ?
     ORDER BY payee_position DESC LIMIT 1`,
  )
  const positionInKind = db.prepare<[number, Channel, TransferType, number], number>(
    'SELECT position FROM payments WHERE user = ? AND channel = ? AND transfer_type = ? AND kind_position = ?',
  )
  for (const statement of [last, lastOfKind, lastOfPayee, positionInKind]) statement.pluck()
  const page = db.prepare<[number, number, number], Row>(
    `${select} WHERE user = ? AND position <= ? ORDER BY position DESC LIMIT ?`,
  )
  const pageOfKind = db.prepare<[number, Channel, TransferType, number, number], Row & { readonly position: number }>(
    `${positioned} WHERE user = ? AND channel = ? AND transfer_type = ? AND kind_position <= ?
     ORDER BY kind_position DESC LIMIT ?`,
  )
  const pageOfPayee = db.prepare<[number, string, number, number], Row>(
    `${select} WHERE user = ? AND payee_document_number = ? AND payee_position <= ?
     ORDER BY payee_position DESC LIMIT ?`,
  )
  const ofPayeeAndKind = `WHERE user = @user AND payee_document_number = @document
    AND (channel = @channel OR @channel IS NULL) AND (transfer_type = @type OR @type IS NULL)`
  const countOfPayeeAndKind = db
    .prepare<[PayeeAndKind], number>(`SELECT count(*) FROM payments ${ofPayeeAndKind}`)
    .pluck()
  const pageOfPayeeAndKind = db.prepare<[PayeeAndKind & Window], Row>(
    `${select} ${ofPayeeAndKind} ORDER BY payee_position DESC LIMIT @limit OFFSET @offset`,
  )

  const all = (user: number, { limit, offset }: Window): Slice<Row> => {
    const total = last.get(user) ?? 0
    return { items: page.all(user, total - offset, limit), total }
  }

  const toPayee = (user: number, filter: HistoryFilter, { limit, offset }: Window): Slice<Row> => {
    const { recipient_document_number: payee, channel = null, transfer_type: type = null } = filter
    const document = payee as string
    if (channel === null && type === null) {
      const total = lastOfPayee.get(user, document) ?? 0
      return { items: pageOfPayee.all(user, document, total - offset, limit), total }
    }
    const where = { user, document, channel, type }
    return { items: pageOfPayeeAndKind.all({ ...where, limit, offset }), total: countOfPayeeAndKind.get(where) ?? 0 }
  }

  /** Merges lists: finds how many of the skipped payments are in each list, then reads a page of each list. */
  const ofKinds = (user: number, kinds: readonly Kind[], { limit, offset }: Window): Slice<Row> => {
    const lists = kinds.map((kind) => ({ ...kind, count: lastOfKind.get(user, kind.channel, kind.type) ?? 0 }))
    const total = lists.reduce((sum, { count }) => sum + count, 0)
    if (offset >= total) return { items: [], total }
    const skipped = lists.length === 1 ? [offset] : splitOf(user, lists, offset)
    const rows = lists.flatMap(({ channel, type, count }, index) =>
      pageOfKind.all(user, channel, type, count - (skipped[index] ?? 0), limit),
    )
    return { items: rows.sort((a, b) => b.position - a.position).slice(0, limit), total }
  }

  /** Number of payments from each of two lists among the newest `offset` payments of both, by binary search. */
  const splitOf = (user: number, lists: readonly (Kind & { count: number })[], offset: number): [number, number] => {
    const [a, b] = lists as [Kind & { count: number }, Kind & { count: number }]
    const nth = ({ channel, type, count }: Kind & { count: number }, newest: number): number =>
      positionInKind.get(user, channel, type, count - newest + 1) ?? 0
    let low = Math.max(0, offset - b.count)
    let high = Math.min(offset, a.count)
    while (low < high) {
      const fromA = Math.ceil((low + high) / 2)
      // The last payment taken from `a` must be newer than the first payment not taken from `b`.
      if (nth(a, fromA) > nth(b, offset - fromA + 1)) low = fromA
      else high = fromA - 1
    }
    return [low, offset - low]
  }

  /** Last position of each list, cached: SQLite takes longer to read it than all other data for a new payment. */
  const lastPositions = new Map<string, number>()
  const next = (list: string, read: () => number | undefined): number => {
    if (lastPositions.size > maxLastPositions) lastPositions.clear()
    const position = (lastPositions.get(list) ?? read() ?? 0) + 1
    lastPositions.set(list, position)
    return position
  }

  return {
    /** Assigns the positions of a new payment in its three lists. */
    nextPositions({ user, channel, transfer_type, payee }: Payment): [number, number, number] {
      const { document_number } = payee
      return [
        next(`${user}`, () => last.get(user)),
        next(`${user} ${channel} ${transfer_type}`, () => lastOfKind.get(user, channel, transfer_type)),
        next(`${user} to ${document_number}`, () => lastOfPayee.get(user, document_number)),
      ]
    },
    /** Call after a rollback, because positions assigned since the last commit are free again. */
    forgetPositions: (): void => lastPositions.clear(),
    slice(user: number, filter: HistoryFilter, window: Window): Slice<Row> {
      const { channel, transfer_type: type, recipient_document_number: document } = filter
      if (document) return toPayee(user, filter, window)
      if (!channel && !type) return all(user, window)
      const kinds = (channel ? [channel] : channels).flatMap((channel) =>
        (type ? [type] : transferTypes).map((type) => ({ channel, type })),
      )
      return ofKinds(user, kinds, window)
    },
  }
}
