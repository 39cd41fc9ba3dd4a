import type { Running } from './jest_setup.ts'

/** `payctl/jest/teardown`, for `globalTeardown`: stops the emulator of `payctl/jest/setup`, if that has started one. */
export default async function tearDown(): Promise<void> {
  const { payctlEmulator: emulator } = globalThis as Running
  if (!emulator) return
  delete process.env.PAYCTL_CONTROL_URL
  await emulator.close()
}
