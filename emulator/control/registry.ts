import {
  type ControlInputOf,
  type ControlOutputOf,
  ibanFault,
  nationalPhone,
  Outcome,
  type RegistryBody,
  type Scenario,
  StateCode,
} from '../../src/contract/index.ts'
import type { ControlContext } from '../context.ts'
import { channelOf, scenarioOf, statusOf } from '../domain/lifecycle.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { documentTypeOf, emulatorEntity, entityName, entityOfIban } from '../domain/sinpe.ts'
import type { RegistryEntry } from '../store/registry.ts'

/** Entity of phones that are added: unlike an IBAN, a phone does not contain its bank. */
const phoneEntity = '151'

export const scenarios = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.scenarios'> =>
  world.store.registry
    .all()
    .filter(({ outcome }) => outcome !== 'completed')
    .map((entry) => scenarioOf(entry, world.options.settleMs))
    .sort((one, other) => rank(one) - rank(other))

/** Sort key: scenarios that end alike stand together. */
const rank = ({ outcome, state_code }: Scenario): number =>
  Outcome.enum.indexOf(outcome) * StateCode.enum.length + (state_code ? StateCode.enum.indexOf(state_code) : 0)

export const listRegistry = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.registry.list'> =>
  world.store.registry.all().map(shown)

export function addToRegistry(
  { body }: ControlInputOf<'control.registry.add'>,
  { world }: ControlContext,
): ControlOutputOf<'control.registry.add'> {
  const { database, store } = world
  const { address, entity } = addressOf(body)
  if (store.users.byPhone(address)) throw invalid('phone', 'The phone belongs to a user of this world')
  if (store.registry.get(address)) throw new Refusal(409)
  const entry = { address, entity, ...holderOf(body) }
  database.write(() => store.registry.add(entry))
  return shown(entry)
}

export function removeFromRegistry(
  { params }: ControlInputOf<'control.registry.remove'>,
  { world }: ControlContext,
): ControlOutputOf<'control.registry.remove'> {
  const { database, store } = world
  const entry = store.registry.get(params.address)
  if (!entry) throw new Refusal(404)
  database.write(() => store.registry.remove(entry.address))
  return shown(entry)
}

function addressOf({ iban, phone }: RegistryBody): { address: string; entity: string } {
  if (iban && phone) throw invalid('phone', 'Only one of iban and phone should be provided')
  if (phone) return { address: nationalPhone(phone), entity: phoneEntity }
  if (!iban) throw invalid('iban', 'The iban field is required when phone is not present.')
  const fault = ibanFault(iban)
  if (fault?.reason === 'check digits') throw invalid('iban', `The check digits should be ${fault.expected}`)
  const entity = entityOfIban(iban)
  if (entity === emulatorEntity) throw invalid('iban', `IBANs of entity ${emulatorEntity} are this emulator’s own`)
  return { address: iban, entity }
}

function holderOf(body: RegistryBody): Omit<RegistryEntry, 'address' | 'entity'> {
  const { name, document_number, currency = 'CRC', outcome = 'completed', state_code = null } = body
  if (body.phone && currency !== 'CRC') throw invalid('currency', 'SINPE Móvil carries CRC only')
  if (state_code !== null && outcome !== 'failed') {
    throw invalid('state_code', 'Only payments with the outcome failed have a state code')
  }
  return {
    name,
    document_number,
    document_type: body.document_type ?? documentTypeOf(document_number),
    currency,
    outcome,
    state_code: outcome === 'failed' ? (state_code ?? 'rejected') : null,
    status: body.status ?? statusOf(state_code),
  }
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
  status: entry.status,
})
