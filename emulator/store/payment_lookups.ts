import { sequenceOf } from '../domain/sinpe.ts'
import type { Statements } from './database.ts'

interface Found {
  readonly seq: number
  readonly payee_account: number | null
  readonly payee_document_number: string
}

/** Finds payments of all users by key, reference, payee address or event. Every look-up uses an index. */
export function paymentLookupsIn<Row extends Found>(db: Statements, select: string) {
  const ofAll = 'user IN (SELECT seq FROM users)'
  const withKey = db.prepare<[string], Row>(
    `${select} WHERE ${ofAll} AND idempotency_key = ? AND transfer_type = 'debit' AND key_forgotten = 0`,
  )
  const withReference = db.prepare<[number, string, string], Row>(
    `${select} WHERE seq = ? AND (channel_reference = ? OR sinpe_reference = ?)`,
  )
  const withGivenReference = db.prepare<[string], Row>(
    `${select} WHERE sinpe_reference = ? AND transfer_type = 'credit' AND substr(sinpe_reference, 9, 3) <> '999'`,
  )
  const receipt = db.prepare<[number, string, string, string], Row>(
    `${select} WHERE user = (SELECT user FROM accounts WHERE seq = ?) AND payee_document_number = ?
       AND transfer_type = 'credit' AND (channel_reference = ? OR sinpe_reference = ?)`,
  )
  const to = db.prepare<[number, string, string, string, number], Row>(
    `${select} WHERE user = ? AND payee_document_number = ? AND (payee_iban = ? OR payee_phone = ?)
     ORDER BY payee_position DESC LIMIT ?`,
  )
  const users = db.prepare<[], number>('SELECT seq FROM users').pluck()
  const withEvent = db.prepare<[number], Row>(`${select} WHERE seq = (SELECT payment FROM events WHERE seq = ?)`)

  return {
    withKey: (key: string): Row[] => withKey.all(key),
    withReference(reference: string): Row[] {
      const seq = sequenceOf(reference)
      if (seq === undefined) return withGivenReference.all(reference)
      return withReference.all(seq, reference, reference).flatMap((payment) => {
        const { payee_account, payee_document_number } = payment
        if (payee_account === null) return [payment]
        return [payment, ...receipt.all(payee_account, payee_document_number, reference, reference)]
      })
    },
    to: (address: string, document: string, limit: number): Row[] =>
      users
        .all()
        .flatMap((user) => to.all(user, document, address, address, limit))
        .sort((one, other) => other.seq - one.seq)
        .slice(0, limit),
    withEvent: (event: number): Row | undefined => withEvent.get(event),
  }
}
