import { InvalidArgumentError, Option } from 'commander'
import type { ControlAnswerOf } from '../../client/received.ts'
import { field, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<ControlAnswerOf<'control.fx.get'>>[] = [
  status('status', ({ offline }) => (offline ? 'offline' : 'online')),
  field('bid', ({ service }) => service.bid),
  field('ask', ({ service }) => service.ask),
  field('upstream_bid', ({ upstream }) => upstream.bid),
  field('upstream_ask', ({ upstream }) => upstream.ask),
  field('spread', ({ spread }) => spread),
  field('fixed_bid', ({ bid }) => bid !== null),
  field('fixed_ask', ({ ask }) => ask !== null),
]

type Rate = number | 'auto'

interface Flags {
  readonly bid?: Rate
  readonly ask?: Rate
  readonly spread?: number
  readonly offline?: true
  readonly online?: true
}

export const fx: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set exchange rates (CRC for one USD), put them out of order or back.')
    .option('--bid <rate>', 'of the upstream provider; auto lets it move by itself', rate)
    .option('--ask <rate>', 'of the upstream provider; auto lets it move by itself', rate)
    .option('--spread <share>', 'the service’s share on each side: 0.004 is 0.4 %', decimalNumber)
    .option('--offline', 'the service answers 503 for rates')
    .addOption(new Option('--online', 'the service answers with rates again').conflicts('offline'))
    .action(async ({ bid, ask, spread, offline, online }: Flags) => {
      const body = { bid: fixed(bid), ask: fixed(ask), spread, offline: offline ?? (online ? false : undefined) }
      const asked = Object.values(body).some((value) => value !== undefined)
      const state = await steer(command, context, (control) =>
        asked ? control.call('control.fx.set', { body }) : control.call('control.fx.get'),
      )
      await context.output.record(state, columns)
    })
  examples(command, [
    'payctl emulator fx',
    'payctl emulator fx --bid 500 --ask 510 --spread 0.004',
    'payctl emulator fx --offline',
    'payctl emulator fx --online --bid auto --ask auto',
  ])
}

const rate = (text: string): Rate => (text === 'auto' ? text : decimalNumber(text))

const fixed = (given: Rate | undefined): number | null | undefined => (given === 'auto' ? null : given)

function decimalNumber(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number like 505.25.')
}
