import { randomBytes } from 'node:crypto'
import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { controlFlags, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer, unlessRefused } from '../../errors/service_errors.ts'
import { columnsOf, field } from '../../output/columns.ts'
import type { Reporter } from '../../run/reporter.ts'
import { flawOf } from '../emulate/world_files.ts'
import { BackupFolder, type CopiedFile, type Copy, digestOf, type Kind, type SnapshotCopy } from './backup_folder.ts'

/** Names of worlds or snapshots. */
interface Names {
  readonly restored: readonly string[]
  /** Replaced by their copies. */
  readonly replaced: readonly string[]
  /** Not changed, because they exist. */
  readonly existing: readonly string[]
}

/** Result of restoring a backup: names of worlds, and of snapshots. */
export interface Restored extends Names {
  readonly folder: string
  readonly snapshots: Names
}

const count = (name: 'restored' | 'replaced' | 'existing') =>
  field(name, ({ [name]: names }: Restored) => String(names.length))

const columns = columnsOf<Restored>(
  'folder',
  count('restored'),
  count('replaced'),
  count('existing'),
  field('snapshots', ({ snapshots }: Restored) => String(snapshots.restored.length + snapshots.replaced.length)),
)

export const restore = command({
  summary: 'Make worlds and snapshots from a backup',
  about:
    'Make all worlds and snapshots of a backup again, or one of them, as they were when copied. All copies are checked before ' +
    'the first world is made. A world or snapshot that already exists does not change, unless --replace is given.',
  args: {
    '<folder>': { about: 'folder that payctl emulator backup has written', of: 'file' },
    '[world]': { about: 'only this world', of: 'world', parse: worldName, as: 'only' },
  },
  flags: {
    ...controlFlags,
    '--snapshot <name>': { about: 'only this snapshot', parse: worldName },
    '--replace': { about: 'also replace existing worlds and snapshots with their copies; all later changes are lost' },
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).restoredWorlds),
  examples: [
    'payctl emulator restore /var/backups/payctl',
    'payctl emulator restore /var/backups/payctl shop-7 --replace',
    'payctl emulator restore /var/backups/payctl --snapshot with-orders',
  ],
  async run({ folder: path, only, snapshot, replace = false, ...steering }, context) {
    if (only !== undefined && snapshot !== undefined) {
      throw new UsageError('A world and --snapshot can’t be combined.', 'Run the command once for each.')
    }
    const folder = new BackupFolder(path)
    const chosen = chosenCopies(folder, only, snapshot)
    await refuseDamaged(chosen, folder)
    const result = await steer(steering, context, (control) =>
      restoreAll(chosen, { folder, control, replace, reporter: reporterOf(context) }),
    )
    await context.output.record(result, columns)
    const existing = [...result.existing, ...result.snapshots.existing.map((name) => `snapshot ${name}`)]
    if (existing.length === 0) return
    const one = only === undefined ? (snapshot === undefined ? [] : ['--snapshot', snapshot]) : [only]
    const again = ['emulator', 'restore', path, ...one, '--replace']
    const names = existing.slice(0, 5).join(', ') + (existing.length > 5 ? ' and more' : '')
    context.output.commandNote(`Not replaced, because they exist: ${names}. To replace them and lose their changes:`, [
      'payctl',
      ...again,
    ])
    context.exitWith(exits.conflict.code)
  },
})

interface Chosen {
  readonly worlds: readonly Copy[]
  readonly snapshots: readonly SnapshotCopy[]
}

/** The copies to restore. Throws CliError if the backup, or the copy of the named world or snapshot, is missing. */
function chosenCopies(folder: BackupFolder, only: string | undefined, snapshot: string | undefined): Chosen {
  const manifest = folder.manifest()
  if (manifest === null) {
    throw new CliError(
      'not_found',
      `${folder.path} has no backup.`,
      toRun(['emulator', 'backup', folder.path], 'Make one'),
    )
  }
  const { worlds, snapshots = [] } = manifest
  if (only !== undefined) return { worlds: named(worlds, only, 'world'), snapshots: [] }
  if (snapshot !== undefined) return { worlds: [], snapshots: named(snapshots, snapshot, 'snapshot') }
  return { worlds, snapshots }
}

