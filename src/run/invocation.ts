export type Environment = Readonly<Record<string, string | undefined>>

/** A variable set to nothing counts as not set. */
export const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))

/** The streams of one run; the tests pass their own. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'xlsx'] as const

/** Countries whose CSV payctl writes as Excel does there. */
export const excelCountries = ['es-CR', 'en-US'] as const

export type Format = (typeof formats)[number]

/** Whether it has rows and columns; else it has data of any form. */
export const isTabular = (format: Format): boolean => ['table', 'wide', 'csv', 'tsv', 'xlsx'].includes(format)

/** Flags every command takes, as given on the command line: absent means not given. */
export interface Globals {
  readonly profile?: string
  /** The running emulator, or the one of this port or name. */
  readonly emulator?: boolean | string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly token?: string
  readonly output?: Format
  readonly json?: boolean
  /** CSV as Excel opens it in this country. */
  readonly excel?: (typeof excelCountries)[number]
  /** A jq program for the JSON. */
  readonly jq?: string
  /** Milliseconds. */
  readonly timeout?: number
  readonly retries?: number
  readonly color?: boolean
  readonly progress?: 'none' | 'plain' | 'bar'
  /** Of a list, instead of the usual ones. */
  readonly columns?: readonly string[]
  /** A column of a list, or `column:desc`. */
  readonly sort?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  /** False: never ask. */
  readonly mayAsk?: boolean
}
