import { command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import type { Comparison } from '../../contract/control/compare.ts'
import { moneyText } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, money, words } from '../../output/columns.ts'
import type { Layout } from '../../output/output.ts'
import { counted } from '../../run/counts.ts'
import { withShortIds } from './requests.ts'

type Compared = Received<Comparison>
type Item = Compared['items'][number]
type Change = NonNullable<Item['change']>

/** A difference between two worlds: an event, or a final balance. */
interface Difference {
  readonly change: Change
  readonly kind: string
  readonly what: string
  readonly amount: NonNullable<Item['first']>['amount']
  /** Values of both worlds, for people; empty unless the event or balance has changed. */
  readonly differences: string
}

/** Exit code if the worlds differ: the same as the exit code of diff. */
const differs = 1

const signs: Readonly<Record<Change, string>> = { added: '+', removed: '-', changed: '~', same: ' ' }

const layout: Layout<Difference> = {
  columns: columnsOf<Difference>('change', 'kind', 'what', money('amount'), 'differences'),
  table: columnsOf<Difference>(
    { ...field('change', ({ change }: Difference) => signs[change]), heading: '', width: 1, uncut: true },
    { ...field('kind'), width: 'delivery'.length, uncut: true },
    { ...words('what', ({ what }: Difference) => withShortIds(what)), width: 44 },
    money('amount'),
  ),
  below: ({ differences }) => differences || null,
}

export const compare = command({
  summary: 'Compare what happened in two worlds',
  about:
    'Compare what happened in two worlds, matched by cause: requests, statuses, ledger entries, events, deliveries, ' +
    'and final balances. Without a second world, compare a fork with the world that it comes from. Corresponding ids, ' +
    'references and keys do not count as differences, nor do times. Exit 0 if the worlds are the same, 1 if they ' +
    'differ.',
  args: {
    '<world>': { about: 'first world, or a fork', of: 'world', parse: worldName },
    '[other]': {
      about: 'second world: + marks what only it has, - what only the first has',
      of: 'world',
      parse: worldName,
    },
  },
  flags: {
    ...controlFlags,
    '--all': { about: 'also list equal events' },
  },
  prints: answer('control.compare'),
  columns: layout,
  unsorted: true,
  examples: ['payctl emulator compare default repaired', 'payctl emulator compare repaired --json'],
  async run({ world, other, all, ...steering }, context) {
    const { output } = context
    const compared = await steer(steering, context, async (control) => {
      const names = other === undefined ? [await originOf(world, control), world] : [world, other]
      return control.call('control.compare', { query: { world: names, ...(all && { all: 'true' }) } })
    })
    const differences = [...compared.items.map(shownItem), ...compared.balances.map(shownBalance)]
    await output.list(differences, layout, { data: compared })
    const { added = 0, removed = 0, changed = 0, same = 0 } = compared.counts
    const [first, second] = compared.worlds
    if (compared.same) output.note(`${first} and ${second} are the same: ${counted(same ?? 0, 'happening')}.`)
    else {
      output.note(
        `From ${first} to ${second}: ${removed} removed, ${added} added, ${changed} changed, ${same} the same; ` +
          `${counted(compared.balances.length, 'balance')} changed.`,
      )
      context.exitWith(differs)
    }
  },
})

async function originOf(name: string, control: ControlClient): Promise<string> {
  const { forked_from: from } = await control.call('control.worlds.get', { params: { name } })
  if (from?.world) return from.world
  throw new UsageError(`The world ${name} is not a fork.`, toRun(['emulator', 'compare', name, '<other>']))
}

function shownItem({ change, first, second, differences }: Item): Difference {
  const { id, kind, what, amount, status } = second ?? first ?? {}
  return {
    change: change ?? 'changed',
    kind: kind ?? '',
    what: kind === 'request' ? [id, status, what].filter(Boolean).join(' ') : (what ?? ''),
    amount: amount ?? null,
    differences: differences.map(({ field, first, second }) => differenceIn(field ?? '', first, second)).join('; '),
  }
}

const shownBalance = ({ owner, purpose, first, second }: Compared['balances'][number]): Difference => ({
  change: 'changed',
  kind: 'balance',
  what: `${purpose} of ${owner}`,
  amount: second,
  differences: differenceIn('what', moneyText(first), moneyText(second)),
})

/**
 * Text of a difference: `status completed → failed`. The text omits the name of the field `what`: its values, which are
 * descriptions and balances, need no name.
 */
const differenceIn = (field: string, first: unknown, second: unknown): string =>
  withShortIds(`${field === 'what' ? '' : `${field.replaceAll('_', ' ')} `}${first ?? 'none'} → ${second ?? 'none'}`)
