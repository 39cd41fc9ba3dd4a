import type { ControlCalls } from '../../emulator/control_calls.ts'
import type { EventName, FaultEndpointId, PaymentStatus, WaitSeen } from '../contract/index.ts'

export interface WaitOptions {
  /** How long at most, in milliseconds of real time; 10,000 by default, 600,000 at most. */
  readonly timeout?: number
}

/**
 * Waits in a world for what happens there, without polling. A wait whose time is over throws ControlRefusal with status
 * 409, and so does one that can't come true any more, at once: `message` and `errors` say what was seen instead.
 */
export interface Until {
  /** Until a payment is in a status, or was and has moved on. Throws ControlRefusal with 404 for one that there is not. */
  payment(id: string, status: PaymentStatus, options?: WaitOptions): Promise<Seen<'payment'>>
  /** Until so many webhooks were delivered, since the world was made: to `url`, and of `event` if that is given. */
  deliveries(
    url: string,
    count: number,
    options?: WaitOptions & { readonly event?: EventName },
  ): Promise<Seen<'deliveries'>>
  /** Until so many requests to an endpoint were answered, whatever the answers, since the world was made. */
  requests(endpoint: FaultEndpointId, count: number, options?: WaitOptions): Promise<Seen<'requests'>>
  /**
   * For `within` milliseconds of real time: at most `count` requests to an endpoint come, those since the world was made
   * counted. Throws ControlRefusal with 409 as soon as there are more. With a count of 0: none comes.
   */
  noMoreRequests(
    endpoint: FaultEndpointId,
    count: number,
    options: { readonly within: number },
  ): Promise<Seen<'requests'>>
  /** Until nothing is due at any time, and no webhook is under way. */
  idle(options?: WaitOptions): Promise<Seen<'idle'>>
}

/** What was seen at the end of the wait. */
type Seen<Of extends keyof WaitSeen> = NonNullable<WaitSeen[Of]>

export function untilIn({ wait }: Pick<ControlCalls, 'wait'>): Until {
  const within = ({ timeout }: WaitOptions = {}) => (timeout === undefined ? {} : { timeout_ms: timeout })
  return {
    payment: async (payment, status, options) =>
      (await wait({ payment, status, ...within(options) })).payment as Seen<'payment'>,
    async deliveries(url, count, { event, ...options } = {}) {
      const seen = await wait({ url, deliveries: count, ...(event && { event }), ...within(options) })
      return seen.deliveries as Seen<'deliveries'>
    },
    requests: async (endpoint, count, options) =>
      (await wait({ endpoint, requests: count, ...within(options) })).requests as Seen<'requests'>,
    noMoreRequests: async (endpoint, count, { within: time }) =>
      (await wait({ endpoint, max_requests: count, timeout_ms: time })).requests as Seen<'requests'>,
    idle: async (options) => (await wait({ idle: true, ...within(options) })).idle as Seen<'idle'>,
  }
}
