import { emulatorProfile } from '../../config/profile.ts'
import type { Context } from '../context.ts'
import type { Candidate } from './candidate.ts'

/** With where each of them leads. */
export function profileNames({ config }: Context): readonly Candidate[] {
  const saved = Object.entries(config.profiles).filter(([name]) => name !== emulatorProfile)
  return [
    ...saved.map(([name, { base_url }]) => ({ value: name, ...(base_url !== undefined && { about: base_url }) })),
    { value: emulatorProfile, about: 'the emulator that runs on this machine' },
  ]
}
