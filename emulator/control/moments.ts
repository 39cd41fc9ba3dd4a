import {
  type ControlOutputOf,
  type MomentsQuery,
  type Moment as Shown,
  usualMomentLimit,
} from '../../src/contract/index.ts'
import { paginate } from '../domain/paginator.ts'
import { invalid } from '../domain/refusal.ts'
import { preciseTimestamp, timeOf } from '../domain/time.ts'
import { type ControlHandlers, pageRequest } from '../http/context.ts'
import { worldEnded } from '../observation/waits.ts'
import { type Moment, type Moments, momentId } from '../worlds/moments.ts'
import type { World } from '../worlds/world.ts'
import { mebibyte } from '../worlds/world_options.ts'
import { requestIn } from './requests.ts'

export const momentHandlers = {
  'control.moments.list'({ query }, context) {
    const { world } = context
    const { moments, options } = world
    const { request, window } = pageRequest(query, context)
    const found = matching(query, world)
    const items = found.slice(window.offset, window.offset + window.limit).map((moment) => shown(moment, moments))
    return { ...paginate({ items, total: found.length }, request, options.locale), kept: kept(moments) }
  },

  async 'control.moments.keep'({ body: { limit_mib: limit = usualMomentLimit } }, { world }) {
    return onceCommitted(world, (moments) => moments.keep(limit * mebibyte))
  },

  async 'control.moments.stop'(_, { world }) {
    return onceCommitted(world, (moments) => moments.stop())
  },
} satisfies Partial<ControlHandlers>

/** Waits until no transaction is under way, and runs `change` before any other code can write. */
async function onceCommitted(
  world: World,
  change: (moments: Moments) => void,
): Promise<ControlOutputOf<'control.moments.keep'>> {
  const { database, moments } = world
  while (database.settled) await database.settled.catch(() => {})
  if (world.ended) throw worldEnded('change of its moments')
  change(moments)
  return kept(moments)
}

function matching({ request, payment, until }: MomentsQuery, world: World): readonly Moment[] {
  const id = payment?.toLowerCase()
  const end = until === undefined ? Number.POSITIVE_INFINITY : timeOf(until)
  if (Number.isNaN(end)) throw invalid('until', 'The until field must be a time that exists.')
  const all = request === undefined ? world.moments.list() : momentOf(request, world)
  return all.filter(({ at, cause }) => at <= end && (id === undefined || cause.payment === id))
}

/**
 * The moment that a request made, or else the moment whose state the request read; empty if that moment is not saved.
 */
function momentOf(id: string, world: World): readonly Moment[] {
  const { moment: number } = requestIn(world, id)
  const made = world.moments.list().find(({ cause }) => cause.id === id)
  const read = made ?? (number === null ? undefined : world.moments.at(number))
  return read ? [read] : []
}

const shown = (moment: Moment, moments: Moments): Shown => {
  const before = moments.before(moment)
  const { kind, what, id, payment: payment_id } = moment.cause
  return {
    id: momentId(moment.number),
    at: preciseTimestamp(moment.at),
    before: before === null ? null : momentId(before),
    cause: { kind, what, id, payment_id },
    size_bytes: moment.bytes,
  }
}

const kept = ({ limit, bytes, count }: Moments): ControlOutputOf<'control.moments.keep'> => ({
  limit_mib: limit === null ? null : limit / mebibyte,
  size_bytes: bytes,
  count,
})
