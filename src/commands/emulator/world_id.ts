import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import type { ControlClient } from '../../client/control_client.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { formatMoney } from '../../contract/money.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'

// Ids of a world as people type them. The emulator is asked by its own query: it knows the payments of every user.

interface Kind {
  readonly noun: string
  readonly table: 'payments' | 'accounts' | 'subscriptions' | 'users' | 'scheduled_credits'
  /** Columns that tell one from another, for a message. */
  readonly about: readonly string[]
  /** Characters of the shortest part. */
  readonly shortest: number
}

const kinds = {
  payment: { noun: 'payment', table: 'payments', about: ['amount', 'currency', 'status', 'created_at'], shortest: 5 },
  account: { noun: 'account', table: 'accounts', about: ['iban', 'currency'], shortest: 4 },
  subscription: { noun: 'subscription', table: 'subscriptions', about: ['url'], shortest: 5 },
  user: { noun: 'user', table: 'users', about: ['name'], shortest: 5 },
  'scheduled credit': {
    noun: 'scheduled credit',
    table: 'scheduled_credits',
    about: ['amount', 'currency', 'status', 'created_at'],
    shortest: 5,
  },
} as const satisfies Record<string, Kind>

/** A text that names something of a world. */
interface Named {
  readonly text: string
  readonly kind: keyof typeof kinds
}

/**
 * The id that a text names: whole, or a part of it; `last` is the newest payment; an account also goes by its IBAN or the
 * end of it. A whole id costs no request. Throws UsageError where a part fits several.
 */
export async function worldId({ text, kind }: Named, control: ControlClient, context: Context): Promise<string> {
  const written = text.replace(/\s/g, '').replace(/^(\.{2,}|…)/, '')
  const part = written.toLowerCase()
  if (isUuid(part)) return part
  const { noun, table, about, shortest } = kinds[kind]
  const isLast = kind === 'payment' && part === 'last'
  const condition = isLast ? 'true' : conditionOf(written, kind)
  if (condition === undefined) {
    throw new UsageError(
      `'${text}' is not an id of ${noun === 'account' ? 'an' : 'a'} ${noun}, nor part of one.`,
      `Give at least ${shortest} characters of it${kind === 'payment' ? ', or last' : ''}`,
    )
  }
  const order = kind === 'payment' ? 'created_at desc, id desc' : 'created_at, id'
  const most = isLast ? 1 : mostListed
  const query = `select id, ${about.join(', ')} from ${table} where ${condition} order by ${order} limit ${most}`
  const { rows } = await control.call('control.sql', { body: { query } })
  const [first, ...others] = rows
  if (!first) {
    throw new CliError(
      'not_found',
      isLast ? 'This world has no payments.' : `No ${noun} of this world has the id ${text}.`,
    )
  }
  const id = String(first[0])
  if (others.length > 0) {
    const all = rows.map(([one, ...facts]) => `${one} (${describe(facts, kind)})`).join(', ')
    throw new UsageError(`'${text}' fits more than one ${noun}.`, `Name one by more of its id: ${all}`)
  }
  context.output.note(`${noun[0]?.toUpperCase()}${noun.slice(1)} ${id}`)
  return id
}

/** `worldId` as a member of a request. */
export const idInWorld = (named: Named) => (control: ControlClient, context: Context) =>
  worldId(named, control, context)

/** Of those that a part fits. */
const mostListed = 10

/** A condition of the query, made of hexadecimal digits and dashes, or of an IBAN; undefined for any other text. */
function conditionOf(written: string, kind: Named['kind']): string | undefined {
  const part = written.toLowerCase()
  if (kind === 'account' && /^CR\d+$/.test(normalizeIban(written))) return `iban = '${normalizeIban(written)}'`
  if (part.length < kinds[kind].shortest || !/^[0-9a-f-]+$/.test(part)) return undefined
  const ofIban = kind === 'account' ? ` or iban like '%${part}'` : ''
  return `id like '%${part}%'${ofIban}`
}

function describe(facts: readonly unknown[], kind: Named['kind']): string {
  if (kind !== 'payment' && kind !== 'scheduled credit') return facts.join(', ')
  const [amount, currency, ...others] = facts
  return [formatMoney(Number(amount), String(currency)), ...others].join(', ')
}
