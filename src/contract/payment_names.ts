import { passingStatuses, terminalStatuses } from './terminal_statuses.ts'

// Separate from the schemas, so that a command can use them without loading the schema library.

/** ISO 4217. */
export const currencies = ['CRC', 'USD'] as const

export const channels = ['pin', 'sinpe_movil'] as const

export const railStates = ['online', 'offline'] as const

export const transferTypes = ['debit', 'credit'] as const

export const paymentStatuses = [...passingStatuses, ...terminalStatuses] as const
