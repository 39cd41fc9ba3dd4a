import type { Channel, CreditStatus } from '../../src/contract/index.ts'
import type { IncomingCredit } from '../domain/credit.ts'
import type { Slice } from '../domain/paginator.ts'
import { numbersAfter, type Statements } from './database.ts'

/** Money that is scheduled to arrive from another bank, or that has arrived or was returned. */
export interface ScheduledCredit extends IncomingCredit {
  readonly status: CreditStatus
  /** Reason why the credit was returned; null if it was not returned. */
  readonly state_code: string | null
  readonly due_at: number
  readonly created_at: number
}

/** Columns of a row, in the order in which `add` gives their values. */
const columns = `id, account, channel, amount,
  payer_iban, payer_phone, payer_document_number, payer_document_type, payer_name,
  description, sinpe_reference, status, state_code, due_at, created_at`

type Row = Omit<ScheduledCredit, 'payer'> & {
  readonly payer_iban: string | null
  readonly payer_phone: string | null
  readonly payer_document_number: string
  readonly payer_document_type: number | null
  readonly payer_name: string
}

export function scheduledCreditsIn(db: Statements) {
  const select = `SELECT ${columns} FROM scheduled_credits`
  const byId = db.prepare<[string], Row>(`${select} WHERE id = ?`)
  const page = db.prepare<[number, number], Row>(`${select} ORDER BY seq DESC LIMIT ? OFFSET ?`)
  const all = db.prepare<[], Row>(`${select} ORDER BY seq`)
  const count = db.prepare<[], number>('SELECT count(*) FROM scheduled_credits').pluck()
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM scheduled_credits').pluck()
  const withReference = db
    .prepare<[string], number>('SELECT 1 FROM scheduled_credits WHERE sinpe_reference = ?')
    .pluck()
  const due = db.prepare<[Channel, number, number], Row>(
    `${select} WHERE status = 'scheduled' AND channel = ? AND due_at <= ? ORDER BY due_at, seq LIMIT ?`,
  )
  const nextDue = db
    .prepare<[Channel], number>(
      `SELECT due_at FROM scheduled_credits WHERE status = 'scheduled' AND channel = ? ORDER BY due_at, seq LIMIT 1`,
    )
    .pluck()
  const insert = db.prepare(
    `INSERT INTO scheduled_credits (seq, ${columns}) VALUES (?, ${columns.replace(/\w+/g, '?')})`,
  )
  const end = db.prepare<[CreditStatus, string | null, string]>(
    'UPDATE scheduled_credits SET status = ?, state_code = ? WHERE id = ?',
  )
  const remove = db.prepare<[string]>('DELETE FROM scheduled_credits WHERE id = ?')
  const nextSeq = numbersAfter(() => lastSeq.get())

  return {
    get(id: string): ScheduledCredit | undefined {
      const row = byId.get(id)
      return row && creditOf(row)
    },
    add(credit: ScheduledCredit): void {
      const { payer } = credit
      insert.run(
        nextSeq(),
        credit.id,
        credit.account,
        credit.channel,
        credit.amount,
        payer.iban,
        payer.phone,
        payer.document_number,
        payer.document_type,
        payer.name,
        credit.description,
        credit.sinpe_reference,
        credit.status,
        credit.state_code,
        credit.due_at,
        credit.created_at,
      )
    },
    /** Saves the result of a credit that was due. */
    end({ id }: ScheduledCredit, status: CreditStatus, stateCode: string | null = null): void {
      end.run(status, stateCode, id)
    },
    remove(id: string): void {
      remove.run(id)
    },
    hasReference: (reference: string): boolean => withReference.get(reference) !== undefined,
    /** Credits over a rail that are due at `now`, longest overdue first. */
    due: (channel: Channel, now: number, limit: number): ScheduledCredit[] =>
      due.all(channel, now, limit).map(creditOf),
    nextDue: (channel: Channel): number | null => nextDue.get(channel) ?? null,
    /** All credits, in the order in which they were scheduled. */
    all: (): ScheduledCredit[] => all.all().map(creditOf),
    /** A slice of the list, newest first. */
    list: ({ limit, offset }: { limit: number; offset: number }): Slice<ScheduledCredit> => ({
      items: page.all(limit, offset).map(creditOf),
      total: count.get() ?? 0,
    }),
  }
}

const creditOf = (row: Row): ScheduledCredit => {
  const { payer_iban, payer_phone, payer_document_number, payer_document_type, payer_name, ...credit } = row
  const payer = {
    iban: payer_iban,
    phone: payer_phone,
    name: payer_name,
    document_number: payer_document_number,
    document_type: payer_document_type,
  }
  return { ...credit, payer }
}
