import { connectEmulator } from 'payctl/emulator'
import type { TestProject } from 'vitest/node'
import { prepare } from './prepared.ts'

/** Prepares the emulator that this suite is the child of; at the end, no test may have left work behind. */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  if (url === undefined) {
    project.provide('prepared', null)
    return
  }
  const emulator = await connectEmulator({ url, controlToken })
  project.provide('prepared', await prepare(emulator))
  return async () => {
    const late = (await emulator.control.worlds.list()).filter(
      (world) => world.status === 'ended' && world.late_requests > 0,
    )
    const unexpected = late.filter(({ name }) => name !== 'ends-early')
    if (unexpected.length > 0) throw new Error(`Work came too late: ${JSON.stringify(unexpected)}`)
    await emulator.close()
  }
}
