import { isLoopback } from '../client/base_url.ts'
import { emulatorProfile, profileInUse } from '../config/profile.ts'
import { readSettings } from '../config/settings.ts'
import { UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { emulatorService, isSameName, nameFault, type Payee, Payees } from '../payees/payee.ts'
import { payeesSettings } from '../payees/payees_file.ts'
import { say } from '../words/text.ts'
import type { Context } from './command.ts'

/** The payees that are saved for the service of this run. */
export async function savedPayees(context: Context): Promise<Payees> {
  const { payees } = readSettings(payeesSettings, context.configDir)
  return new Payees(await serviceOf(context), payees)
}

/**
 * The payee saved under a name; undefined for a value that can't be a name, such as an IBAN or a phone. Throws
 * UsageError for a name that is not saved.
 */
export async function payeeNamed(text: string, context: Context): Promise<Payee | undefined> {
  return nameFault(text.trim()) === undefined ? (await savedPayees(context)).require(text) : undefined
}

/** Returns a function that checks whether a text is the name of a payee that is saved for any service. */
export function payeeNames({ configDir }: Context): (text: string) => boolean {
  const { payees } = readSettings(payeesSettings, configDir)
  return (text) => payees.some(({ name }) => isSameName(name, text.trim()))
}

/** The IBAN or phone of a saved payee of this service; any other value unchanged. */
export async function withoutName(text: string, kind: 'iban' | 'phone' | 'any', context: Context): Promise<string> {
  const payee = (await savedPayees(context)).find(text)
  if (!payee) return text
  const value = kind === 'any' ? (payee.iban ?? payee.phone) : payee[kind]
  if (value !== undefined) return value
  throw kind === 'iban'
    ? new UsageError(say`${payee.name} is saved with a phone, not an IBAN.`, toRun(['phone', payee.name]))
    : new UsageError(say`${payee.name} is saved with an IBAN, not a phone.`, toRun(['iban', payee.name]))
}

/** The service that payees are saved for: its URL, or `emulator` for all emulators on this machine. */
export async function serviceOf(context: Context): Promise<string> {
  const { globals, env, stateDir, signal } = context
  if (profileInUse(globals, env, () => context.config) === emulatorProfile) return emulatorService
  const { baseUrl, emulator } = await context.target()
  if (emulator) return emulatorService
  if (!isLoopback(baseUrl)) return baseUrl
  // The token comes from a flag or the environment, so no emulator has proved its identity yet. A server that has not
  // proved to be an emulator may forward requests to a real service.
  const [{ runningEmulators }, { provenEmulators }] = await Promise.all([
    import('../config/running_emulators.ts'),
    import('../config/proven_emulators.ts'),
  ])
  const { proven } = await provenEmulators(runningEmulators(stateDir), { signal, timeout: globals.timeout }, baseUrl)
  return proven.length > 0 ? emulatorService : baseUrl
}
