/** States a payment never leaves. */
export const terminalStatuses = [
  'completed',
  'failed',
  'timeout',
  'service_unavailable',
  'validation_failed',
  'system_error',
] as const

/** States that a payment passes through. */
export const passingStatuses = ['pending', 'processing'] as const

/** Whether a payment is in one of them. False for a state that the interface does not list. */
export const isUnderWay = (status: string | null | undefined): boolean => passingStatuses.some((one) => one === status)

/** Whether a payment stays in this state for good. False for a state that the interface does not list. */
export const hasEnded = (status: string | null | undefined): boolean => terminalStatuses.some((end) => end === status)

/** Whether a payment has ended without paying: no money moved, or it came back. */
export const endedUnpaid = (status: string | null | undefined): boolean => hasEnded(status) && status !== 'completed'
