import type { Credentials } from '../../auth/credentials.ts'
import { storeCredentials } from '../../auth/credentials_file.ts'
import { emulatorProfile } from '../../config/profile.ts'
import { runningEmulators } from '../../config/running_emulators.ts'
import type { Context } from '../context.ts'
import { keepPlace, type Place } from './place.ts'

/** The profile first: credentials without their service would be of no use. */
export async function keepLogin(credentials: Credentials, place: Place, context: Context): Promise<void> {
  const { profile } = place.target
  await keepPlace(context, place, credentials.client_id)
  await storeCredentials(context.configDir, profile, { ...credentials, ...(await emulatorOf(place, context)) })
}

async function emulatorOf({ target }: Place, { stateDir }: Context): Promise<Pick<Credentials, 'emulator_pid'>> {
  if (target.profile !== emulatorProfile) return {}
  const running = runningEmulators(stateDir)
  const emulator = running.find(({ base_url }) => base_url === target.baseUrl)
  return emulator ? { emulator_pid: emulator.pid } : {}
}
