import type { ControlClient } from '../../client/control_client.ts'
import { labelOf, portOf } from '../../config/emulator_label.ts'
import { worldsOf } from '../../config/named_emulator.ts'
import { announcedEmulators } from '../../config/running_emulators.ts'
import { defaultWorld } from '../../contract/emulator_names.ts'
import type { Context } from '../command.ts'
import { steer } from '../steer.ts'
import type { Candidate } from './candidate.ts'

// Names of running emulators, and of their worlds, snapshots, users and faults.

/** Time limit for an emulator to list its worlds, in milliseconds; the shell waits meanwhile. */
const timeout = 500

/** Running emulators, newest first: their names and ports, and `name/world` for each world except the default world. */
export async function knownEmulators({ stateDir, signal }: Context): Promise<readonly Candidate[]> {
  const { running } = announcedEmulators(stateDir)
  const worlds = await Promise.all(running.map((one) => worldsOf(one, { signal, timeout })))
  return running.flatMap((one, at) => {
    const others = (worlds[at] ?? []).filter((world) => world !== defaultWorld)
    return [
      { value: labelOf(one), about: one.base_url },
      ...(one.name === undefined ? [] : [{ value: portOf(one.base_url), about: one.name }]),
      ...others.map((world) => ({ value: `${labelOf(one)}/${world}`, about: `a world of ${one.base_url}` })),
    ]
  })
}

/** Names of running emulators, without their worlds, because a world can't be stopped. */
export const stoppableEmulators = ({ stateDir }: Context): readonly Candidate[] =>
  announcedEmulators(stateDir).running.map((one) => ({ value: labelOf(one), about: one.base_url }))

/** Creates a source of candidates from a list that the run's emulator returns. */
const listed = (read: (control: ControlClient) => Promise<readonly Candidate[]>) => (context: Context) =>
  steer({}, context, read)

export const worldNames = listed(async (control) => {
  const { data } = await control.call('control.worlds.list', { query: { status: 'live', per_page: 1000 } })
  return data.flatMap((one) => ('created_at' in one ? [candidate(one.name, one.created_at)] : []))
})

export const snapshotNames = listed(async (control) =>
  (await control.call('control.snapshots.list')).map(({ name, world, taken_at, problem }) =>
    candidate(name, problem ?? `of ${world}, ${taken_at}`),
  ),
)

export const userIds = listed(async (control) =>
  (await control.call('control.users.list')).map(({ id, name }) => candidate(id, name)),
)

export const faultIds = listed(async (control) =>
  (await control.call('control.faults.list', { query: {} })).map(({ id, endpoint, event }) =>
    candidate(id === undefined ? '' : String(id), endpoint ?? event),
  ),
)

const candidate = (value: string | null | undefined, about: string | null | undefined): Candidate => ({
  value: value ?? '',
  ...(about && { about }),
})
