import { type ControlInputOf, type ControlOutputOf, longestMove } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import { invalid } from '../domain/refusal.ts'
import { isoTime, timeOf, timestampOrNull } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'
import type { World } from '../worlds/world.ts'

type State = ControlOutputOf<'control.clock.get'>

export const clockState = ({ clock }: World): State => ({
  now: isoTime(clock.now()),
  offset_ms: clock.setting.offset_ms,
  frozen: clock.frozen,
  speed: clock.speed,
})

export async function advance(
  { body }: ControlInputOf<'control.clock.advance'>,
  { world }: ControlContext,
): Promise<State> {
  const target = (now: number) => {
    if (now + body.ms > endOfTime) throw invalid('ms', beyond)
    return now + body.ms
  }
  await world.advanceClockTo(target, moveOf(body))
  return clockState(world)
}

export async function setTime(
  { body }: ControlInputOf<'control.clock.set'>,
  { world }: ControlContext,
): Promise<State> {
  await world.advanceClockTo((now) => timeAfter(now, body.time), moveOf(body))
  return clockState(world)
}

export async function freezeAt(
  { body }: ControlInputOf<'control.clock.at'>,
  { world }: ControlContext,
): Promise<State> {
  await world.freezeClockAt((now) => timeAfter(now, body.time), moveOf(body))
  return clockState(world)
}

export async function runUntilIdle(
  { body }: ControlInputOf<'control.clock.runUntilIdle'>,
  { world }: ControlContext,
): Promise<ControlOutputOf<'control.clock.runUntilIdle'>> {
  const { ms = longestMove } = body
  const next = await world.runUntilIdle((now) => Math.min(now + ms, endOfTime), moveOf(body))
  return { ...clockState(world), idle: next === null, next_due_at: timestampOrNull(next) }
}

export async function setSpeed(
  { body }: ControlInputOf<'control.clock.speed'>,
  { world }: ControlContext,
): Promise<State> {
  await world.setClockSpeed(body.speed)
  return clockState(world)
}

/** Reads a time that the clock can be moved to. Throws a refusal of others. */
function timeAfter(now: number, text: string): number {
  const time = timeOf(text)
  if (Number.isNaN(time)) throw invalid('time', 'The time field must be a time that exists.')
  if (time < now) throw invalid('time', `The clock only moves forward, and it shows ${isoTime(now)}.`)
  if (time > endOfTime) throw invalid('time', beyond)
  return time
}

const moveOf = ({ delivery_timeout_ms }: { delivery_timeout_ms?: number }) => ({ deliveryTimeout: delivery_timeout_ms })

export async function freeze(_: unknown, { world }: ControlContext): Promise<State> {
  await world.freezeClock()
  return clockState(world)
}

export async function unfreeze(_: unknown, { world }: ControlContext): Promise<State> {
  await world.unfreezeClock()
  return clockState(world)
}

const beyond = `The clock can't go beyond ${isoTime(endOfTime)}.`
