import type { Channel, PaymentStatus, TransferType } from '../../src/contract/index.ts'
import type { Slice } from '../domain/paginator.ts'
import type { Statements } from './database.ts'
import type { Window } from './history.ts'

/** Conditions on payments of all users. Times in epoch milliseconds. */
export interface PaymentSearch {
  readonly statuses?: readonly PaymentStatus[] | undefined
  readonly channel?: Channel | undefined
  readonly transferType?: TransferType | undefined
  /** Seq of the account that pays or is paid. */
  readonly account?: number | undefined
  /** Part of an id, key, reference, IBAN, phone, document number, name, description or error; or an exact amount. */
  readonly text?: string | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
  /** Only payments made before the payment with this seq. */
  readonly before?: number | undefined
}

const searched = `concat_ws(char(10), id, idempotency_key, channel_reference, sinpe_reference, description,
  error_message, payer_iban, payer_phone, payer_document_number, payer_name,
  payee_iban, payee_phone, payee_document_number, payee_name)`

const where = `WHERE (@statuses IS NULL OR status IN (SELECT value FROM json_each(@statuses)))
  AND (@channel IS NULL OR channel = @channel)
  AND (@transferType IS NULL OR transfer_type = @transferType)
  AND (@account IS NULL OR account = @account)
  AND (@from IS NULL OR created_at >= @from)
  AND (@to IS NULL OR created_at < @to)
  AND (@text IS NULL OR amount = @minor OR ${searched} LIKE @text ESCAPE '\\')
  AND seq < @before`

type Values = Record<string, string | number | null>

/**
 * Pages of the payments of all users, newest first. Reads the table row by row: an index for each condition would slow
 * down every payment, and reading 10,000 payments takes milliseconds.
 */
export function paymentSearchIn<Row extends object>(db: Statements, select: string) {
  const page = db.prepare<[Values], Row>(`${select} ${where} ORDER BY seq DESC LIMIT @limit OFFSET @offset`)
  const count = db.prepare<[Values], number>(`SELECT count(*) FROM payments ${where}`).pluck()
  const all = db.prepare<[], number>('SELECT count(*) FROM payments').pluck()

  return (search: PaymentSearch, { limit, offset }: Window): Slice<Row> => {
    const { statuses, channel = null, transferType = null, account = null, text, from = null, to = null } = search
    const values = {
      ...{ channel, transferType, account, from, to },
      statuses: statuses === undefined ? null : JSON.stringify(statuses),
      text: text === undefined ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`,
      minor: text === undefined ? null : minorUnitsOf(text),
      before: search.before ?? Number.MAX_SAFE_INTEGER,
    }
    const isWhole = Object.values(search).every((value) => value === undefined)
    const total = (isWhole ? all.get() : count.get(values)) ?? 0
    return { items: offset < total ? page.all({ ...values, limit, offset }) : [], total }
  }
}

/** Minor units of an amount as people write it, such as `1500.25` or `1,500.25`; null for any other text. */
function minorUnitsOf(text: string): number | null {
  const [, whole, cents = ''] = /^(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? []
  return whole === undefined ? null : Number(`${whole.replaceAll(',', '')}${cents.padEnd(2, '0')}`)
}
