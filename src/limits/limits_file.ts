import { createHash } from 'node:crypto'
import { changeSettings, readSettings, type SettingsFormat } from '../config/settings.ts'
import type { Fault, Schema } from '../config/settings_schema.ts'
import { quoted } from '../errors/cli_error.ts'
import { limitsFile } from '../files/directories.ts'
import { say } from '../words/text.ts'
import { type ProfileLimits, parseHours, type Sums } from './limits.ts'

export interface LimitsFile {
  /** Id of the journal that counts the payments; undefined while no limits are set. */
  readonly journal: string | undefined
  readonly profiles: readonly ProfileLimits[]
  /** Changes with the file's content. */
  readonly digest: string
}

type Entry = Omit<ProfileLimits, 'profile'>

interface Content {
  readonly journal?: string | undefined
  readonly profiles: Readonly<Record<string, Entry>>
}

const flag: Schema = { type: 'boolean' }
const texts: Schema = { type: 'array', items: { type: 'string' } }
const sums: Schema = { type: 'object', additionalProperties: { type: 'integer' } }

/** Refuses a limit that this version does not know: the limit might forbid the payment. */
const limitsSettings: SettingsFormat<Content> = {
  noun: 'limits',
  fileIn: limitsFile,
  entry: 'profile',
  empty: { profiles: {} },
  isForPayments: true,
  remedy: (file) => say`Look at it: ${`cat ${quoted(file)}`}`,
  schema: {
    type: 'object',
    required: ['profiles'],
    properties: {
      journal: { type: 'string' },
      profiles: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          required: ['services', 'users'],
          properties: {
            live: flag,
            read_only: flag,
            per_payment: sums,
            per_day: sums,
            per_payee_day: sums,
            confirm_above: sums,
            payees: texts,
            hours: { type: 'string' },
            services: texts,
            users: { ...texts, type: ['array', 'null'] },
          },
        },
      },
    },
  },
  faultIn: ({ profiles }) => {
    for (const [profile, entry] of Object.entries(profiles)) {
      const fault = limitsFault(entry, profile)
      if (fault) return { path: ['profiles', profile, ...fault.path], reason: fault.reason }
    }
    return undefined
  },
}

function limitsFault(entry: Entry, profile: string): Fault | undefined {
  if (entry.hours !== undefined && parseHours(entry.hours) === null) {
    return { path: ['hours'], reason: `hours of profile ${profile} must be like 08:00-17:00` }
  }
  const wrong = (['per_payment', 'per_day', 'per_payee_day', 'confirm_above'] as const).find(
    (kind) => !areSums(entry[kind] ?? {}),
  )
  return (
    wrong && {
      path: [wrong],
      reason: `${wrong} of profile ${profile} must have an amount in minor units for each currency`,
    }
  )
}

const areSums = (sums: Sums): boolean =>
  Object.entries(sums).every(([currency, sum]) => /^[A-Z]{3}$/.test(currency) && Number.isSafeInteger(sum) && sum >= 0)

function limitsOf(content: Content): LimitsFile {
  return {
    journal: content.journal,
    profiles: Object.entries(content.profiles).map(([profile, entry]) => ({ ...entry, profile })),
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16),
  }
}

/** Reads the limits: none if the file does not exist. Throws UsageError for a file that can't be used. */
export const readLimits = (configDir: string): LimitsFile => limitsOf(readSettings(limitsSettings, configDir))

/** Replaces the limits with the result of `change`, under the file's lock. */
export async function changeLimits(
  configDir: string,
  change: (limits: LimitsFile) => Omit<LimitsFile, 'digest'>,
  signal: AbortSignal,
): Promise<void> {
  const edit = (content: Content): Content => {
    const { journal, profiles } = change(limitsOf(content))
    return { journal, profiles: Object.fromEntries(profiles.map(({ profile, ...entry }) => [profile, entry])) }
  }
  await changeSettings(limitsSettings, configDir, edit, signal)
}
