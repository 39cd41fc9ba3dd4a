import { type ControlOutputOf, longestMove } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import { invalid } from '../domain/refusal.ts'
import { isoTime, timeOf, timestampOrNull } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { World } from '../worlds/world.ts'

export const clockState = ({ clock }: World): ControlOutputOf<'control.clock.get'> => ({
  now: isoTime(clock.now()),
  offset_ms: clock.setting.offset_ms,
  frozen: clock.frozen,
  speed: clock.speed,
})

export const clockHandlers = {
  'control.clock.get': (_, { world }) => clockState(world),

  async 'control.clock.advance'({ body }, { world }) {
    const target = (now: number) => {
      if (now + body.ms > endOfTime) throw invalid('ms', beyond)
      return now + body.ms
    }
    await world.advanceClockTo(target, moveOf(body))
    return clockState(world)
  },

  async 'control.clock.set'({ body }, { world }) {
    await world.advanceClockTo((now) => timeAfter(now, body.time), moveOf(body))
    return clockState(world)
  },

  async 'control.clock.at'({ body }, { world }) {
    await world.freezeClockAt((now) => timeAfter(now, body.time), moveOf(body))
    return clockState(world)
  },

  async 'control.clock.runUntilIdle'({ body }, { world }) {
    const { ms = longestMove } = body
    const next = await world.runUntilIdle((now) => Math.min(now + ms, endOfTime), moveOf(body))
    return { ...clockState(world), idle: next === null, next_due_at: timestampOrNull(next) }
  },

  async 'control.clock.speed'({ body }, { world }) {
    await world.setClockSpeed(body.speed)
    return clockState(world)
  },

  async 'control.clock.freeze'(_, { world }) {
    await world.freezeClock()
    return clockState(world)
  },

  async 'control.clock.unfreeze'(_, { world }) {
    await world.unfreezeClock()
    return clockState(world)
  },
} satisfies Partial<ControlHandlers>

/** Reads a time that the clock can be moved to. Throws a refusal for any other time. */
function timeAfter(now: number, text: string): number {
  const time = timeOf(text)
  if (Number.isNaN(time)) throw invalid('time', 'The time field must be a time that exists.')
  if (time < now) throw invalid('time', `The clock only moves forward, and it shows ${isoTime(now)}.`)
  if (time > endOfTime) throw invalid('time', beyond)
  return time
}

const moveOf = ({ delivery_timeout_ms }: { delivery_timeout_ms?: number }) => ({ deliveryTimeout: delivery_timeout_ms })

const beyond = `The clock can't go beyond ${isoTime(endOfTime)}.`
