import { type RegistryEntry, registryEntryOf } from '../../emulator/domain/registry_entry.ts'
import { demoSeed } from '../../emulator/worlds/seed.ts'

/** Customers of other banks in the demo world. */
export const demoRegistry: readonly RegistryEntry[] = (demoSeed.registry ?? []).map((entry) =>
  registryEntryOf(entry, false),
)
