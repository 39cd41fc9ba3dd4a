import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer, worldName } from '../../cli/steer.ts'
import { CliError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { columnsOf, field, time } from '../../output/columns.ts'

const columns = columnsOf<RowOf<'control.snapshots.list'>>('name', 'world', time('taken_at'), 'size_bytes')

export const snapshots = endpointCommand('control.snapshots.list', {
  summary: 'Save a world as it is, and put it back',
  about:
    'List snapshots, take one of a world, and put a world back to one. New worlds can be made from them: ' +
    'payctl emulator worlds create --from-snapshot.',
  columns,
  none: { words: 'No snapshots.', next: toRun(['emulator', 'snapshots', 'take', '<name>'], 'Take one') },
  examples: ['payctl emulator snapshots', 'payctl emulator snapshots take with-orders'],
  commands: { take: () => take, restore: () => restore, delete: () => remove },
})

const take = command({
  summary: 'Save the world as it is now, under a name.',
  args: { '<name>': { about: 'of the snapshot', parse: worldName } },
  flags: { ...controlFlags, '--replace': { about: 'replace a snapshot of this name, of whatever world' } },
  prints: answer('control.snapshots.create'),
  examples: [
    'payctl emulator snapshots take with-orders --replace',
    'payctl emulator snapshots take with-orders --world shop-7',
  ],
  async run({ name, replace, ...steering }, context) {
    const { world } = steering
    const body = { name, ...(replace && { replace }) }
    const taken = await steer(steering, context, (control) =>
      control.call('control.snapshots.create', { body }).catch((error: Error) => {
        if (!isServiceAnswer(error, 409)) throw error
        const again = ['emulator', 'snapshots', 'take', name, ...(world ? ['--world', world] : []), '--replace']
        throw new CliError('conflict', error.message, toRun(again, 'To replace it'), { cause: error })
      }),
    )
    await context.output.record(taken, columns)
  },
})

const snapshotArgument = {
  '<snapshot>': { about: 'its name', of: 'snapshot', parse: worldName, sends: 'name' },
} as const

type Restored = RowOf<'control.snapshots.restore'>

const restore = endpointCommand('control.snapshots.restore', {
  summary: 'Put the world back to a snapshot; a later reset goes back to it too. It does not ask.',
  args: snapshotArgument,
  columns: columnsOf<Restored>(
    'name',
    'id',
    field('made_from', ({ made_from }: Restored) => `snapshot ${made_from.snapshot ?? ''}`),
    'size_bytes',
  ),
  examples: ['payctl emulator snapshots restore with-orders'],
})

const remove = endpointCommand('control.snapshots.delete', {
  summary: 'Delete a snapshot; worlds that were made from it stay.',
  args: snapshotArgument,
  columns,
  examples: ['payctl emulator snapshots delete with-orders'],
})
