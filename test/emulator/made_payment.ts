import type { Payment } from '../../emulator/domain/payment.ts'
import type { World } from '../../emulator/worlds/world.ts'
import type { Channel, TransferType } from '../../src/contract/index.ts'

interface Made {
  readonly channel: Channel
  readonly type: TransferType
  readonly document: string
  readonly index: number
}

/** A finished payment of the world's first user, for tests of lists that don't depend on money. */
export function madePayment(world: World, { channel, type, document, index }: Made): Payment {
  const party = { iban: null, phone: '87000001', document_number: document, document_type: 0, name: 'Somebody' }
  return {
    seq: world.store.payments.nextSeq(),
    id: world.ids(),
    user: 1,
    account: 1,
    idempotency_key: `made-${index}`,
    channel,
    transfer_type: type,
    status: 'completed',
    initial_status: 'pending',
    amount: 1,
    fee: 0,
    currency: 'CRC',
    channel_reference: '2026112100002000000000001',
    sinpe_reference: null,
    payer: { ...party, document_number: '0112340567' },
    payee: party,
    payee_account: null,
    description: 'Made for a test',
    error_message: null,
    outcome: 'completed',
    state_code: null,
    failure_text: null,
    settle_ms: 0,
    due_at: null,
    created_at: world.clock.now(),
    submitted_at: null,
    completed_at: null,
  }
}
