import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import type { ListedSnapshot } from '../../contract/control/snapshots.ts'
import type { WorldEntry } from '../../contract/control/worlds.ts'
import { CliError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer, unlessRefused } from '../../errors/service_errors.ts'
import { byteSize } from '../../output/byte_size.ts'
import { columnsOf, time } from '../../output/columns.ts'
import { grouped } from '../../run/counts.ts'
import type { Reporter } from '../../run/reporter.ts'
import { flawOf } from '../emulate/world_files.ts'
import {
  BackupFolder,
  type CopiedFile,
  type Copy,
  type Kind,
  type LeftOut,
  type SnapshotCopy,
} from './backup_folder.ts'

/** Result of a backup. */
export interface BackedUp {
  readonly folder: string
  readonly worlds: number
  /** Number of worlds copied by this run. */
  readonly copied: number
  /** Number of worlds whose copies are from earlier runs. */
  readonly unchanged: number
  readonly left_out: readonly LeftOut[]
  readonly snapshots: number
  /** Number of snapshots copied by this run. */
  readonly snapshots_copied: number
  readonly snapshots_left_out: readonly LeftOut[]
  readonly size_bytes: number
  readonly taken_at: string
}

const columns = columnsOf<BackedUp>(
  'folder',
  'worlds',
  'copied',
  'unchanged',
  'snapshots',
  'snapshots_copied',
  byteSize('size_bytes'),
  time('taken_at'),
)

export const backup = command({
  summary: 'Copy all worlds and snapshots into a folder',
  about:
    'Copy all worlds and snapshots of a running emulator into a folder, while others use them. A world or snapshot that has not changed since the ' +
    'last backup in the folder is not copied again. Each copy is checked like an imported file. payctl emulator restore makes ' +
    'worlds and snapshots from the copies. If more than half of the copied worlds, or all of several snapshots, no longer exist, the emulator may have lost them: the ' +
    'backup then stays as it is, unless --prune is given. The files contain webhook secrets, and digests of tokens: keep the folder private.',
  args: { '<folder>': { about: 'folder of the backup; it is created if it does not exist', of: 'file' } },
  flags: {
    ...controlFlags,
    '--prune': {
      about: 'also remove copies if more than half of the copied worlds, or all snapshots, no longer exist',
    },
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).backedUp),
  examples: ['payctl emulator backup /var/backups/payctl'],
  async run({ folder: path, prune = false, ...steering }, context) {
    const folder = new BackupFolder(path)
    folder.create()
    const { withLock } = await import('../../lock/lock.ts')
    const made = await withLock(
      folder.lock,
      context.signal,
      () => steer(steering, context, (control) => backUp(folder, control, { prune, reporter: reporterOf(context) })),
      () => context.output.note('Another backup is writing to this folder: waiting until it ends, at most 3 minutes.'),
    )
    await context.output.record(made, columns)
    for (const [what, leftOut] of [
      ['world', made.left_out],
      ['snapshot', made.snapshots_left_out],
    ] as const) {
      if (leftOut.length === 0) continue
      for (const { name, problem } of leftOut)
        context.output.note(`${what === 'world' ? 'World' : 'Snapshot'} ${name} was left out: ${problem}`)
      const which = leftOut.length === 1 ? `1 ${what} is` : `${grouped(leftOut.length)} ${what}s are`
      context.output.note(`${which} missing from this backup, or older than the others.`)
      context.exitWith(exits.conflict.code)
    }
  },
})

/** A world to copy. */
interface Entry {
  readonly name: string
  readonly id: string
  /** Null: not known until the world is read by its name. */
  readonly revision: string | null
  readonly rngStream: string
  readonly ttl: number | null
}

interface Options {
  readonly prune: boolean
  readonly reporter: Reporter
}

