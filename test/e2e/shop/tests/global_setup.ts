import { connectEmulator } from 'payctl/emulator'
import type { TestProject } from 'vitest/node'
import { prepare } from './prepared.ts'

/** Prepares the emulator that started this suite. */
export default async function setUp(project: TestProject): Promise<void> {
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  if (url === undefined) return project.provide('prepared', null)
  const emulator = await connectEmulator({ url, controlToken })
  project.provide('prepared', await prepare(emulator))
  await emulator.close()
}
