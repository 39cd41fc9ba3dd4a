/** Kinds of findings in a report, each with its statement for a run without findings. */
export const reportChecks = {
  violations: 'Requests keep to the contract',
  keys: 'Each payment has its own key',
  polling: 'No read is repeated in a loop',
  untaken: 'Receivers take their deliveries',
  unfinished: 'Payments come to their end',
  unfired: 'Each fault happens',
  late: 'Nothing is sent to a world that has ended',
  default_world: 'Requests name their world while there are several',
  paid_twice: 'No order is paid twice',
  handled_twice: 'An event that comes twice is handled once',
  unresolved: 'Lost answers are asked about',
} as const

export type ReportCheck = keyof typeof reportChecks
