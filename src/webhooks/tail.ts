import { randomUUID } from 'node:crypto'
import type { Client } from '../client/client.ts'
import type { Context } from '../commands/context.ts'
import { printEvents } from '../commands/webhooks/tail_print.ts'
import { eventNames } from '../contract/event_names.ts'
import { CliError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { Intake, type Item } from './delivery_handler.ts'
import type { TailEvent } from './event.ts'
import type { TailFlags } from './flags.ts'
import { Forwarder } from './forward.ts'
import { isPassedOn, takingIn } from './missed.ts'
import { listen, openSaved, remarkOn, requireReachable, unsavable } from './place.ts'
import { Queue } from './queue.ts'
import type { Found } from './recover.ts'
import { newSecret } from './secret.ts'
import { Ending, within } from './shutdown.ts'
import { type Recovering, startRecovery, tidyUp, userOf } from './start.ts'
import { deliveryTimeout, TemporarySubscription } from './temporary_subscription.ts'
import { keepWatch } from './watch.ts'

/** Events that are acknowledged and not printed yet, at most. */
const longestQueue = 1_000

/** Milliseconds: a little later the service gives up. */
const forwardTimeout = (deliveryTimeout - 2) * 1000

/** Milliseconds, once the tail ends: for what is under way, and for cleaning up at the service. */
const grace = 2_000
const cleanUpTimeout = 10_000

interface Tail {
  readonly flags: TailFlags
  readonly context: Context
  readonly baseUrl: string
  readonly client: Client
  /** Id of the user; empty where the service does not say. */
  readonly user: string
  readonly ending: Ending
  /** Events that count for --limit. */
  printed: number
}

/** Prints events until it is interrupted, has had enough, or its reader has. Then nothing of it is left. */
export async function runTail(flags: TailFlags, context: Context): Promise<void> {
  const { baseUrl } = await context.target()
  requireReachable(baseUrl, flags)
  const client = await context.client()
  const ending = new Ending(context.signal, flags.tailTimeout)
  const tail: Tail = { flags, context, baseUrl, client, user: await userOf(client), ending, printed: 0 }
  try {
    await tidyUp(tail)
    await receive(tail, await startRecovery(tail))
  } finally {
    await ending.finish()
  }
  if (ending.error !== undefined) throw ending.error
  conclude(tail)
}

async function receive(tail: Tail, recovering: Recovering | undefined): Promise<void> {
  const { flags, context, client, ending } = tail
  const queue = new Queue<Item>(longestQueue)
  ending.onFinish(() => recovering?.memory.save())
  const saved = flags.save === undefined ? undefined : await openSaved(flags.save)
  ending.onFinish(() => saved?.close())
  const forwarder = flags.forwardTo ? new Forwarder({ url: flags.forwardTo, timeout: forwardTimeout }) : undefined
  const intake = new Intake({
    queue,
    saved,
    forwarder,
    limit: flags.limit ?? Number.POSITIVE_INFINITY,
    onArrival: (event) => recovering?.recovery.arrive(event),
    onFault: (error) => ending.fail(unsavable(flags.save, error)),
  })
  const secret = newSecret()
  const receiver = await listen({ port: flags.port ?? 0, secret, onDelivery: (delivery) => intake.accept(delivery) })
  ending.onFinish(() => receiver.close(grace))
  const local = `http://127.0.0.1:${receiver.port}`
  const subscription = subscriptionOf(tail, { local, secret, onCreate: () => intake.forgetNames() })
  ending.onFinish(() => remove(subscription, context))
  await subscription.create(client)
  const reached = flags.publicUrl === undefined ? '' : `, reached at ${flags.publicUrl}`
  context.output.note(`Listening for events on ${local}${reached} (subscription ${subscription.id}). Ctrl-C stops.`)
  const remark = remarkOn(flags)
  if (remark !== undefined) context.output.note(remark)
  const printing = print(tail, { queue, recovering })
  await watch(tail, { intake, recovering, subscription })
  await ending.begun
  intake.close()
  queue.end()
  await within(grace, printing)
  await forwarder?.close()
  await within(grace, printing)
}

interface Flow {
  readonly queue: Queue<Item>
  readonly recovering: Recovering | undefined
}

/** Ends the tail when the events do, or when nobody reads them any more. Never rejects. */
function print(tail: Tail, { queue, recovering }: Flow): Promise<void> {
  const { flags, context, ending } = tail
  const onPrinted = (event: TailEvent) => {
    if (!event.recovered || !isPassedOn(event, flags)) recovering?.recovery.tell(event)
    if (!event.recovered) tail.printed += 1
    return tail.printed < (flags.limit ?? Number.POSITIVE_INFINITY)
  }
  const body = flags.printBody === true
  return printEvents(queue, { context, forwardTo: flags.forwardTo, body, onPrinted }).then(
    () => ending.begin('enough'),
    (error) => ending.fail(error),
  )
}

async function watch({ flags, context, ending }: Tail, { intake, recovering, subscription }: Watched) {
  const { recovery, missed } = recovering ?? {}
  const { signal } = ending
  const note = (text: string) => context.output.note(text)
  const takeIn = recovery && takingIn({ intake, recovery, flags, signal })
  const onMissed = ({ events, complete }: Found) => {
    takeIn?.(events)
    if (!complete) note('Payments further back than the history was read may be missing: payctl payments history')
  }
  if (missed) onMissed(missed)
  const client = await context.clientUntil(signal)
  const interval = flags.recoverInterval
  const watching = keepWatch({ client, subscription, recovery, interval, signal, onMissed, note })
  ending.onFinish(() => Promise.all([watching, client.close()]))
}

interface Watched {
  readonly intake: Intake
  readonly recovering: Recovering | undefined
  readonly subscription: TemporarySubscription
}

const subscriptionOf = (
  { flags, context, baseUrl, user }: Tail,
  { local, ...rest }: { readonly local: string; readonly secret: string; readonly onCreate: () => void },
): TemporarySubscription =>
  new TemporarySubscription({
    baseUrl,
    stateDir: context.stateDir,
    url: flags.publicUrl ?? `${local}/tail/${randomUUID()}`,
    ownUrl: flags.publicUrl === undefined,
    ...rest,
    user,
    events: flags.events ?? eventNames,
    note: (text) => context.output.note(text),
  })

/** Also after Ctrl-C, when the run's own client calls nobody any more. */
async function remove(subscription: TemporarySubscription, context: Context): Promise<void> {
  const client = await context.clientUntil(AbortSignal.timeout(cleanUpTimeout))
  try {
    await subscription.remove(client)
  } catch (error) {
    const what = subscription.id === null ? 'The subscription' : `The subscription ${subscription.id}`
    context.output.note(`${what} is still there; the next tail removes it. ${(error as Error).message}`)
  } finally {
    await client.close()
  }
}

/** Without --limit a tail has no end of its own, so being stopped is no failure. */
function conclude({ flags: { limit }, printed, context, ending: { cause } }: Tail): void {
  if (limit === undefined || printed >= limit) return
  if (cause === 'interrupted') context.exitWith(exits.interrupted.code)
  if (cause === 'timeout') {
    throw new CliError('payment_in_progress', `The time ran out: ${printed} of ${limit} events came.`)
  }
}
