import type { PlaceLimits } from './places.ts'

// What happens in one run, as data: a person can read it, shrinking takes lines away, and it can be kept.

/** When each begins: five in the morning in Costa Rica, when all may pay. Milliseconds since 1970. */
export const beginning = Date.UTC(2026, 2, 2, 11)

/** What can happen to a request on its way, or to its answer. */
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
/** `answered 422`: a refusal by the service, which an earlier request has not reached yet. It is final, so it is not drawn at random. */
export type NetworkFault = (typeof networkFaults)[number] | 'answered 422'

/** What can happen to a delivery on its way to whom it is for, or to the answer. */
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
  /** To its so manieth request. */
  | { readonly request: number; readonly fault: NetworkFault }
  /** To the so manieth delivery to it, on its way. */
  | { readonly delivery: number; readonly fault: DeliveryFault }
  /** The service is killed before the so manieth statement after that request has reached it, or within it. */
  | ({ readonly request: number; readonly fault: 'service killed'; readonly statement: number } & Within)
  /** The world of the service is reset while that request is on its way. */
  | { readonly request: number; readonly fault: 'world reset' }
  /** Before its so manieth step: a statement, a request, a file. */
  | ({ readonly step: number; readonly fault: 'killed' } & Within)
  /** The machine of all callers loses its power. */
  | { readonly step: number; readonly fault: 'power cut' }
  | { readonly step: number; readonly fault: 'disk full' }
  /** Somebody presses Ctrl-C. */
  | { readonly step: number; readonly fault: 'interrupted' }
  | { readonly step: number; readonly fault: 'clock moved'; readonly ms: number }

/** Killed while a statement writes: the share of that which is in the files then. */
interface Within {
  readonly written?: number
}

interface Common {
  /** Names it, and what is drawn for it, whatever else is in the script. */
  readonly id: number
  /** Milliseconds from the beginning. */
  readonly at: number
}

/** What a caller does, in a process of its own. */
export interface CallerOperation extends Common {
  readonly caller: CallerName
  readonly faults?: readonly Fault[]
}

/** A payment that somebody wants to be made once. */
export interface Order {
  /** In the description of all its payments. */
  readonly order: string
  /** A phone. */
  readonly to: string
  /** Minor units. */
  readonly amount: number
  /** Who must hold the phone. */
  readonly holder?: string
}

/** How payments are asked for. */
interface Sending extends CallerOperation {
  /** Show what it is, and ask. Nobody says no. */
  readonly confirm?: boolean
  /** Send nothing. */
  readonly rehearse?: boolean
  /** Until they have ended. */
  readonly wait?: boolean
}

interface BatchSettings {
  readonly batch: string
  readonly rows: readonly Order[]
  /** Its name is not given. */
  readonly unnamed?: boolean
  readonly skipSent?: boolean
  /** Rows under way at a time; 4 where it is not given. */
  readonly concurrency?: number
  readonly checkPayees?: boolean
}

interface TailSettings {
  /** Milliseconds. */
  readonly for: number
  /** Events after which it ends. */
  readonly limit?: number
  /** The receiver to which deliveries are passed on. */
  readonly forwardTo?: number
  /** Whether deliveries are saved in a file. */
  readonly save?: boolean
  /** Milliseconds that its reader takes for each event. */
  readonly slow?: number
}

export type Operation =
  /** `raw`: by `payctl api`. */
  | (Sending & { readonly do: 'send'; readonly key: string; readonly raw?: boolean } & Order)
  | (Sending & { readonly do: 'batch' } & BatchSettings)
  | (CallerOperation & { readonly do: 'retry batch'; readonly batch: string; readonly wait?: boolean })
  | (CallerOperation & { readonly do: 'resume batch'; readonly batch: string })
  /** `allowOldKeys`: somebody agrees to send again what the service may have forgotten. */
  | (CallerOperation & { readonly do: 'resume'; readonly allowOldKeys?: boolean })
  /** The so manieth of all in the journal, in whatever state, from the newest. */
  | (CallerOperation & { readonly do: 'resume one'; readonly newest: number })
  | (CallerOperation & { readonly do: 'change limits'; readonly limits: PlaceLimits })
  | (CallerOperation & { readonly do: 'read history'; readonly perPage: number })
  | (CallerOperation & { readonly do: 'look around'; readonly questions: number })
  | (CallerOperation & { readonly do: 'operate'; readonly deeds: number })
  | (CallerOperation & { readonly do: 'subscribe'; readonly receiver: number })
  | (CallerOperation & { readonly do: 'tail' } & TailSettings)
  /** All of the user, those of tails too. */
  | (CallerOperation & { readonly do: 'suspend subscriptions' })
  /** `as`: another user than the profile is of. */
  | (CallerOperation & { readonly do: 'log in'; readonly as?: 'laura' })
  | (CallerOperation & { readonly do: 'log out' })
  /** Of the service. */
  | (Common & { readonly do: 'restart service'; readonly down: number })
  /** With a share, so many of its commits find no room. */
  | (Common & { readonly do: 'fill disk of service'; readonly for: number; readonly share?: number })
  | (Common & { readonly do: 'move clock of service'; readonly ms: number })
  /** Its world becomes another: what its seed says. */
  | (Common & { readonly do: 'reset service' })
  | (Common & { readonly do: 'credit'; readonly amount: number })
  /** All access tokens that were issued to logins. */
  | (Common & { readonly do: 'revoke tokens' })
  /** Another holds a phone at another bank from now on. */
  | (Common & { readonly do: 'rename holder'; readonly phone: string; readonly name: string })

/** What comes of deliveries to a receiver, one after another: what it does with them, or what happens on the way. Then it takes them. */
export type Reception = 'take' | 'answer 500' | 'slow' | 'silent' | 'refuse' | DeliveryFault

export interface Script {
  readonly seed: string
  /** One list for each receiver. */
  readonly receivers: readonly (readonly Reception[])[]
  readonly operations: readonly Operation[]
}

/**
 * Who calls. `ana` and `ana2` are two processes on one journal and one login, of the first user, as far as limits and tokens go
 * alike; `bot` has a journal and a login of its own; `laura` is another user.
 */
export const callerNames = ['ana', 'ana2', 'bot', 'laura'] as const
export type CallerName = (typeof callerNames)[number]

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
