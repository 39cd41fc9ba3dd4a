import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type Context, command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { hintOf } from '../../cli/next_step.ts'
import { answer, object } from '../../cli/prints.ts'
import { standardInput } from '../../cli/standard_input.ts'
import { controlFlags, type Steering, steer, worldName } from '../../cli/steer.ts'
import { originalOf } from '../../client/decode.ts'
import { type ExportedSeed, worldFile } from '../../contract/control/worlds.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { fileFault } from '../../files/file_fault.ts'
import { byteSize } from '../../output/byte_size.ts'
import { columnsOf, field, time } from '../../output/columns.ts'
import { counted } from '../../run/counts.ts'
import { escapeHidden } from '../../run/sanitise.ts'
import { chaosBody } from '../emulate/world_files.ts'
import { isStdout, refuseExisting, seedText, type Target, writeTarget } from './exported_file.ts'
import { mannerFlags, placeFlags, printCreated } from './worlds.ts'

const snapshotColumns = columnsOf<Partial<RowOf<'control.snapshots.list'>>>(
  'name',
  'world',
  time('taken_at'),
  byteSize('size_bytes'),
)

export const snapshots = endpointCommand('control.snapshots.list', {
  summary: 'Save the state of a world, and restore it',
  about:
    'List snapshots, take a snapshot of a world, and restore a world to a snapshot. A new world can also start from a ' +
    'snapshot: payctl emulator worlds create --from-snapshot.',
  columns: snapshotColumns,
  none: { words: 'No snapshots.', next: toRun(['emulator', 'snapshots', 'take', '<name>'], 'Take one') },
  after: (all) => problemsOf(all),
  examples: ['payctl emulator snapshots', 'payctl emulator snapshots take with-orders'],
  commands: { take: () => take, restore: () => restore, delete: () => removeSnapshot },
})

/** Note that names the snapshots that can't be used; null if there are none. */
function problemsOf(all: readonly RowOf<'control.snapshots.list'>[]): string | null {
  const problems = all.flatMap(({ name, problem }) => (problem ? [`Snapshot ${name} can’t be used. ${problem}`] : []))
  return problems.length === 0 ? null : problems.join('\n')
}

const take = command({
  summary: 'Save the current state of the world under a name.',
  args: { '<name>': { about: 'name of the snapshot', parse: worldName } },
  flags: {
    ...controlFlags,
    '--replace': { about: 'replace a snapshot with this name, even if it is of another world' },
  },
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
    await context.output.record(taken, snapshotColumns)
  },
})

const snapshotArgument = {
  '<snapshot>': { about: 'its name', of: 'snapshot', parse: worldName, sends: 'name' },
} as const

type Restored = RowOf<'control.snapshots.restore'>

const restore = endpointCommand('control.snapshots.restore', {
  summary: 'Restore the world to a snapshot, without asking. A later reset also goes back to this snapshot.',
  args: snapshotArgument,
  columns: columnsOf<Restored>(
    'name',
    'id',
    field('made_from', ({ made_from }: Restored) => `snapshot ${made_from.snapshot ?? ''}`),
    byteSize('size_bytes'),
  ),
  examples: ['payctl emulator snapshots restore with-orders'],
})

const removeSnapshot = endpointCommand('control.snapshots.delete', {
  summary: 'Delete a snapshot. Worlds that were made from it are not affected.',
  args: snapshotArgument,
  columns: snapshotColumns,
  examples: ['payctl emulator snapshots delete with-orders'],
})

const secrets =
  'The file contains the headers of webhook deliveries, and digests of tokens and secrets: keep the file private.'

export const exportWorld = command({
  summary: 'Write a world to a file',
  about:
    'Write the current state of the world to a file: money, payments in progress, waiting deliveries, clock. ' +
    `payctl emulator import makes a world from it, on any machine. ${secrets}`,
  args: { '[file]': { about: 'SQLite database that only its owner can read; - for stdout', of: 'file' } },
  flags: {
    ...controlFlags,
    '--seed': {
      about: 'write a seed file in YAML instead (default: to stdout), for payctl emulate --seed-file',
      conflicts: ['har', 'postman'],
    },
    '--har': {
      about: 'write the requests in the log as an HTTP Archive instead (default: to stdout)',
      conflicts: 'postman',
    },
    '--postman': { about: 'write the requests in the log as a Postman collection instead (default: to stdout)' },
    '--force': { about: 'replace an existing file' },
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).exportedFile),
  examples: [
    'payctl emulator export bug.sqlite',
    'payctl emulator export shop-7.sqlite --world shop-7 --force',
    'payctl emulator export - | gzip > bug.sqlite.gz',
    'payctl emulator export --seed world.yaml',
    'payctl emulator export --har requests.har',
    'payctl emulator export --postman requests.json',
  ],
  async run({ file, force = false, seed, har, postman, ...steering }, context) {
    const target = { file: file ?? '-', force }
    if (seed) return exportSeed(target, steering, context)
    if (har) return exportRequests('har', target, steering, context)
    if (postman) return exportRequests('postman', target, steering, context)
    if (file === undefined) {
      throw new UsageError('The name of the file is missing.', toRun(['emulator', 'export', '<file>']))
    }
    if (isStdout(file) && context.io.stdout.isTTY === true) {
      throw new UsageError("A database can't be shown on a terminal.", 'Name a file, or use a pipe.')
    }
    refuseExisting(target)
    const bytes = await steer(steering, context, (control) => control.call('control.export'))
    if (!(await writeTarget(target, bytes, context))) return
    const written = { file, size_bytes: bytes.length }
    await context.output.record(written, columnsOf<typeof written>('file', byteSize('size_bytes')))
    context.output.note(secrets)
  },
})

