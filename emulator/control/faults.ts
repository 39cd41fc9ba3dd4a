import {
  type ControlInputOf,
  type ControlOutputOf,
  type Endpoint,
  endpoints,
  type FaultRule,
} from '../../src/contract/index.ts'
import type { ControlContext } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'

export const listFaults = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.faults.list'> => [
  ...world.faults.list(),
]

export function addFault(
  { body }: ControlInputOf<'control.faults.add'>,
  { world }: Pick<ControlContext, 'world'>,
): ControlOutputOf<'control.faults.add'> {
  const { endpoint, status, times = 1 } = body
  const row: Endpoint | undefined = endpoints[endpoint]
  if (!row) throw refused('endpoint', `There is no endpoint ${endpoint}`)
  if (!(status in row.errors)) {
    throw refused(
      'status',
      `${endpoint} does not answer ${status}; its errors are ${Object.keys(row.errors).join(', ')}`,
    )
  }
  if (times !== null && !(Number.isSafeInteger(times) && times > 0)) throw refused('times', 'times is 1 or more')
  const rule: FaultRule = { endpoint, status, times }
  world.faults.add(rule)
  return rule
}

export const clearFaults = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.faults.clear'> => [
  ...world.faults.clear(),
]

/** The message is set because a program in the same process sees nothing else. */
const refused = (field: string, message: string): Refusal =>
  new Refusal(422, { message, errors: { [field]: [message] } })
