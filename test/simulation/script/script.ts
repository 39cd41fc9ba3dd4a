import type { PlaceLimits } from './places.ts'

// The events of a run, as data: readable, easy to shrink, and storable.

/** Start of each run: five in the morning in Costa Rica, when all callers may pay. Epoch milliseconds. */
export const beginning = Date.UTC(2026, 2, 2, 11)

/** Faults of a request on its way, or of its answer. */
export const networkFaults = [
  'connection refused',
  'request lost',
  'request reset',
  'request halved',
  'request late',
  'request held',
  'request doubled',
  'answered 401',
  'answered 429',
  'answered 503',
  'answer lost',
  'answer reset',
  'answer halved',
  'answer late',
  'answer followed by 422',
  'answer replaced by 400',
  'answer replaced by 404',
  'answer replaced by 409',
  'answer replaced by 502',
] as const
/**
 * `answered 422`: a refusal by the service before an earlier request reaches it. The refusal is final, so this fault is
 * not drawn at random.
 */
export type NetworkFault = (typeof networkFaults)[number] | 'answered 422'

/** Faults of a delivery on its way, or of its answer. */
export const deliveryFaults = [
  'request lost',
  'request reset',
  'request halved',
  'request late',
  'request doubled',
  'answered 503',
  'answer lost',
  'answer reset',
  'answer halved',
  'answer late',
  'answer replaced by 502',
] as const satisfies readonly NetworkFault[]
export type DeliveryFault = (typeof deliveryFaults)[number]

/** A fault within an operation, in the caller's process. */
export type Fault =
  /** Fault of the operation's nth request. */
  | { readonly request: number; readonly fault: NetworkFault }
  /** Fault of each of the operation's requests that pay. */
  | { readonly payments: 'all'; readonly fault: NetworkFault }
  /** Fault of the nth delivery to the operation. */
  | { readonly delivery: number; readonly fault: DeliveryFault }
  /**
   * The service is killed before its nth statement after the request with this number has arrived, or within that
   * statement.
   */
  | ({ readonly request: number; readonly fault: 'service killed'; readonly statement: number } & Within)
  /** The world of the service is reset while the request with this number is on its way. */
  | { readonly request: number; readonly fault: 'world reset' }
  /** The process is killed before its nth step: a statement, a request, or a change of a file. */
  | ({ readonly step: number; readonly fault: 'killed' } & Within)
  /** The machine of all callers loses its power. */
  | { readonly step: number; readonly fault: 'power cut' }
  | { readonly step: number; readonly fault: 'disk full' }
  /** Ctrl-C. */
  | { readonly step: number; readonly fault: 'interrupted' }
  | { readonly step: number; readonly fault: 'clock moved'; readonly ms: number }

/** For a kill within a statement: share of its writes that reaches the files. */
interface Within {
  readonly written?: number
}

/** A moment of another operation, which waits there until everything that happens at this moment has ended. */
export type Moment = { readonly of: Common['id'] } /** Before the person answers the operation's nth question. */ & (
  | { readonly question: number }
  /** Before the operation's nth request arrives at the service. */
  | { readonly request: number }
  /** Before the operation's nth request that pays arrives at the service. */
  | { readonly payment: number }
  /** Before the service's answer to the operation's nth reading of the history arrives. */
  | { readonly history: number }
)

interface Common {
  /** Identifies the operation; seeds its draws, whatever else is in the script. */
  readonly id: number
  /** Milliseconds from the start. */
  readonly at: number
  /** Moment at which the operation begins, instead of `at`. The operation does not run if the moment does not come. */
  readonly during?: Moment
}

/** Operation of a caller, in a separate process. */
export interface CallerOperation extends Common {
  readonly caller: CallerName
  readonly faults?: readonly Fault[]
}

/** A payment to be made once. */
export interface Order {
  /** Text in the description of all payments of the order. */
  readonly order: string
  /** A phone. */
  readonly to: string
  /** Minor units. */
  readonly amount: number
  /** Expected holder of the phone. */
  readonly holder?: string
}

/** Questions of an operation to a person. */
interface Asking extends CallerOperation {
  /** True: shows the payments and asks. */
  readonly confirm?: boolean
  /** True: the person answers no. Default: yes. */
  readonly declines?: boolean
}

/** Options of payments. */
interface Sending extends Asking {
  /** True: dry run, which sends nothing. */
  readonly rehearse?: boolean
  /** True: waits until the payments have ended. */
  readonly wait?: boolean
}

