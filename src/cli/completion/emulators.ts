import { labelOf, portOf } from '../../config/emulator_label.ts'
import { worldsOf } from '../../config/named_emulator.ts'
import { announcedEmulators } from '../../config/running_emulators.ts'
import { defaultWorld } from '../../contract/emulator_names.ts'
import type { Context } from '../command.ts'
import type { Candidate } from './candidate.ts'

/** Milliseconds for an emulator to list its worlds; the shell waits meanwhile. */
const timeout = 500

/** Names of running emulators, newest first: its name, its port, and `name/world` for its other worlds. */
export async function knownEmulators({ stateDir, signal }: Context): Promise<readonly Candidate[]> {
  const { running } = announcedEmulators(stateDir)
  const worlds = await Promise.all(running.map((one) => worldsOf(one, { signal, timeout })))
  return running.flatMap((one, at) => [
    { value: labelOf(one), about: one.base_url },
    ...(one.name === undefined ? [] : [{ value: portOf(one.base_url), about: one.name }]),
    ...others(worlds[at]).map((world) => ({ value: `${labelOf(one)}/${world}`, about: `a world of ${one.base_url}` })),
  ])
}

/** Worlds that have to be named. */
const others = (worlds: readonly string[] | null | undefined): readonly string[] =>
  worlds?.filter((world) => world !== defaultWorld) ?? []

/** Names of running emulators without worlds, which cannot be stopped. */
export const stoppableEmulators = ({ stateDir }: Context): readonly Candidate[] =>
  announcedEmulators(stateDir).running.map((one) => ({ value: labelOf(one), about: one.base_url }))
