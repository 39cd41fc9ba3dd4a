import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { limitsFile } from '../files/directories.ts'
import { isRecord, parseJson, readSettings } from '../files/read_json.ts'
import { replaceJson } from '../files/replace_json.ts'
import { howToUpdate } from '../version.ts'
import { type ProfileLimits, parseHours } from './limits.ts'

const formatVersion = 1

export interface LimitsFile {
  /** Id of the journal that counts the payments; undefined before any limits are set. */
  readonly journal: string | undefined
  readonly profiles: readonly ProfileLimits[]
  /** Changes with the file's content. */
  readonly digest: string
}

const noLimits: LimitsFile = { journal: undefined, profiles: [], digest: '' }

/**
 * Reads the limits; none without a file. Throws UsageError if the file can't be read or has anything that this payctl
 * does not know: it might forbid the payment, so nothing is sent.
 */
export function readLimits(configDir: string): LimitsFile {
  const file = limitsFile(configDir)
  const text = readSettings(file, (reason) => readError(file, reason))
  return text === undefined ? noLimits : parse(text, file)
}

/** Replaces the limits with the result of `change`, under the file's lock. */
export async function changeLimits(
  configDir: string,
  change: (limits: LimitsFile) => Omit<LimitsFile, 'digest'>,
  signal: AbortSignal,
): Promise<void> {
  const { withLock } = await import('../lock/lock.ts')
  await withLock(join(configDir, 'limits.lock'), signal, () => {
    const { journal, profiles } = change(readLimits(configDir))
    const named = Object.fromEntries(profiles.map(({ profile, ...limits }) => [profile, limits]))
    const file = limitsFile(configDir)
    const content = () => ({ version: formatVersion, journal, profiles: named })
    replaceJson(file, content, (reason) => writeError(file, reason))
  })
}

const writeError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The limits in ${file} can't be written: ${reason}. They are as they were.`,
    `Make room, or let this user write in ${dirname(file)}`,
  )

function parse(text: string, file: string): LimitsFile {
  const content = parseJson(text)
  if (!isRecord(content)) throw broken(file, content === undefined ? 'it is not JSON' : 'it is not a JSON object')
  const { version, journal, profiles } = content
  if (typeof version === 'number' && version > formatVersion) throw newer(file)
  if (version !== formatVersion || !isRecord(profiles)) throw broken(file, 'it has no version, or no profiles')
  if (journal !== undefined && typeof journal !== 'string') throw broken(file, 'journal is not a string')
  return {
    journal,
    digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
    profiles: Object.entries(profiles).map(([profile, entry]: [string, unknown]) => {
      const fault = isRecord(entry) ? faultOf(entry) : 'it is not an object'
      if (fault !== undefined) throw broken(file, `profile ${profile}: ${fault}`)
      return { ...(entry as Omit<ProfileLimits, 'profile'>), profile }
    }),
  }
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')
const areSums = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(
    ([currency, sum]) => /^[A-Z]{3}$/.test(currency) && Number.isSafeInteger(sum) && Number(sum) >= 0,
  )

type Form = (value: unknown) => boolean

const forms: Readonly<Record<Exclude<keyof ProfileLimits, 'profile'>, Form>> = {
  live: isFlag,
  read_only: isFlag,
  per_payment: areSums,
  per_day: areSums,
  per_payee_day: areSums,
  confirm_above: areSums,
  payees: areTexts,
  hours: (value) => typeof value === 'string' && parseHours(value) !== null,
  services: areTexts,
  users: (value) => value === null || areTexts(value),
}

function faultOf(entry: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(entry).find((name) => !Object.hasOwn(forms, name))
  if (unknown !== undefined) return `${unknown} is not known to this payctl`
  if (entry.services === undefined || entry.users === undefined) return 'services or users are missing'
  const wrong = Object.entries(forms).find(([name, isGood]) => entry[name] !== undefined && !isGood(entry[name]))
  return wrong && `${wrong[0]} is damaged`
}

const readError = (file: string, reason: string): UsageError =>
  new UsageError(`The limits in ${file} can't be read: ${reason}. Nothing was sent.`, 'Let this user read it')

const broken = (file: string, what: string): UsageError =>
  new UsageError(`The limits in ${file} are damaged: ${what}. Nothing was sent.`, `Look at it: cat ${quoted(file)}`)

const newer = (file: string): UsageError =>
  new UsageError(`The limits in ${file} were written by a newer payctl. Nothing was sent.`, howToUpdate)
