import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import type { Payment } from '../../client/received.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { columnsOf } from '../../output/columns.ts'
import { write } from '../../run/sink.ts'
import { say } from '../../words/text.ts'
import { languageOfReceipts } from './batch_reports.ts'
import { paymentColumns, worldSeen } from './columns.ts'
import { orOfEarlierWorld } from './earlier_world.ts'
import { paymentId, requirePart } from './short_id.ts'

/** Output of --json. */
interface ReceiptRecord {
  readonly is_proof: boolean
  readonly is_emulator: boolean
  readonly payment: Payment
}

export const receipt = command({
  summary: 'Print a proof of payment, as text or a page',
  about:
    'Print a proof of payment to send to a payee: as text, or as one page to print. The receipt says clearly if a payment ' +
    'has not arrived, or was made at an emulator. It shows only the beginning and end of your own account number.',
  args: { '<id>': { about: 'id of the payment, at least five characters of the id, or last', of: 'payment' } },
  flags: {
    '--html <file>': { about: 'write the receipt as a page for a browser; - for stdout', of: 'file' },
    '--force': { about: 'replace an existing file' },
  },
  globals: languageOfReceipts,
  prints: object(async () => (await import('../schema/payment_shapes.ts')).receipt),
  examples: [
    'payctl payments receipt 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl payments receipt 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --html comprobante.html',
    'payctl payments receipt 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --lang en --html - > receipt.html',
  ],
  async run({ id: text, html, force }, context) {
    const { output, io, signal } = context
    const isText = output.format === 'table' || output.format === 'tsv'
    if (html === '-' && !isText) {
      throw new UsageError(
        say`--html - and --output ${output.format} both go to stdout.`,
        'Name a file: --html receipt.html',
      )
    }
    requirePart(text, 'payment')
    const client = await context.client()
    const world = worldSeen(client)
    const id = await paymentId(text, context)
    const reading = client.call('payments.get', { params: { id } })
    const payment = await orOfEarlierWorld(reading, { id, client, world }, context)
    const isEmulator = world() !== undefined
    const [{ isProof, receiptOf }, { receiptPage, receiptText }, { writePage }] = await Promise.all([
      import('../../receipts/receipt.ts'),
      import('../../receipts/forms.ts'),
      import('./receipt_files.ts'),
    ])
    const made = receiptOf({
      payment,
      isEmulator,
      service: new URL(client.baseUrl).host,
      language: context.globals.lang ?? 'es',
      now: new Date(),
    })
    if (html === '-') await write(io.stdout, receiptPage(made), signal)
    else if (html !== undefined) {
      await writePage(html, receiptPage(made), force === true)
      output.note(say`Written: ${html}`)
    }
    const width = io.stdout.isTTY ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY
    if (!isText)
      await output.record({ is_proof: isProof({ payment, isEmulator }), is_emulator: isEmulator, payment }, columns)
    else if (html === undefined) for (const line of receiptText(made, width)) await output.line(line)
  },
})

const columns = columnsOf<ReceiptRecord>(
  '-is_proof',
  '-is_emulator',
  ...paymentColumns.map((column) => ({
    name: column.name,
    data: ({ payment }: ReceiptRecord) => column.data(payment),
  })),
)
