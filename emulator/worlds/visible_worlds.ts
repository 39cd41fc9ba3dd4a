import type { ControlOutputOf } from '../../src/contract/index.ts'
import type { EndedWorlds } from './ended_worlds.ts'
import type { Snapshots } from './snapshots.ts'
import type { Worlds } from './worlds.ts'

/** The worlds that a caller is allowed to see and change: all worlds of an emulator, or the worlds of a team. */
export interface VisibleWorlds
  extends Pick<Worlds, 'options' | 'clock' | 'isDraining' | 'shard' | 'ownerOf'>,
    Pick<
      Worlds,
      'find' | 'get' | 'whenSettled' | 'all' | 'closed' | 'closedRevision' | 'during' | 'listensOn' | 'report'
    >,
    Pick<Worlds, 'create' | 'import' | 'export' | 'takeSnapshot' | 'reset' | 'restore' | 'end' | 'leave'> {
  /** Number of worlds; undefined if the caller is not allowed to know it. */
  count(): ControlOutputOf<'control.health'>['worlds']
  readonly mayHavePorts: boolean
  readonly snapshots: Pick<Snapshots, 'all' | 'get' | 'delete' | 'fileOf' | 'import'>
  readonly ended: Pick<EndedWorlds, 'all'>
}