/** Copies the worlds and snapshots that have changed, and writes the manifest. */
async function backUp(folder: BackupFolder, control: ControlClient, { prune, reporter }: Options): Promise<BackedUp> {
  const last = folder.manifest()
  const before = new Map((last?.worlds ?? []).map((copy) => [copy.name, copy]))
  const { entries, leftOut } = await worldsOf(control, before)
  if (!prune) refuseLoss(before, [...entries, ...leftOut], folder)
  const worlds: Copy[] = []
  let copied = 0
  for (const [at, entry] of entries.entries()) {
    reporter.progress({ done: at, total: entries.length, detail: `${grouped(copied)} copied` })
    const copy = before.get(entry.name)
    if (copy && isUnchanged(copy, entry) && folder.has('worlds', copy)) {
      worlds.push(copy)
      continue
    }
    const made = await copyOf(entry, folder, control)
    if (typeof made === 'string') leftOut.push({ name: entry.name, problem: made })
    else if (made !== null) {
      worlds.push(made)
      copied += 1
    }
  }
  // Keeps the last good copy of a world that can't be read now.
  worlds.push(...leftOut.flatMap(({ name }) => before.get(name) ?? []))
  reporter.progress(null)
  // Worlds may have been lost since they were listed.
  if (!prune) refuseLoss(before, worlds, folder)
  const saved = await copySnapshots(last?.snapshots ?? [], folder, control, prune)
  const { snapshots } = saved
  const taken_at = new Date().toISOString()
  folder.finish({ payctl_backup: 1, taken_at, worlds, snapshots, left_out: leftOut })
  const size = [...worlds, ...snapshots].reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  return {
    folder: folder.path,
    ...{ worlds: worlds.length, copied, unchanged: worlds.length - copied, left_out: leftOut },
    ...{ snapshots: snapshots.length, snapshots_copied: saved.copied, snapshots_left_out: saved.leftOut },
    ...{ size_bytes: size, taken_at },
  }
}

/** Copies the snapshots that are new or were replaced. A snapshot that can't be read keeps its last copy. */
async function copySnapshots(
  last: readonly SnapshotCopy[],
  folder: BackupFolder,
  control: ControlClient,
  prune: boolean,
) {
  const before = new Map(last.map((copy) => [copy.name, copy]))
  const listed = await control.call('control.snapshots.list')
  if (!prune) refuseLossOfSnapshots(before, listed, folder)
  const snapshots: SnapshotCopy[] = []
  const leftOut: LeftOut[] = []
  let count = 0
  for (const { name: given, world, taken_at, problem } of listed) {
    const name = given ?? ''
    const copy = before.get(name)
    const isSame = copy !== undefined && copy.world === world && copy.taken_at === taken_at
    if (isSame && folder.has('snapshots', copy)) {
      snapshots.push(copy)
      continue
    }
    const file = folder.fileFor(name, world ?? '', taken_at ?? null)
    const read = () => unlessGone(control.call('control.snapshots.export', { params: { name } }))
    const copied = problem ?? (await checkedCopy('snapshots', file, folder, read))
    const made = copied ?? (await unexported(name, control))
    if (made === null) continue
    if (typeof made === 'string') {
      leftOut.push({ name, problem: made })
      if (copy) snapshots.push(copy)
      continue
    }
    snapshots.push({ name, world: world ?? '', taken_at: taken_at ?? '', ...made })
    count += 1
  }
  return { snapshots, leftOut, copied: count }
}

/** Null if a snapshot that can't be exported no longer exists; otherwise the problem. */
async function unexported(name: string, control: ControlClient): Promise<string | null> {
  const left = await control.call('control.snapshots.list')
  if (!left.some((snapshot) => snapshot.name === name)) return null
  return 'the emulator does not export it. The emulator may be older than this payctl.'
}

/** Refuses to remove the copies of all snapshots, if there are two or more. Throws CliError. */
function refuseLossOfSnapshots(
  before: ReadonlyMap<string, SnapshotCopy>,
  left: readonly Received<ListedSnapshot>[],
  { path }: BackupFolder,
): void {
  if (before.size < 2 || left.some(({ name }) => before.has(name ?? ''))) return
  throw new CliError(
    'conflict',
    `The emulator has none of the ${grouped(before.size)} snapshots in the backup. The emulator may have lost them. The backup stays as it was.`,
    toRun(['emulator', 'backup', path, '--prune'], 'If the snapshots were deleted on purpose'),
  )
}

/** Refuses to remove more than half of the copies. Throws CliError. */
function refuseLoss(
  before: ReadonlyMap<string, Copy>,
  left: readonly { name: string }[],
  { path }: BackupFolder,
): void {
  const names = new Set(left.map(({ name }) => name))
  const lost = [...before.keys()].filter((name) => !names.has(name)).length
  if (lost * 2 <= before.size) return
  throw new CliError(
    'conflict',
    `Worlds in the backup that the emulator no longer has: ${grouped(lost)} of ${grouped(before.size)}. The emulator may have lost them. The backup stays as it was.`,
    toRun(['emulator', 'backup', path, '--prune'], 'If the worlds were deleted on purpose'),
  )
}

