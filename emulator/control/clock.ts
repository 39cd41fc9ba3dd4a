import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import type { ControlContext } from '../context.ts'
import { invalid } from '../domain/refusal.ts'
import type { World } from '../world.ts'

type State = ControlOutputOf<'control.clock.get'>

export const clockState = ({ clock }: World): State => ({
  now: iso(clock.now()),
  offset_ms: clock.setting.offset_ms,
  frozen: clock.frozen,
})

export async function advance(
  { body }: ControlInputOf<'control.clock.advance'>,
  { world }: ControlContext,
): Promise<State> {
  if (world.clock.now() + body.ms > endOfTime) throw invalid('ms', beyond)
  await world.advanceClock(body.ms)
  return clockState(world)
}

export async function setTime(
  { body }: ControlInputOf<'control.clock.set'>,
  { world }: ControlContext,
): Promise<State> {
  const time = Date.parse(body.time)
  const now = world.clock.now()
  if (Number.isNaN(time)) throw invalid('time', 'The time field must be a time that exists.')
  if (time < now) throw invalid('time', `The clock only moves forward, and it shows ${iso(now)}.`)
  if (time > endOfTime) throw invalid('time', beyond)
  await world.advanceClock(time - now)
  return clockState(world)
}

export async function freeze(_: unknown, { world }: ControlContext): Promise<State> {
  await world.freezeClock()
  return clockState(world)
}

export async function unfreeze(_: unknown, { world }: ControlContext): Promise<State> {
  await world.unfreezeClock()
  return clockState(world)
}

const iso = (ms: number): string => new Date(ms).toISOString()

const beyond = `The clock can't go beyond ${iso(endOfTime)}.`