interface BatchSettings {
  readonly batch: string
  readonly rows: readonly Order[]
  /** True: the batch has no name. */
  readonly unnamed?: boolean
  readonly skipSent?: boolean
  /** Number of concurrent rows; default: 4. */
  readonly concurrency?: number
  readonly checkPayees?: boolean
}

interface TailSettings {
  /** Duration in milliseconds. */
  readonly for: number
  /** Number of events after which the tail ends. */
  readonly limit?: number
  /** Receiver to forward deliveries to. */
  readonly forwardTo?: number
  /** True if deliveries are saved in a file. */
  readonly save?: boolean
  /** Milliseconds that the tail's reader needs for each event. */
  readonly slow?: number
}

export type Operation =
  /** `raw`: sends by `payctl api`. */
  | (Sending & { readonly do: 'send'; readonly key: string; readonly raw?: boolean } & Order)
  | (Sending & { readonly do: 'batch' } & BatchSettings)
  | (Asking & { readonly do: 'retry batch'; readonly batch: string; readonly wait?: boolean })
  | (Asking & { readonly do: 'resume batch'; readonly batch: string })
  /** `allowOldKeys`: agrees to send payments whose keys the service may have forgotten. */
  | (Asking & { readonly do: 'resume'; readonly allowOldKeys?: boolean })
  /** Resumes the nth newest payment of the journal, in any state. */
  | (Asking & { readonly do: 'resume one'; readonly newest: number })
  | (CallerOperation & { readonly do: 'change limits'; readonly limits: PlaceLimits })
  | (CallerOperation & { readonly do: 'read history'; readonly perPage: number })
  | (CallerOperation & { readonly do: 'look around'; readonly questions: number })
  | (CallerOperation & { readonly do: 'operate'; readonly deeds: number })
  | (CallerOperation & { readonly do: 'subscribe'; readonly receiver: number })
  | (CallerOperation & { readonly do: 'tail' } & TailSettings)
  /** Suspends all subscriptions of the user, including those of tails. */
  | (CallerOperation & { readonly do: 'suspend subscriptions' })
  /** `as`: a user other than the user of the profile. */
  | (CallerOperation & { readonly do: 'log in'; readonly as?: 'laura' })
  | (CallerOperation & { readonly do: 'log out' })
  /** Kills the service, and restarts it after `down` milliseconds. */
  | (Common & { readonly do: 'restart service'; readonly down: number })
  /** `share`: share of the commits that find no room; default: all. */
  | (Common & { readonly do: 'fill disk of service'; readonly for: number; readonly share?: number })
  | (Common & { readonly do: 'move clock of service'; readonly ms: number })
  /** Resets the service's world to the seed. */
  | (Common & { readonly do: 'reset service' })
  | (Common & { readonly do: 'credit'; readonly amount: number })
  /** Revokes all access tokens of logins. */
  | (Common & { readonly do: 'revoke tokens' })
  /** Gives a phone at another bank a new holder. */
  | (Common & { readonly do: 'rename holder'; readonly phone: string; readonly name: string })

/**
 * Fates of the first deliveries to a receiver, in order: the receiver's reaction, or a fault on the way. Later
 * deliveries are accepted.
 */
export type Reception = 'take' | 'answer 500' | 'slow' | 'silent' | 'refuse' | DeliveryFault

export interface Script {
  readonly seed: string
  /** One list for each receiver. */
  readonly receivers: readonly (readonly Reception[])[]
  readonly operations: readonly Operation[]
}

/**
 * Callers. `ana` and `ana2` are two processes of the first user with one journal and one login; limits and tokens apply
 * to both. `bot` has a separate journal and login; `laura` is another user. `clerk`, only in rare sequences, has limits
 * in colones, pays in dollars, and has a token that can't read accounts.
 */
export const callerNames = ['ana', 'ana2', 'bot', 'laura'] as const
export type CallerName = (typeof callerNames)[number] | 'clerk'

/** One line for each operation. */
export function printScript({ seed, receivers, operations }: Script): string {
  const lines = operations.map((operation) => `    ${JSON.stringify(operation)}`)
  return [
    '{',
    `  "seed": ${JSON.stringify(seed)},`,
    `  "receivers": ${JSON.stringify(receivers)},`,
    '  "operations": [',
    lines.join(',\n'),
    '  ]',
    '}',
  ].join('\n')
}
