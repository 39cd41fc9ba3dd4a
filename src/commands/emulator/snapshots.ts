import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { controlled, steer, worldName } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { Snapshot } from '../../contract/control/worlds.ts'
import { CliError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { field, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

const columns: readonly Column<Received<Snapshot>>[] = [
  field('name', ({ name }) => name),
  field('world', ({ world }) => world),
  time('taken_at', ({ taken_at }) => taken_at),
  field('size_bytes', ({ size_bytes }) => size_bytes),
]

export const snapshots: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'List snapshots, take one of a world, and put a world back to one. New worlds can be made from them: ' +
        'payctl emulator worlds create --from-snapshot.',
    )
    .usage('[command]')
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.snapshots.list'))
      await context.output.list(all, columns, {
        none: withHint(
          'No snapshots.',
          toRun(['emulator', 'snapshots', 'take', '<name>'], 'Take one'),
          context.globals,
        ),
      })
    })
  listOptions(command, { columns, schema: 'Snapshot' }, context)
  examples(command, ['payctl emulator snapshots', 'payctl emulator snapshots take with-orders'])
  return {
    take: {
      summary: 'Keep the world as it is now, under a name.',
      usage: '<name>',
      load: () => take,
    },
    restore: {
      summary: 'Put the world back to a snapshot; a later reset goes back to it too. It does not ask.',
      usage: '<name>',
      load: () => restore,
    },
    delete: { summary: 'Forget a snapshot; worlds that were made from it stay.', usage: '<name>', load: () => remove },
  }
}

const take: CommandModule = (command, context) => {
  controlled(command)
    .argument('<name>', 'of the snapshot', worldName)
    .option('--replace', 'replace a snapshot of this name, of whatever world')
    .action(async (name: string, { replace, world }: { replace?: true; world?: string }) => {
      const body = { name, ...(replace && { replace }) }
      const taken = await steer(command, context, (control) =>
        control.call('control.snapshots.create', { body }).catch((error: Error) => {
          if (!isServiceAnswer(error, 409)) throw error
          const again = ['emulator', 'snapshots', 'take', name, ...(world ? ['--world', world] : []), '--replace']
          throw new CliError('conflict', error.message, toRun(again, 'To replace it'), { cause: error })
        }),
      )
      await context.output.record(taken, columns)
    })
  examples(command, [
    'payctl emulator snapshots take with-orders --replace',
    'payctl emulator snapshots take with-orders --world shop-7',
  ])
}

const restore: CommandModule = (command, context) => {
  controlled(command)
    .argument('<snapshot>', 'its name', worldName)
    .action(async (name: string) => {
      const input = { params: { name } }
      const world = await steer(command, context, (control) => control.call('control.snapshots.restore', input))
      await context.output.record(world, [
        field('name', ({ name }) => name),
        field('id', ({ id }) => id),
        field('made_from', ({ made_from }) => `snapshot ${made_from.snapshot ?? ''}`),
        field('size_bytes', ({ size_bytes }) => size_bytes),
      ])
    })
  examples(command, ['payctl emulator snapshots restore with-orders'])
}

const remove: CommandModule = (command, context) => {
  controlled(command)
    .argument('<snapshot>', 'its name', worldName)
    .action(async (name: string) => {
      const input = { params: { name } }
      const deleted = await steer(command, context, (control) => control.call('control.snapshots.delete', input))
      await context.output.record(deleted, columns)
    })
  examples(command, ['payctl emulator snapshots delete with-orders'])
}
