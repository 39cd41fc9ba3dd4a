import { checkOptions } from '../../emulator/check_options.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import { type ConnectedEmulator, connectEmulator } from './connect.ts'
import { startEmulator } from './emulator.ts'

/**
 * Connects to the emulator in PAYCTL_CONTROL_URL, which `payctl emulate -- npm test` sets: then its flags apply, not
 * `options`. Otherwise starts an emulator in this process. Throws the errors of startEmulator and connectEmulator.
 */
export async function suiteEmulator(options: EmulatorOptions = {}): Promise<ConnectedEmulator> {
  checkOptions(options)
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  return url ? connectEmulator({ url, controlToken }) : startEmulator(options)
}
