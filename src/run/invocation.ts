export type Environment = Readonly<Record<string, string | undefined>>

/** Removes empty variables: they count as unset. */
export const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))

/** The streams of one run; the tests pass their own. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'xlsx'] as const

/** Countries whose Excel dialect of CSV payctl can write. */
export const excelCountries = ['es-CR', 'en-US'] as const

/**
 * Languages of notes, questions, errors and help. JSON, codes, flags, commands and amounts are the same in every language.
 */
export const languages = ['en', 'es'] as const

export type Language = (typeof languages)[number]

export type Format = (typeof formats)[number]

/** True for formats of rows and columns; other formats accept data of any shape. */
export const isTabular = (format: Format): boolean => ['table', 'wide', 'csv', 'tsv', 'xlsx'].includes(format)

/** Flags of every command, as typed; an absent flag is undefined. */
export interface Globals {
  readonly profile?: string
  /** True for the running emulator; otherwise its port or name. */
  readonly emulator?: boolean | string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly token?: string
  readonly output?: Format
  readonly json?: boolean
  /** Country of the Excel dialect of CSV. */
  readonly excel?: (typeof excelCountries)[number]
  /** jq program to run on the JSON. */
  readonly jq?: string
  /** Milliseconds. */
  readonly timeout?: number
  readonly retries?: number
  readonly color?: boolean
  readonly lang?: Language
  readonly progress?: 'none' | 'plain' | 'bar'
  /** Columns of a list, instead of the default columns. */
  readonly columns?: readonly string[]
  /** Column of a list to sort by, or `column:desc`. */
  readonly sort?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  /** False: never ask. */
  readonly mayAsk?: boolean
}
