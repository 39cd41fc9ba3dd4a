import type { ControlClient } from '../../client/control_client.ts'
import type { Context } from '../command.ts'
import { steer } from '../steer.ts'
import type { Candidate } from './candidate.ts'

// Names that the run's emulator knows.

type Reader = (control: ControlClient) => Promise<readonly Candidate[]>

const list = (read: Reader) => (context: Context) => steer({}, context, read)

export const worldNames = list(async (control) => {
  const { data } = await control.call('control.worlds.list', { query: { status: 'live', per_page: 1000 } })
  return data.flatMap((one) => ('created_at' in one ? [candidate(one.name, one.created_at)] : []))
})

export const snapshotNames = list(async (control) =>
  (await control.call('control.snapshots.list')).map(({ name, world, taken_at }) =>
    candidate(name, `of ${world}, ${taken_at}`),
  ),
)

export const userIds = list(async (control) =>
  (await control.call('control.users.list')).map(({ id, name }) => candidate(id, name)),
)

export const faultIds = list(async (control) =>
  (await control.call('control.faults.list', { query: {} })).map(({ id, endpoint, event }) =>
    candidate(id === undefined ? '' : String(id), endpoint ?? event),
  ),
)

const candidate = (value: string | null | undefined, about: string | null | undefined): Candidate => ({
  value: value ?? '',
  ...(about && { about }),
})
