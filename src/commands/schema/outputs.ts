import { type TSchema, Type } from 'typebox'
import type { Prints } from '../../cli/command.ts'
import { controlEndpoints } from '../../contract/control.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import * as machine from './machine_shapes.ts'
import * as payments from './payment_shapes.ts'

const table = { ...endpoints, ...controlEndpoints }

const object = (schema: TSchema): Prints => ({ shape: 'object', schema: async () => schema })
const array = (row: TSchema): Prints => ({ shape: 'array', schema: async () => Type.Array(row) })
const lines = (line: TSchema): Prints => ({ shape: 'lines', schema: async () => line })

const dataOf = (id: keyof typeof table): TSchema => (table[id] as Endpoint).success.data

/** The data of an endpoint's answer. */
const answer = (id: keyof typeof table): Prints => object(dataOf(id))

/** The rows of an endpoint's list or page. */
function rows(id: keyof typeof table): Prints {
  const schema: TSchema & { items?: TSchema; properties?: Record<string, TSchema> } = dataOf(id)
  const list: TSchema & { items?: TSchema } = schema.items ? schema : (schema.properties?.data ?? schema)
  if (!list.items) throw new Error(`${id} does not answer with a list.`)
  return array(list.items)
}

const anyObject = Type.Object({})

/**
 * By command, with the flag or argument that gives it another shape: `payments send --dry-run`, `payments intents <id>`.
 * test/e2e/schemas.test.ts runs each command and compares.
 */
export const outputs: Readonly<Record<string, Prints>> = {
  phone: array(payments.phoneRow),
  iban: array(payments.ibanRow),
  lookup: object(payments.fileLookup),
  fx: answer('fx.rates'),
  'fx rates': answer('fx.rates'),
  'fx upstream': answer('fx.upstream'),
  user: answer('user.get'),
  'webhooks tail': lines(payments.tailEvent),
  'webhooks replay': array(payments.replayed),
  'webhooks list': rows('webhooks.list'),
  'webhooks list --envelope': answer('webhooks.list'),
  'webhooks create': answer('webhooks.create'),
  'webhooks get': answer('webhooks.get'),
  'webhooks delete': answer('webhooks.delete'),
  'webhooks suspend': answer('webhooks.suspend'),
  'webhooks resume': answer('webhooks.resume'),
  'webhooks events': array(machine.eventRow),
  emulate: lines(machine.ready),
  'emulator list': array(machine.emulator),
  'emulator stop': array(machine.emulator),
  'emulator status': answer('control.state'),
  'emulator reset': answer('control.reset'),
  'emulator clock': answer('control.clock.get'),
  'emulator clock freeze': answer('control.clock.freeze'),
  'emulator clock unfreeze': answer('control.clock.unfreeze'),
  'emulator clock advance': answer('control.clock.advance'),
  'emulator clock set': answer('control.clock.set'),
  'emulator clock at': answer('control.clock.at'),
  'emulator clock run-until-idle': answer('control.clock.runUntilIdle'),
  'emulator clock speed': answer('control.clock.speed'),
  'emulator credit': answer('control.credits.create'),
  'emulator credit --after': answer('control.credits.schedule'),
  'emulator credit list': rows('control.credits.list'),
  'emulator credit list --envelope': answer('control.credits.list'),
  'emulator credit cancel': answer('control.credits.cancel'),
  'emulator payment': answer('control.payments.move'),
  'emulator account': answer('control.accounts.get'),
  'emulator rail': answer('control.rails.get'),
  'emulator fees': answer('control.fees.get'),
  'emulator limits': answer('control.limits.get'),
  'emulator fx': answer('control.fx.get'),
  'emulator rate-limit': answer('control.rateLimit.get'),
  'emulator chaos': answer('control.chaos'),
  'emulator faults': rows('control.faults.list'),
  'emulator faults add': answer('control.faults.add'),
  'emulator faults remove': answer('control.faults.remove'),
  'emulator faults clear': rows('control.faults.clear'),
  'emulator registry': rows('control.registry.list'),
  'emulator registry add': answer('control.registry.add'),
  'emulator registry remove': answer('control.registry.remove'),
  'emulator scenarios': rows('control.scenarios'),
  'emulator token': answer('control.tokens.mint'),
  'emulator token list': rows('control.tokens.list'),
  'emulator token revoke': answer('control.tokens.revoke'),
  'emulator clients': rows('control.clients.list'),
  'emulator clients add': answer('control.clients.create'),
  'emulator clients remove': answer('control.clients.remove'),
  'emulator deliveries': rows('control.deliveries.list'),
  'emulator deliveries --envelope': answer('control.deliveries.list'),
  'emulator deliveries show': answer('control.deliveries.get'),
  'emulator deliveries resend': answer('control.deliveries.resend'),
  'emulator deliveries settings': answer('control.deliverySettings.get'),
  'emulator requests': rows('control.requests.list'),
  'emulator requests --envelope': answer('control.requests.list'),
  'emulator requests show': answer('control.requests.get'),
  'emulator show': rows('control.timeline'),
  'emulator report': answer('control.report'),
  'emulator sql': array(anyObject),
  'emulator wait': answer('control.wait'),
  'emulator wait ready': object(machine.answering),
  'emulator worlds': rows('control.worlds.list'),
  'emulator worlds --envelope': answer('control.worlds.list'),
  'emulator worlds create': answer('control.worlds.create'),
  'emulator worlds show': object(Type.Union([dataOf('control.worlds.get'), dataOf('control.worlds.delete')])),
  'emulator worlds delete': answer('control.worlds.delete'),
  'emulator snapshots': rows('control.snapshots.list'),
  'emulator snapshots take': answer('control.snapshots.create'),
  'emulator snapshots restore': answer('control.snapshots.restore'),
  'emulator snapshots delete': answer('control.snapshots.delete'),
  'emulator export': object(machine.exportedFile),
  'emulator import': answer('control.import'),
  /** On stderr, of any command that fails. */
  error: object(machine.error),
}
