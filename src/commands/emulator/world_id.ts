import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import type { ControlClient } from '../../client/control_client.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'

// Parts of ids as people type them. The emulator resolves them, because it knows the payments of every user.

interface Kind {
  readonly kind: 'payment' | 'account' | 'subscription' | 'user' | 'scheduled_credit'
  /** Length of the shortest part, in characters. */
  readonly shortest: number
}

const kinds = {
  payment: { kind: 'payment', shortest: 5 },
  account: { kind: 'account', shortest: 4 },
  subscription: { kind: 'subscription', shortest: 5 },
  user: { kind: 'user', shortest: 5 },
  'scheduled credit': { kind: 'scheduled_credit', shortest: 5 },
} as const satisfies Record<string, Kind>

/** A part of an id. `kind` is also the noun for the id in messages. */
interface Named {
  readonly text: string
  readonly kind: keyof typeof kinds
}

/**
 * Returns the complete id for an id or part of an id. `last` is the newest payment; an account can also be named by its
 * IBAN or the end of its IBAN. A complete id needs no request. Throws a UsageError if several ids match.
 */
export async function worldId({ text, kind: noun }: Named, control: ControlClient, context: Context): Promise<string> {
  const written = text.replace(/\s/g, '').replace(/^(\.{2,}|…)/, '')
  if (isUuid(written)) return written.toLowerCase()
  const { kind, shortest } = kinds[noun]
  const part = partOf(written, { kind, shortest })
  if (part === undefined) {
    throw new UsageError(
      `'${text}' is not an id of ${noun === 'account' ? 'an' : 'a'} ${noun}, nor part of one.`,
      `Give at least ${shortest} characters of it${kind === 'payment' ? ', or last' : ''}`,
    )
  }
  const found = await control.call('control.ids.find', { query: { kind, part } })
  const [first, ...others] = found
  if (!first?.id) {
    throw new CliError(
      'not_found',
      part === 'last' ? 'This world has no payments.' : `No ${noun} of this world has the id ${text}.`,
    )
  }
  if (others.length > 0) {
    const all = found.map(({ id, about }) => `${id} (${about})`).join(', ')
    throw new UsageError(`'${text}' matches more than one ${noun}.`, `Give more of the id: ${all}`)
  }
  context.output.note(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${first.id}`)
  return first.id
}

/** Member of a request that `worldId` resolves. */
export const idInWorld = (named: Named) => (control: ControlClient, context: Context) =>
  worldId(named, control, context)

/** Part of an id in the emulator's spelling; undefined if the value can't be part of an id. */
function partOf(written: string, { kind, shortest }: Kind): string | undefined {
  const part = written.toLowerCase()
  if (kind === 'payment' && part === 'last') return part
  if (kind === 'account' && /^CR\d{20}$/.test(normalizeIban(written))) return normalizeIban(written)
  return part.length >= shortest && /^[0-9a-f-]+$/.test(part) ? part : undefined
}
