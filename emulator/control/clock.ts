import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import { invalid } from '../domain/refusal.ts'
import type { Sandbox } from '../sandbox.ts'
import type { ControlContext } from './context.ts'

type State = ControlOutputOf<'control.clock.get'>

export const clockState = ({ clock }: Sandbox): State => ({
  now: iso(clock.now()),
  offset_ms: clock.setting.offset_ms,
  frozen: clock.frozen,
})

export async function advance(
  { body }: ControlInputOf<'control.clock.advance'>,
  { sandbox }: ControlContext,
): Promise<State> {
  if (sandbox.clock.now() + body.ms > endOfTime) throw invalid('ms', beyond)
  await sandbox.advanceClock(body.ms)
  return clockState(sandbox)
}

export async function setTime(
  { body }: ControlInputOf<'control.clock.set'>,
  { sandbox }: ControlContext,
): Promise<State> {
  const time = Date.parse(body.time)
  const now = sandbox.clock.now()
  if (Number.isNaN(time)) throw invalid('time', 'The time field must be a time that exists.')
  if (time < now) throw invalid('time', `The clock only moves forward, and it shows ${iso(now)}.`)
  if (time > endOfTime) throw invalid('time', beyond)
  await sandbox.advanceClock(time - now)
  return clockState(sandbox)
}

export async function freeze(_: unknown, { sandbox }: ControlContext): Promise<State> {
  await sandbox.freezeClock()
  return clockState(sandbox)
}

export async function unfreeze(_: unknown, { sandbox }: ControlContext): Promise<State> {
  await sandbox.unfreezeClock()
  return clockState(sandbox)
}

const iso = (ms: number): string => new Date(ms).toISOString()

const beyond = `The clock can't go beyond ${iso(endOfTime)}.`
