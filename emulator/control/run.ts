import { type ControlId, controlEndpoints } from '../../src/contract/index.ts'
import type { ControlContext } from '../http/context.ts'
import { type RawRequest, type Validator, validatorFor } from '../http/validation.ts'
import type { World } from '../worlds/world.ts'
import { controlHandlers } from './index.ts'

/** Call of a control endpoint, over HTTP or from a program in this process. */
interface ControlCall extends Omit<ControlContext, 'world'> {
  readonly request: RawRequest
  /** Id of the world that the call means, if known: a later world may have the same name. */
  readonly worldId: string | undefined
}

interface Done {
  readonly data: unknown
  /** The world after the call, which may have reset or ended it. */
  readonly world: World
}

/** Runs a control endpoint; resolves when its writes are committed. Throws a Refusal. */
export async function runControl(id: ControlId, { request, worldId, ...context }: ControlCall): Promise<Done> {
  const { worlds, name } = context
  const live = worlds.find(name, worldId)
  // The types of a table and of its handlers agree for each id, but TypeScript can't see it for an arbitrary id.
  const handle = controlHandlers[id] as (input: unknown, context: ControlContext) => unknown
  const input = validatorOf(id).input(request)
  const data = await worlds.during(name, () => handle(input, { ...context, world: live.world }))
  const { world } = live
  await world.database.settled
  return { data, world }
}

const validators = new Map<ControlId, Validator>()

function validatorOf(id: ControlId): Validator {
  const validator = validators.get(id) ?? validatorFor(controlEndpoints[id])
  validators.set(id, validator)
  return validator
}