/** Writes the world as a seed file. */
async function exportSeed(target: Target, steering: Steering, context: Context): Promise<void> {
  refuseExisting(target)
  const exported = await steer(steering, context, (control) => control.call('control.seed'))
  const comments = [
    'Secrets are saved as digests (_sha256): the secrets themselves still work.',
    ...exported.left_out.map((what) => `Left out: ${what}.`),
  ]
  const text = await seedText((originalOf(exported) as ExportedSeed).seed, comments)
  if (!(await writeTarget(target, text, context))) return
  context.output.note(hintOf(toRun(['emulate', '--seed-file', target.file], 'Start from it'), context.globals))
}

/** Writes the requests in the log of the world as a document for another tool. */
async function exportRequests(
  format: 'har' | 'postman',
  target: Target,
  steering: Steering,
  context: Context,
): Promise<void> {
  refuseExisting(target)
  const [{ harOf, postmanOf }, { exchangesOf }] = await Promise.all([
    import('./request_documents.ts'),
    import('./sent_requests.ts'),
  ])
  const { exchanges, baseUrl } = await steer(steering, context, async (control) => {
    const ids: string[] = []
    for await (const { id } of control.items('control.requests.list', { query: {} })) ids.push(id ?? '')
    return { exchanges: await exchangesOf(ids.reverse(), control), baseUrl: control.baseUrl }
  })
  const document = (format === 'har' ? harOf : postmanOf)(exchanges, baseUrl)
  const text = `${escapeHidden(JSON.stringify(document, null, 2))}\n`
  if (!(await writeTarget(target, text, context))) return
  context.output.note(
    `${counted(exchanges.length, 'request')} written. Secrets are variables: the log contains no secrets.`,
  )
}

export const importWorld = command({
  summary: 'Make a world from an exported file',
  about:
    'Make a world from a file of payctl emulator export, or from the data file of an emulator that has ended. ' +
    'The world continues where it stopped: payments in progress move on, waiting deliveries are sent. A reset goes back to the state in the file.',
  args: { '<file>': { about: 'file, which is not changed; - for stdin', of: 'file' } },
  flags: {
    ...controlFlags,
    '--name <name>': { about: 'name of the new world, part of its URL (default: w1, w2, ...)', parse: worldName },
    '--rng-stream <text>': { about: 'seed of the world’s random values (default: its name)' },
    ...placeFlags,
    ...mannerFlags,
  },
  prints: answer('control.import'),
  examples: ['payctl emulator import bug.sqlite', 'payctl emulator import bug.sqlite --name bug --ttl 1h'],
  async run({ file: path, name, rngStream, ttl, port, chaos: seed, chaosProfile, strict, ...steering }, context) {
    const chaos = await chaosBody({ chaos: seed, chaosProfile })
    const file = await bytesOf(path, context)
    const query = { name, rng_stream: rngStream, ttl_seconds: ttl && Math.ceil(ttl / 1000), port, chaos, strict }
    const made = await steer(steering, context, (control) => control.call('control.import', { query, body: { file } }))
    await printCreated(made, port, context)
  },
})

/** Reads the file. Throws UsageError for a file that can't be read, is too big, or is in use. */
async function bytesOf(path: string, context: Context): Promise<Uint8Array> {
  try {
    if (path !== '-') refuseSource(path)
    return await (path === '-' ? buffer(standardInput(context)) : readFile(path))
  } catch (error) {
    if (error instanceof UsageError || context.signal.aborted) throw error
    throw new UsageError(
      `${path} can’t be read: ${fileFault(error)}.`,
      'Give a file that you can read, or - for stdin.',
    )
  }
}

function refuseSource(path: string): void {
  const { size } = statSync(path)
  if (size > worldFile.limit) {
    throw new UsageError(
      `${path} has ${size} bytes; the file of a world has at most ${worldFile.limit}.`,
      'Give another file.',
    )
  }
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  throw new UsageError(
    `${path} is in use, or its emulator was killed: the latest changes are in ${path}-wal.`,
    toRun(
      ['emulate', '--data', path],
      'Export the world from the emulator that uses the file. If no emulator uses it, start one',
    ),
  )
}
