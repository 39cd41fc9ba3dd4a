import { configFile } from '../files/directories.ts'
import { type Config, profileKeys } from './profile.ts'
import type { Settings } from './settings.ts'
import type { Schema } from './settings_schema.ts'

/** The file of profiles. Has no secrets. */
export const configSettings: Settings<Config> = {
  noun: 'config',
  fileIn: configFile,
  entry: 'profile',
  empty: { profiles: {} },
  schema: {
    type: 'object',
    properties: {
      current: { type: 'string' },
      profiles: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: Object.fromEntries(profileKeys.map((key): [string, Schema] => [key, { type: 'string' }])),
        },
      },
    },
  },
}
