import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'

export function rateLimitState(
  _: unknown,
  { world }: Pick<ControlContext, 'world'>,
): ControlOutputOf<'control.rateLimit.get'> {
  const { rateLimits, clock } = world
  const { limit, exhausted, resetsAt } = rateLimits.state(clock.now())
  return { limit, exhausted, resets_at: timestamp(resetsAt) }
}

export function setRateLimit(
  { body }: ControlInputOf<'control.rateLimit.set'>,
  context: ControlContext,
): ControlOutputOf<'control.rateLimit.set'> {
  const { rateLimits, clock } = context.world
  const { limit = rateLimits.limit, exhausted } = body
  if (exhausted && limit === null) throw new Refusal(409)
  rateLimits.limit = limit
  if (exhausted !== undefined) rateLimits.exhaust(exhausted, clock.now())
  return rateLimitState(null, context)
}
