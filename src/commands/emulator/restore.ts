import { randomBytes } from 'node:crypto'
import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { controlFlags, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import { CliError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer, unlessRefused } from '../../errors/service_errors.ts'
import { columnsOf, field } from '../../output/columns.ts'
import type { Reporter } from '../../run/reporter.ts'
import { flawOf } from '../emulate/world_files.ts'
import { BackupFolder, type Copy, digestOf } from './backup_folder.ts'

/** Result of restoring a backup: names of worlds. */
export interface Restored {
  readonly folder: string
  readonly restored: readonly string[]
  /** Existing worlds that were replaced by their copies. */
  readonly replaced: readonly string[]
  /** Existing worlds that were not changed. */
  readonly existing: readonly string[]
}

const count = (name: 'restored' | 'replaced' | 'existing') =>
  field(name, ({ [name]: names }: Restored) => String(names.length))

const columns = columnsOf<Restored>('folder', count('restored'), count('replaced'), count('existing'))

export const restore = command({
  summary: 'Make worlds from the copies of a backup',
  about:
    'Make all worlds of a backup again, or one of them, as they were when copied. All copies are checked before ' +
    'the first world is made. A world that already exists does not change, unless --replace is given.',
  args: {
    '<folder>': { about: 'folder that payctl emulator backup has written', of: 'file' },
    '[world]': { about: 'only this world', of: 'world', parse: worldName, as: 'only' },
  },
  flags: {
    ...controlFlags,
    '--replace': { about: 'also replace existing worlds with their copies; all later changes are lost' },
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).restoredWorlds),
  examples: [
    'payctl emulator restore /var/backups/payctl',
    'payctl emulator restore /var/backups/payctl shop-7 --replace',
  ],
  async run({ folder: path, only, replace = false, ...steering }, context) {
    const folder = new BackupFolder(path)
    const copies = chosen(folder, only)
    await refuseDamaged(copies, folder)
    const result = await steer(steering, context, (control) =>
      restoreAll(copies, { folder, control, replace, reporter: reporterOf(context) }),
    )
    await context.output.record(result, columns)
    const { existing } = result
    if (existing.length === 0) return
    const again = ['emulator', 'restore', path, ...(only === undefined ? [] : [only]), '--replace']
    const names = existing.slice(0, 5).join(', ') + (existing.length > 5 ? ' and more' : '')
    context.output.commandNote(`Not replaced, because they exist: ${names}. To replace them and lose their changes:`, [
      'payctl',
      ...again,
    ])
    context.exitWith(exits.conflict.code)
  },
})

/** The copies to restore. Throws CliError if the backup, or the copy of the world `only`, is missing. */
function chosen(folder: BackupFolder, only: string | undefined): readonly Copy[] {
  const manifest = folder.manifest()
  if (manifest === null) {
    throw new CliError(
      'not_found',
      `${folder.path} has no backup.`,
      toRun(['emulator', 'backup', folder.path], 'Make one'),
    )
  }
  const { worlds } = manifest
  if (only === undefined) return worlds
  const copies = worlds.filter(({ name }) => name === only)
  if (copies.length > 0) return copies
  throw new CliError('not_found', `The backup has no world ${only}.`, 'Its manifest.json lists the worlds.')
}

/** Throws CliError if a copy is missing or damaged, before any world is changed. */
async function refuseDamaged(copies: readonly Copy[], folder: BackupFolder): Promise<void> {
  const flaws: string[] = []
  for (const { name, file, sha256 } of copies) {
    const bytes = folder.read(file)
    const flaw =
      bytes === null ? 'is missing' : digestOf(bytes) === sha256 ? await flawOf(bytes) : 'has changed since the backup'
    if (flaw !== null) flaws.push(`${name} (worlds/${file} ${flaw})`)
  }
  if (flaws.length === 0) return
  const shown = flaws.slice(0, 5).join(', ') + (flaws.length > 5 ? ` and ${flaws.length - 5} more` : '')
  throw new CliError(
    'conflict',
    `The backup has damaged copies, and nothing was restored: ${shown}.`,
    'Restore the files from another copy of the folder, or restore the undamaged worlds one by one, by name.',
  )
}

interface Restoring {
  readonly folder: BackupFolder
  readonly control: ControlClient
  readonly replace: boolean
  readonly reporter: Reporter
}

async function restoreAll(
  copies: readonly Copy[],
  { folder, control, replace, reporter }: Restoring,
): Promise<Restored> {
  const done = { restored: [] as string[], replaced: [] as string[], existing: [] as string[] }
  for (const [at, copy] of copies.entries()) {
    reporter.progress({ done: at, total: copies.length })
    const file = folder.read(copy.file)
    if (file === null) {
      throw new CliError(
        'conflict',
        `worlds/${copy.file} was removed from the backup while this command ran.`,
        'Run the command again when no backup is writing to the folder.',
      )
    }
    if (await make(copy, file, control)) done.restored.push(copy.name)
    else if (!replace) done.existing.push(copy.name)
    else {
      await put(copy, file, control)
      done.replaced.push(copy.name)
    }
  }
  reporter.progress(null)
  return { folder: folder.path, ...done }
}

/** Makes a world from its copy; false if there is already a world with this name. */
async function make(
  { name, rng_stream, ttl_seconds }: Copy,
  file: Uint8Array,
  control: ControlClient,
): Promise<boolean> {
  const query = { name, rng_stream, ...(ttl_seconds !== null && { ttl_seconds }) }
  return (await unlessRefused(control.call('control.import', { query, body: { file } }), [409])) !== null
}

/**
 * Restores a world from its copy. Imports the copy as another world, and restores the world from a snapshot of that
 * other world. In this way the world exists at all times, either with its changes or as in the copy.
 */
async function put({ name }: Copy, file: Uint8Array, control: ControlClient): Promise<void> {
  // The other world's name begins with the name of this world, so that the other world has the same shard and team.
  const besides = `${name.slice(0, 40)}.restore-${randomBytes(4).toString('hex')}`
  await control.call('control.import', { query: { name: besides, ttl_seconds: 3600 }, body: { file } })
  try {
    await control.of(besides).call('control.snapshots.create', { body: { name: besides } })
    try {
      await control.of(name).call('control.snapshots.restore', { params: { name: besides } })
    } finally {
      await control.call('control.snapshots.delete', { params: { name: besides } })
    }
  } finally {
    await control.call('control.worlds.delete', { params: { name: besides } }).catch((error: Error) => {
      if (!isServiceAnswer(error, 404, 410)) throw error
    })
  }
}
