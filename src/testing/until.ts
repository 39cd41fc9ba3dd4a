import type { ControlCalls } from '../../emulator/control/calls.ts'
import type { EventName, FaultEndpointId, PaymentStatus, WaitSeen } from '../contract/index.ts'

export interface WaitOptions {
  /** Limit in milliseconds of real time; default 10,000, maximum 600,000. */
  readonly timeout?: number
}

/**
 * Waits for events in a world without polling. Throws ControlRefusal with status 409 when the time limit is reached,
 * and at once when the event can't happen: `message` and `errors` report the state instead.
 */
export interface Until {
  /**
   * Waits until a payment has reached a status, even if it has passed that status by now. Throws ControlRefusal with
   * 404 for an unknown payment.
   */
  payment(id: string, status: PaymentStatus, options?: WaitOptions): Promise<Seen<'payment'>>
  /**
   * Waits until `count` webhooks were delivered to `url` since the world was created; if `event` is set, counts only
   * webhooks of that event.
   */
  deliveries(
    url: string,
    count: number,
    options?: WaitOptions & { readonly event?: EventName },
  ): Promise<Seen<'deliveries'>>
  /** Waits until `count` requests to an endpoint were answered since the world was created, with any status. */
  requests(endpoint: FaultEndpointId, count: number, options?: WaitOptions): Promise<Seen<'requests'>>
  /**
   * Watches the requests to an endpoint for `within` milliseconds of real time. Throws ControlRefusal with 409 as soon
   * as their number since the world was created exceeds `count`. With a count of 0, the endpoint must receive no
   * request at all.
   */
  noMoreRequests(
    endpoint: FaultEndpointId,
    count: number,
    options: { readonly within: number },
  ): Promise<Seen<'requests'>>
  /** Waits until no timer is pending and no webhook is in flight. */
  idle(options?: WaitOptions): Promise<Seen<'idle'>>
}

/** Result of a wait. */
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
