import type { PaymentStatus } from './schemas/payment.ts'

/** States a payment never leaves. */
export const terminalStatuses: readonly PaymentStatus[] = [
  'completed',
  'failed',
  'timeout',
  'service_unavailable',
  'validation_failed',
  'system_error',
]
