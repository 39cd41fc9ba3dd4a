import { aliasFile } from '../files/directories.ts'
import type { Settings } from './settings.ts'

/** Command lines by alias: `luz` for `payments send --to proveedor-luz`. `$1` is the first word after the alias. */
export type Aliases = Readonly<Record<string, readonly string[]>>

export const aliasSettings: Settings<{ readonly aliases: Aliases }> = {
  noun: 'alias',
  fileIn: aliasFile,
  entry: 'alias',
  empty: { aliases: {} },
  schema: {
    type: 'object',
    required: ['aliases'],
    properties: {
      aliases: {
        type: 'object',
        additionalProperties: { type: 'array', minItems: 1, items: { type: 'string' } },
      },
    },
  },
}
