import { type Static, Type } from 'typebox'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { SnapshotName, WorldBytes, WorldEntry, WorldName, worldFile } from './worlds.ts'

export const Snapshot = Type.Object({
  name: SnapshotName,
  world: described(WorldName, 'Name of the world of which the snapshot was taken'),
  taken_at: described(Timestamp, 'Time when the snapshot was taken, UTC'),
  size_bytes: Type.Integer({ description: 'Size of the snapshot in bytes' }),
})
export type Snapshot = Static<typeof Snapshot>

/** A snapshot in a list. If its file can't be used, only its name, size and problem are known. */
export const ListedSnapshot = Type.Object({
  ...Snapshot.properties,
  world: described(
    nullable(WorldName),
    'Name of the world of which the snapshot was taken; null if the snapshot can’t be used',
  ),
  taken_at: described(nullable(Timestamp), 'Time when the snapshot was taken, UTC; null if the snapshot can’t be used'),
  problem: described(nullable(Type.String()), 'Reason why the snapshot can’t be used; null for a usable snapshot'),
})
export type ListedSnapshot = Static<typeof ListedSnapshot>

const snapshotParams = Type.Object({ name: SnapshotName })
const noSuch = { 404: null, 422: null } as const

const ImportSnapshotQuery = Type.Object({
  replace: Type.Optional(Type.Boolean({ description: 'True if a snapshot of this name is replaced. Default: false' })),
})

export const snapshotEndpoints = {
  'control.snapshots.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/snapshots',
    summary: 'Save the current state of the world under a name',
    description:
      'Includes payments in progress, the clock and waiting deliveries. All worlds share the names: the answer is 409 if the name is taken, unless `replace` is true.',
    body: closed({
      name: SnapshotName,
      replace: Type.Optional(
        Type.Boolean({
          description: 'True if a snapshot of this name is replaced, even a snapshot of another world. Default: false',
        }),
      ),
    }),
    success: { status: 201, message: 'Snapshot taken', data: Snapshot },
    errors: { 409: null },
  }),
  'control.snapshots.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/snapshots',
    summary: 'Snapshots of all worlds',
    description:
      'Snapshots exist until they are deleted. With `--worlds`, a snapshot whose file can’t be used has only a name, a size and a problem.',
    success: { status: 200, message: 'Snapshots listed', data: Type.Array(ListedSnapshot) },
    ofEmulator: true,
  }),
  'control.snapshots.restore': controlEndpoint({
    method: 'POST',
    path: '/_emulator/snapshots/{name}/restore',
    summary: 'Put the world back to a snapshot',
    description:
      'Changes since the snapshot are lost. Payments that were in progress when the snapshot was taken continue. A later reset also goes back to the snapshot.',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot restored', data: WorldEntry },
    errors: noSuch,
  }),
  'control.snapshots.delete': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/snapshots/{name}',
    summary: 'Delete a snapshot',
    description:
      'The name of the snapshot can be used again. Worlds that were made from the snapshot are not affected.',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot deleted', data: ListedSnapshot },
    errors: noSuch,
    ofEmulator: true,
  }),
  'control.snapshots.export': controlEndpoint({
    method: 'GET',
    path: '/_emulator/snapshots/{name}/export',
    summary: 'Snapshot as a file',
    description:
      'An SQLite database like an exported world, from which an import makes the same snapshot again. It has digests of tokens and webhook secrets: keep the file private.',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot exported', data: WorldBytes, type: worldFile.type },
    errors: noSuch,
    ofEmulator: true,
  }),
  'control.snapshots.import': controlEndpoint({
    method: 'POST',
    path: '/_emulator/snapshots/{name}/import',
    summary: 'Make a snapshot from an exported file',
    description:
      'The new snapshot says that it was taken of the same world and at the same time as the exported snapshot. The file of a world becomes a snapshot of the world `default`, taken now. The file is checked like an imported world. The answer is 409 if the name is taken, unless `replace` is true.',
    params: snapshotParams,
    query: ImportSnapshotQuery,
    body: Type.Object({ file: WorldBytes }),
    upload: worldFile,
    success: { status: 201, message: 'Snapshot imported', data: Snapshot },
    errors: { 409: null },
    ofEmulator: true,
  }),
} as const
