import type { Running } from './jest_setup.ts'

/** `payctl/jest/teardown`, for `globalTeardown`: stops the emulator that `payctl/jest/setup` has started, if any. */
export default async function tearDown(): Promise<void> {
  const { payctlEmulator: emulator } = globalThis as Running
  if (!emulator) return
  delete process.env.PAYCTL_CONTROL_URL
  await emulator.close()
}