const isUnchanged = (copy: Copy, { id, revision }: Entry): boolean =>
  copy.id === id && copy.revision !== null && copy.revision === revision

/** Maximum number of lists to read, even if no two consecutive lists are equal. */
const mostLists = 5

/**
 * Lists all worlds. If a world ends while the pages of a list are read, the next page begins one world later and skips
 * a world. A list is complete if the next list has the same worlds: a world that ended in between would be missing from
 * the next list. If a world of the last backup is missing from the list, the world is read by its name.
 */
async function worldsOf(control: ControlClient, before: ReadonlyMap<string, Copy>) {
  const entries = new Map<string, Entry>()
  const leftOut = new Map<string, LeftOut>()
  let last: ReadonlySet<string> | null = null
  for (let count = 0; count < mostLists; count += 1) {
    const names = await addListed({ entries, leftOut }, control)
    if (last?.size === names.size && last.isSubsetOf(names)) break
    last = names
  }
  for (const name of before.keys()) {
    if (entries.has(name) || leftOut.has(name)) continue
    const entry = await read(name, control)
    if (entry) entries.set(name, entry)
  }
  return { entries: [...entries.values()], leftOut: [...leftOut.values()] }
}

interface Listed {
  readonly entries: Map<string, Entry>
  readonly leftOut: Map<string, LeftOut>
}

/** Adds all worlds in the list; returns their names. */
async function addListed({ entries, leftOut }: Listed, control: ControlClient): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for await (const entry of control.items('control.worlds.list', { query: { status: 'live' } })) {
    const name = entry.name ?? ''
    names.add(name)
    // The world may have become usable, or unusable, since the last list.
    entries.delete(name)
    leftOut.delete(name)
    if (entry.status === 'broken') leftOut.set(name, { name, problem: 'problem' in entry ? (entry.problem ?? '') : '' })
    else entries.set(name, entryOf(name, entry as Received<WorldEntry>))
  }
  return names
}

const entryOf = (name: string, entry: Partial<Received<WorldEntry>>): Entry => ({
  name,
  id: entry.id ?? '',
  revision: entry.revision ?? null,
  rngStream: entry.rng_stream ?? name,
  ttl: entry.ttl_seconds ?? null,
})

/** Opens and reads a world; null if it has ended. */
async function read(name: string, control: ControlClient): Promise<Entry | null> {
  const world = await unlessGone(control.call('control.worlds.get', { params: { name } }))
  return world && entryOf(name, world)
}

/** Copies a world; null if it has ended; a problem if it can't be copied. */
async function copyOf(listed: Entry, folder: BackupFolder, control: ControlClient): Promise<Copy | string | null> {
  // The revision is read before the content: a change between the two makes the next backup copy the world again.
  const entry = listed.revision === null ? await orProblem(read(listed.name, control)) : listed
  if (entry === null || typeof entry === 'string') return entry
  const { name, id, revision, rngStream, ttl } = entry
  const content = () => unlessGone(control.of(name).call('control.export'))
  const made = await checkedCopy('worlds', folder.fileFor(name, id, revision), folder, content)
  if (made === null || typeof made === 'string') return made
  return { name, id, revision, ...made, rng_stream: rngStream, ttl_seconds: ttl }
}

/**
 * Writes a copy, unless a killed run has left it. Returns null if the content is missing, and a problem if it
 * can't be read or is damaged.
 */
async function checkedCopy(
  kind: Kind,
  file: string,
  folder: BackupFolder,
  read: () => Promise<Uint8Array | null>,
): Promise<Omit<CopiedFile, 'name'> | string | null> {
  const left = folder.read(kind, file)
  const isWhole = left !== null && (await flawOf(left)) === null
  const bytes = isWhole ? left : await orProblem(read())
  if (bytes === null || typeof bytes === 'string') return bytes
  const flaw = isWhole ? null : await flawOf(bytes)
  return flaw === null ? folder.write(kind, file, bytes) : `Its copy ${flaw}.`
}

/** The content, or the message of the emulator if it can't read the content (503). */
const orProblem = <T>(content: Promise<T>): Promise<T | string> =>
  content.catch((error: Error) => {
    if (isServiceAnswer(error, 503)) return error.message
    throw error
  })

/** The answer; null if the world or snapshot no longer exists. */
const unlessGone = <T>(answer: Promise<T>): Promise<T | null> => unlessRefused(answer, [404, 410])
