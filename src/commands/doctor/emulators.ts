import { provenEmulators } from '../../config/proven_emulators.ts'
import { type Announcement, announcedEmulators } from '../../config/running_emulators.ts'
import type { Context } from '../context.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Milliseconds for one to prove that it is there. */
const patience = 5000

export async function emulators({ stateDir, signal, globals }: Context): Promise<Finding> {
  try {
    const { running, stale } = announcedEmulators(stateDir)
    const left = stale.length === 0 ? '' : `; ${stale.length} left a file behind, which the next --emulator removes`
    const { proven, doubtful } = await provenEmulators(running, { signal, timeout: globals.timeout ?? patience })
    const urls = (of: readonly Announcement[]) => of.map(({ base_url }) => base_url).join(', ')
    const detail = `${proven.length === 0 ? 'none is running' : `running: ${urls(proven)}`}${left}`
    if (doubtful.length === 0) return ok('emulator', detail)
    const doubt = `${detail}; announced at ${urls(doubtful)}, and what is there now is not it: payctl sends it nothing`
    return warn('emulator', doubt, 'If it hangs, end it and start it anew: payctl emulate')
  } catch (error) {
    const hint = 'Let this user read it, or set PAYCTL_STATE_DIR to another directory'
    return warn('emulator', `--emulator will find none: ${(error as Error).message}`, hint)
  }
}
