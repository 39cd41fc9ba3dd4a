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
  /** On stderr, of any command that fails. */
  error: object(machine.error),
}
