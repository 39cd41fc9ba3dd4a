import { type ControlOutputOf, defaultWorld, worldPath } from '../../src/contract/index.ts'
import type { ControlContext, ControlHandlers } from '../http/context.ts'
import { pathOfReceiver } from '../webhooks/receivers.ts'

export const receiverHandlers = {
  'control.receivers.list': (_, context) => context.world.receivers.list().map(([id]) => shown(id, context)),

  'control.receivers.get': ({ params: { id } }, context) => ({
    ...shown(id, context),
    arrivals: context.world.receivers.get(id).arrivals.toReversed(),
  }),

  'control.receivers.set'({ params: { id }, body }, context) {
    context.world.receivers.answer(id, body)
    return shown(id, context)
  },
} satisfies Partial<ControlHandlers>

function shown(id: string, { world, name }: ControlContext): ControlOutputOf<'control.receivers.set'> {
  const { answer, arrived } = world.receivers.get(id)
  const prefix = name === defaultWorld ? '' : `${worldPath}/${name}`
  return { id, url: `${world.ownAddress.url}${prefix}${pathOfReceiver(id)}`, answer, arrived }
}
