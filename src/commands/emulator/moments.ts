import { InvalidArgumentError } from 'commander'
import { instant, integer } from '../../cli/arguments.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { largestMomentLimit, usualMomentLimit } from '../../contract/emulator_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { byteSize } from '../../output/byte_size.ts'
import { columnsOf, field, time, words } from '../../output/columns.ts'
import { shownPart } from '../../values/text.ts'
import { idInWorld } from './world_id.ts'

type Moment = RowOf<'control.moments.list'>

/** Parses the id of a moment: `12` is `m12`. */
export function momentId(text: string): string {
  const id = /^\d+$/.test(text) ? `m${text}` : text.toLowerCase()
  if (/^m[1-9]\d*$/.test(id)) return id
  throw new InvalidArgumentError('Give the id of a moment, like m12.')
}

export const moments = endpointCommand('control.moments.list', {
  summary: 'List saved moments, to fork the world from one',
  about:
    'List the saved moments of the world, newest first. A moment is the state of the world after a change. `payctl ' +
    'emulator worlds create --from-moment` makes a world from a moment.',
  items: 'moments',
  flags: {
    '--request <id>': { about: 'only the moment that this request made or read: r12' },
    '--payment <payment>': { about: 'only moments of this payment: id or part of the id', of: 'payment' },
    '--until <time>': {
      about: 'only moments up to this time of the emulator’s clock\nISO 8601; without a zone, Costa Rica time',
      parse: instant,
    },
  },
  members: ({ payment, ...given }) => ({
    ...given,
    payment: payment && idInWorld({ text: payment, kind: 'payment' }),
  }),
  columns: columnsOf<Moment>(
    { ...field('id'), width: 'm1000'.length, uncut: true },
    time('at'),
    {
      ...words('cause', causeOf),
      text: ({ cause }: Moment) => (cause.kind === 'delivery' ? (cause.what ?? '') : causeOf({ cause })),
    },
    {
      ...field('payment_id', ({ cause }: Moment) => cause.payment_id),
      text: ({ cause }: Moment) => (cause.payment_id ? shownPart(cause.payment_id) : ''),
      width: '...00000'.length,
    },
    '-before',
    { ...byteSize('size_bytes'), detail: true },
  ),
  none: { words: 'No moments. To save moments from now on', next: toRun(['emulator', 'moments', 'keep']) },
  examples: ['payctl emulator moments', 'payctl emulator moments --payment last', 'payctl emulator moments keep'],
  commands: { keep: () => keep, drop: () => drop },
})

/** Describes the cause of a moment: the change, and the id of the request or delivery that made the change. */
function causeOf({ cause: { what, id } }: Pick<Moment, 'cause'>): string {
  return [what, id && `(${id})`].filter(Boolean).join(' ')
}

const keptColumns = columnsOf<RowOf<'control.moments.keep'>>(
  field('limit_mib', ({ limit_mib }: RowOf<'control.moments.keep'>) => limit_mib ?? 'none'),
  'count',
  byteSize('size_bytes'),
)

const keep = endpointCommand('control.moments.keep', {
  summary: 'Save the moments of the world from now on, or change their limit.',
  flags: {
    '--limit <MiB>': {
      about: `memory for the moments; the oldest are dropped (default: ${usualMomentLimit})`,
      parse: integer({ min: 1, max: largestMomentLimit }),
    },
  },
  members: ({ limit }) => ({ limit_mib: limit }),
  columns: keptColumns,
  examples: ['payctl emulator moments keep', 'payctl emulator moments keep --limit 256'],
})

const drop = endpointCommand('control.moments.stop', {
  summary: 'Drop the moments of the world, and save no more.',
  columns: keptColumns,
  examples: ['payctl emulator moments drop'],
})
