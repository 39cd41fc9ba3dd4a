import { worldNamePattern } from '../contract/world_path.ts'
import type { Announcement } from './running_emulators.ts'

/** Whether it has the form of a name, which is that of a world's; digits alone are a port. */
export const isEmulatorName = (text: string): boolean => new RegExp(worldNamePattern).test(text) && !/^\d+$/.test(text)

/** How an emulator is named on the command line. */
export const labelOf = ({ name, base_url }: Pick<Announcement, 'name' | 'base_url'>): string => name ?? portOf(base_url)

export const portOf = (url: string): string => new URL(url).port || '80'

/** The flag that names each; one that shares its label with another is named by its URL. */
export const flagsOf = (emulators: readonly Announcement[]): readonly string[] =>
  emulators.map((one) =>
    emulators.some((other) => other !== one && labelOf(other) === labelOf(one))
      ? `--base-url ${one.base_url}`
      : `--emulator=${labelOf(one)}`,
  )
