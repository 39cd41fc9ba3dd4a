/**
 * Tables and columns that a query can read; none has a secret. Amounts are integers of minor units, times ISO 8601 in
 * UTC by the world's clock, truth values 0 and 1.
 */
export const sqlTables = {
  users: ['id', 'name', 'email', 'phone', 'document_number', 'document_type', 'created_at'],
  accounts: ['id', 'user_id', 'iban', 'currency', 'status', 'available', 'held', 'created_at', 'updated_at'],
  payments: [
    ...['id', 'user_id', 'account_id', 'idempotency_key', 'channel', 'transfer_type', 'status', 'amount', 'fee'],
    ...['currency', 'payer_name', 'payer_iban', 'payer_phone', 'payee_name', 'payee_iban', 'payee_phone'],
    ...['payee_document_number', 'description', 'error_message', 'state_code', 'channel_reference'],
    ...['sinpe_reference', 'due_at', 'created_at', 'submitted_at', 'completed_at'],
  ],
  scheduled_credits: [
    ...['id', 'account_id', 'channel', 'status', 'state_code', 'amount', 'currency', 'payer_name', 'payer_iban'],
    ...['payer_phone', 'description', 'sinpe_reference', 'due_at', 'created_at'],
  ],
  ledger_entries: ['id', 'payment_id', 'movement', 'owner', 'purpose', 'currency', 'amount', 'created_at'],
  subscriptions: [
    ...['id', 'user_id', 'url', 'events', 'max_attempts', 'timeout', 'last_sent_at', 'suspended_at'],
    ...['suspended_reason', 'created_at'],
  ],
  events: ['id', 'name', 'payment_id', 'body', 'created_at'],
  deliveries: ['id', 'event_id', 'event', 'payment_id', 'subscription_id', 'url', 'status', 'attempts', 'due_at'],
  attempts: ['delivery_id', 'number', 'started_at', 'duration_ms', 'status', 'error', 'answer'],
  registry: ['address', 'name', 'document_number', 'currency', 'entity', 'status', 'outcome', 'state_code', 'error'],
  requests: [
    ...['id', 'at', 'duration_ms', 'method', 'path', 'endpoint', 'status', 'answered', 'user_id', 'client'],
    ...['idempotency_key', 'replayed', 'fault', 'message', 'payment_id', 'broke'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type SqlTable = keyof typeof sqlTables

/** Limits of a query's real time in milliseconds: default and maximum. */
export const sqlTime = { usual: 5000, most: 60_000 } as const
