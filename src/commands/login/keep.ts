import { randomUUID } from 'node:crypto'
import type { Credentials } from '../../auth/credentials.ts'
import { storeCredentials } from '../../auth/credentials_file.ts'
import type { Context } from '../context.ts'
import { keepPlace, type Place } from './place.ts'

/** The profile first: credentials without their service would be of no use. */
export async function keepLogin(credentials: Credentials, place: Place, context: Context): Promise<void> {
  const { profile, emulator } = place.target
  await keepPlace(context, place, credentials.client_id)
  await storeCredentials(context.configDir, profile, {
    ...credentials,
    login_id: randomUUID(),
    ...(emulator && { emulator_world: emulator.world }),
  })
}
