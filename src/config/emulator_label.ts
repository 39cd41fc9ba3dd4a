import { worldNamePattern } from '../contract/emulator_names.ts'
import type { Announcement } from './running_emulators.ts'

// Separate from running_emulators.ts, which needs the file system: every command loads this file.

/**
 * True if the text can be an emulator's name, which has the form of a world's name. Digits alone are a port.
 */
export const isEmulatorName = (text: string): boolean => new RegExp(worldNamePattern).test(text) && !/^\d+$/.test(text)

/** The emulator's label on the command line: its name, or else its port. */
export const labelOf = ({ name, base_url }: Pick<Announcement, 'name' | 'base_url'>): string => name ?? portOf(base_url)

export const portOf = (url: string): string => new URL(url).port || '80'

/** The flag that selects each emulator: `--emulator`, or `--base-url` if another emulator has the same label. */
export const flagsOf = (emulators: readonly Announcement[]): readonly string[] =>
  emulators.map((one) =>
    emulators.some((other) => other !== one && labelOf(other) === labelOf(one))
      ? `--base-url ${one.base_url}`
      : `--emulator=${labelOf(one)}`,
  )