function named<One extends CopiedFile>(copies: readonly One[], only: string, what: string): readonly One[] {
  const found = copies.filter(({ name }) => name === only)
  if (found.length > 0) return found
  throw new CliError('not_found', `The backup has no ${what} ${only}.`, `Its manifest.json lists the ${what}s.`)
}

/** Throws CliError if a copy is missing or damaged, before any world is changed. */
async function refuseDamaged({ worlds, snapshots }: Chosen, folder: BackupFolder): Promise<void> {
  const flaws: string[] = []
  const copies = [
    ...worlds.map((copy) => ['worlds', copy] as const),
    ...snapshots.map((copy) => ['snapshots', copy] as const),
  ]
  for (const [kind, { name, file, sha256 }] of copies) {
    const bytes = folder.read(kind, file)
    const flaw =
      bytes === null ? 'is missing' : digestOf(bytes) === sha256 ? await flawOf(bytes) : 'has changed since the backup'
    if (flaw !== null) flaws.push(`${name} (${kind}/${file} ${flaw})`)
  }
  if (flaws.length === 0) return
  const shown = flaws.slice(0, 5).join(', ') + (flaws.length > 5 ? ` and ${flaws.length - 5} more` : '')
  throw new CliError(
    'conflict',
    `The backup has damaged copies, and nothing was restored: ${shown}.`,
    'Restore the files from another copy of the folder, or restore the undamaged worlds and snapshots one by one, by name.',
  )
}

interface Restoring {
  readonly folder: BackupFolder
  readonly control: ControlClient
  readonly replace: boolean
  readonly reporter: Reporter
}

async function restoreAll({ worlds, snapshots }: Chosen, restoring: Restoring): Promise<Restored> {
  const { folder, control, replace, reporter } = restoring
  const total = worlds.length + snapshots.length
  const done = { restored: [] as string[], replaced: [] as string[], existing: [] as string[] }
  for (const [at, copy] of worlds.entries()) {
    reporter.progress({ done: at, total })
    const file = fileOf('worlds', copy, folder)
    if (await make(copy, file, control)) done.restored.push(copy.name)
    else if (!replace) done.existing.push(copy.name)
    else {
      await put(copy, file, control)
      done.replaced.push(copy.name)
    }
  }
  const saved = { restored: [] as string[], replaced: [] as string[], existing: [] as string[] }
  for (const [at, copy] of snapshots.entries()) {
    reporter.progress({ done: worlds.length + at, total })
    const { name } = copy
    const file = fileOf('snapshots', copy, folder)
    if (await importSnapshot(name, file, control)) saved.restored.push(name)
    else if (!replace) saved.existing.push(name)
    else {
      await importSnapshot(name, file, control, { replace })
      saved.replaced.push(name)
    }
  }
  reporter.progress(null)
  return { folder: folder.path, ...done, snapshots: saved }
}

function fileOf(kind: Kind, { file }: CopiedFile, folder: BackupFolder): Uint8Array {
  const bytes = folder.read(kind, file)
  if (bytes !== null) return bytes
  throw new CliError(
    'conflict',
    `${kind}/${file} was removed from the backup while this command ran.`,
    'Run the command again when no backup is writing to the folder.',
  )
}

/** Makes a snapshot from its copy; false if there is already a snapshot with this name. */
async function importSnapshot(
  name: string,
  file: Uint8Array,
  control: ControlClient,
  query: { readonly replace?: boolean } = {},
): Promise<boolean> {
  const made = control.call('control.snapshots.import', { params: { name }, query, body: { file } })
  if ((await unlessRefused(made, [409])) !== null) return true
  const isThere = (await control.call('control.snapshots.list')).some(
    // The emulator puts the name of a team before the names of its snapshots.
    ({ name: full }) => full === name || full?.endsWith(`.${name}`),
  )
  // Otherwise a quota leaves no room for the snapshot: the promise rejects with the message of the emulator.
  return isThere ? false : made.then(() => true)
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
