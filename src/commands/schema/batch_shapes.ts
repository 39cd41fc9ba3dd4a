import { Type } from 'typebox'
import { count, shapeOf, text, textOrNull, time } from '../../cli/schema.ts'
import { Money, nullable } from '../../contract/schemas/scalars.ts'
import type { Batch } from '../../payments/batches.ts'
import { moneyOutcomes } from '../../values/money_outcome.ts'
import { resultRow } from './payment_shapes.ts'

// Output about batches of the journal.

export const batch = shapeOf<Batch>()(
  Type.Object(
    {
      batch: text('Name of the batch'),
      created_at: time('Time at which the first row was recorded'),
      file: textOrNull('Name of the file; null if it is not known'),
      rows: count('Rows of the batch'),
      completed: count('Rows whose payment completed'),
      in_progress: count('Rows whose payment had not ended when it was last read'),
      unsuccessful: count('Rows whose payment failed'),
      rejected: count('Rows that the service refused'),
      unknown: count('Rows in doubt: money may have moved'),
      not_sent: count('Rows not sent, or sent with a token that the service refused'),
      totals: Type.Array(
        Type.Object({
          currency: textOrNull('Currency of the account that pays; null until the service has returned it'),
          amount: Type.Integer({ description: 'Sum of all rows in minor units, without fees' }),
          completed: Type.Integer({ description: 'Sum of the payments that completed' }),
          in_progress: Type.Integer({ description: 'Sum of the payments that had not ended' }),
        }),
        { description: 'Sums by currency' },
      ),
      base_url: text('Base URL of the service'),
      user: textOrNull('Payer: the service’s id of the user, or a surrogate; null in a batch from an older payctl'),
      world: textOrNull('World of the emulator; null for a service'),
    },
    { description: 'Rows of a file that are paid under one batch name' },
  ),
)

export const batchRow = Type.Intersect([
  resultRow,
  Type.Object({
    name: textOrNull('Holder of the payee’s account or phone; null if it is not known'),
    fee: nullable(Money),
    money: nullable(
      Type.Enum([...moneyOutcomes], {
        description: 'Outcome for the money of a row; null if its payment has arrived',
      }),
    ),
    sinpe_reference: textOrNull('Reference of the payment network; null if there is none, or it is not known'),
  }),
])
