import type { Command } from 'commander'
import type { Client, ClientOptions } from '../client/client.ts'
import type { Config } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import type { Output } from '../output/output.ts'
import type { Environment, Globals, Io } from '../run/invocation.ts'

/** What a command may use besides its own options. Nothing in it costs anything until it is asked for. */
export interface Context {
  readonly io: Io
  /** Empty values are left out. */
  readonly env: Environment
  /** Aborted by Ctrl-C and SIGTERM; the reason is the signal's name. */
  readonly signal: AbortSignal
  /** Known once a command's action runs, like everything below. */
  readonly globals: Globals
  readonly output: Output
  /** Whether a person can be asked: stdin and stderr are terminals and --no-input was not given. */
  readonly interactive: boolean
  /** Where requests and answers are shown, secrets hidden; undefined without --verbose. */
  readonly trace: ((line: string) => void) | undefined
  /** The proxy that the environment names for a URL. Throws UsageError for one that can't be used. */
  readonly proxyFor: (url: string) => Promise<string | undefined>
  /** Where payctl keeps what must outlive a run (running emulators, payment intents). Not created yet. */
  readonly stateDir: string
  /** Where profiles and credentials are kept. Not created yet. */
  readonly configDir: string
  /** As it was when the run first needed it. A UsageError when the file can't be read. */
  readonly config: Config
  target(): Promise<Target>
  /**
   * One per run, closed by main. Fails with exit 4 when there is no token, unless `anonymous`; for a `payment` also
   * where several emulators run and none is named.
   */
  client(need?: 'token' | 'payment' | 'anonymous'): Promise<Client>
  /** Calls `hear` before every wait (milliseconds) for another attempt of a request: others do well to wait too. */
  readonly onRetry: (hear: (delay: number) => void) => void
  /**
   * Another one, ended by this signal alone, that is silent about retries: for the background, for cleaning up, and for
   * a command that waits between attempts in its own way.
   */
  clientUntil(signal: AbortSignal, manner?: Pick<ClientOptions, 'delay' | 'onRetry'>): Promise<Client>
  /** Ends the run with this code although nothing was thrown. */
  exitWith(code: number): void
}

/** A command as its parent lists it. */
export interface Entry {
  /** Its description too, unless it gives itself another one. */
  readonly summary: string
  /** Arguments, where the list shows them: `<id>`. */
  readonly usage?: string
  /** Heading it is listed under. */
  readonly group?: string
  /** The rest of it, loaded when it is chosen. */
  readonly load: () => CommandModule | Promise<CommandModule>
}

export type Entries = Readonly<Record<string, Entry>>

/** Adds options, arguments and an action to `command`; a group returns its subcommands, in order. */
export type CommandModule = (command: Command, context: Context) => Entries | undefined
