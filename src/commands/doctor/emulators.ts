import { announcedEmulators } from '../../config/running_emulators.ts'
import type { Context } from '../context.ts'
import { type Finding, ok, warn } from './finding.ts'

export async function emulators({ stateDir }: Context): Promise<Finding> {
  try {
    const { running, stale } = announcedEmulators(stateDir)
    const left = stale.length === 0 ? '' : `; ${stale.length} left a file behind, which the next --emulator removes`
    const urls = running.map(({ base_url }) => base_url).join(', ')
    return ok('emulator', `${running.length === 0 ? 'none is running' : `running: ${urls}`}${left}`)
  } catch (error) {
    const hint = 'Let this user read it, or set PAYCTL_STATE_DIR to another directory'
    return warn('emulator', `--emulator will find none: ${(error as Error).message}`, hint)
  }
}
