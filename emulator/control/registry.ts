import { type ControlOutputOf, entityName, Outcome, type Scenario, stateCodes } from '../../src/contract/index.ts'
import { channelOf, longestSettle, scenarioOf } from '../domain/lifecycle.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { type RegistryEntry, registryEntryOf } from '../domain/registry_entry.ts'
import type { ControlHandlers } from '../http/context.ts'

export const registryHandlers = {
  'control.scenarios': (_, { world }) =>
    world.store.registry
      .all()
      .filter(({ outcome }) => outcome !== 'completed')
      .map((entry) => scenarioOf(entry, longestSettle(world.settle[channelOf(entry.address)])))
      .sort((one, other) => rank(one) - rank(other)),

  'control.registry.list': (_, { world }) => world.store.registry.all().map(shown),

  'control.registry.add'({ body }, { world }) {
    const { database, store } = world
    const entry = registryEntryOf(body, world.settings.get('lenientIban'))
    const { address } = entry
    if (store.users.byPhone(address)) throw invalid('phone', 'The phone belongs to a user of this world')
    if (store.registry.get(address)) throw new Refusal(409)
    database.write(() => store.registry.add(entry))
    return shown(entry)
  },

  'control.registry.remove'({ params }, { world }) {
    const { database, store } = world
    const entry = store.registry.get(params.address)
    if (!entry) throw new Refusal(404)
    database.write(() => store.registry.remove(entry.address))
    return shown(entry)
  },
} satisfies Partial<ControlHandlers>

/** Sort key: groups scenarios by outcome, then by state code. */
const rank = ({ outcome, state_code }: Scenario): number =>
  Outcome.enum.indexOf(outcome) * (stateCodes.length + 1) + (state_code === null ? 0 : placeOf(state_code))

/** Unknown codes come last. */
function placeOf(stateCode: string): number {
  const at = (stateCodes as readonly string[]).indexOf(stateCode)
  return at === -1 ? stateCodes.length : at
}

const shown = (entry: RegistryEntry): ControlOutputOf<'control.registry.add'> => ({
  address: entry.address,
  channel: channelOf(entry.address),
  name: entry.name,
  document_number: entry.document_number,
  document_type: entry.document_type,
  currency: entry.currency,
  entity_name: entityName(entry.entity),
  outcome: entry.outcome,
  state_code: entry.state_code,
  error: entry.failure_text,
  status: entry.status,
})
