import type { Client } from '../client/client.ts'
import type { Output } from '../output/output.ts'

/** The streams of one run; the tests pass their own. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Where requests go and as whom: resolved from flags, environment, profile and defaults, in that order. */
export interface Target {
  readonly profile: string
  readonly baseUrl: string
  readonly authUrl: string
  readonly token: string | undefined
}

/** What a command may use besides its own options. Nothing in it costs anything until it is asked for. */
export interface Context {
  readonly io: Io
  readonly env: Environment
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  readonly output: Output
  /** Whether a person can be asked: stdin and stderr are terminals and --no-input was not given. */
  readonly interactive: boolean
  target(): Promise<Target>
  /** One per run, closed by main. */
  client(): Promise<Client>
}
