import { checkOptions } from '../../emulator/check_options.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import { type ConnectedEmulator, connectEmulator } from './connect.ts'
import { startEmulator } from './emulator.ts'

/**
 * The emulator that a suite runs under, which `payctl emulate -- npm test` names in PAYCTL_CONTROL_URL: its flags hold
 * then, not `options`. Without one, an emulator in this process. Throws what startEmulator and connectEmulator throw.
 */
export async function suiteEmulator(options: EmulatorOptions = {}): Promise<ConnectedEmulator> {
  checkOptions(options)
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  return url ? connectEmulator({ url, controlToken }) : startEmulator(options)
}
