// These names are separate from the schemas, so that a command can use the names without loading the schema library.

/** Final statuses of a payment. */
export const terminalStatuses = [
  'completed',
  'failed',
  'timeout',
  'service_unavailable',
  'validation_failed',
  'system_error',
] as const

/** Temporary statuses of a payment. */
export const passingStatuses = ['pending', 'processing'] as const

/** True if the payment is in progress. False for a status that the interface does not list. */
export const isUnderWay = (status: string | null | undefined): boolean => passingStatuses.some((one) => one === status)

/** True if the status is final. False for a status that the interface does not list. */
export const hasEnded = (status: string | null | undefined): boolean => terminalStatuses.some((end) => end === status)

/**
 * True if the payment has ended without paying. Only an emulator guarantees that no money moved, or that the money came
 * back.
 */
export const endedUnpaid = (status: string | null | undefined): boolean => hasEnded(status) && status !== 'completed'

/** Currency codes of ISO 4217. */
export const currencies = ['CRC', 'USD'] as const

export const channels = ['pin', 'sinpe_movil'] as const

export const railStates = ['online', 'offline'] as const

export const transferTypes = ['debit', 'credit'] as const

export const paymentStatuses = [...passingStatuses, ...terminalStatuses] as const
