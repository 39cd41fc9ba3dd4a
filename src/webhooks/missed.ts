import type { Intake } from './delivery_handler.ts'
import { factsOf, type TailEvent } from './event.ts'
import type { TailFlags } from './flags.ts'
import type { Recovered } from './rebuilt_event.ts'
import type { Recovery } from './recover.ts'

/** As often as the service tries. */
const mostAttempts = 3

interface Dependencies {
  readonly intake: Intake
  readonly recovery: Recovery
  readonly flags: TailFlags
  readonly signal: AbortSignal
}

/** An event that nobody passes on is known once it is printed; one that is passed on, once it has been accepted. */
export const isPassedOn = ({ event }: TailEvent, { forwardTo }: TailFlags): boolean =>
  forwardTo !== undefined && event !== null

/** Takes in what the history told of, one after the other, as the service would have delivered it. Never rejects. */
export function takingIn({ intake, recovery, flags, signal }: Dependencies): (missed: readonly Recovered[]) => void {
  const attempts = new Map<string, number>()
  const takeIn = async (missed: Recovered) => {
    const { event } = missed
    const id = factsOf(event).id ?? ''
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const isTaken = await intake.recover(missed, attempt === 1)
    if (!isPassedOn(event, flags)) return
    if (isTaken || attempt === mostAttempts) recovery.tell(event)
    else recovery.miss(event)
  }
  let work = Promise.resolve()
  return (missed) => {
    for (const one of missed) {
      work = work.then(() => (signal.aborted ? undefined : takeIn(one)))
    }
  }
}
