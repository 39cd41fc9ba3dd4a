import type { Command } from 'commander'
import type { TokenSource } from '../auth/access_token.ts'
import type { Client, ClientOptions } from '../client/client.ts'
import type { Config } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import type { Output } from '../output/output.ts'
import type { Environment, Globals, Io } from '../run/invocation.ts'

/** What a command can use besides its own options. Each part is made or loaded when it is first used. */
export interface Context {
  readonly io: Io
  /** Without variables that are empty. */
  readonly env: Environment
  /** Aborted by Ctrl-C and SIGTERM; the reason is the signal's name. Later ones are events `further`: see bin/payctl.js. */
  readonly signal: AbortSignal
  /** Available once a command's action runs, like everything below. */
  readonly globals: Globals
  readonly output: Output
  /** Whether a person can be asked: stdin and stderr are terminals and --no-input was not given. */
  readonly interactive: boolean
  /** Prints requests and answers without secrets; undefined without --verbose. */
  readonly trace: ((line: string) => void) | undefined
  /** The proxy that the environment names for a URL. Throws UsageError for one that can't be used. */
  readonly proxyFor: (url: string) => Promise<string | undefined>
  /** Folder of running emulators and payment intents. It may not exist yet. */
  readonly stateDir: string
  /** Folder of profiles and credentials. It may not exist yet. */
  readonly configDir: string
  /** The configuration, read at the first use. Throws UsageError if the file can't be read. */
  readonly config: Config
  target(): Promise<Target>
  /**
   * The client of the run, closed by main. Fails with exit 4 without a token, unless `anonymous`; for a `payment` also if
   * several emulators run and none is named.
   */
  client(need?: 'token' | 'payment' | 'anonymous'): Promise<Client>
  /** Where the token comes from, if none is given. All clients of the run use it. */
  login(): Promise<TokenSource>
  /** Calls `listener` before every wait (milliseconds) for another attempt, so that other requests can wait too. */
  readonly onRetry: (listener: (delay: number) => void) => void
  /**
   * Makes another client, which only this signal ends and which reports no retries: for background work, for cleaning up,
   * and for a command with its own waits between attempts.
   */
  clientUntil(signal: AbortSignal, manner?: Pick<ClientOptions, 'delay' | 'onRetry'>): Promise<Client>
  /** Sets the exit code of a run that throws nothing. */
  exitWith(code: number): void
}

/** A command as its parent lists it. */
export interface Entry {
  /** Also its description, unless the command sets another. */
  readonly summary: string
  /** Arguments to show in the list: `<id>`. */
  readonly usage?: string
  /** Heading in the list. */
  readonly group?: string
  /** Loads the command when it is chosen. */
  readonly load: () => CommandModule | Promise<CommandModule>
}

export type Entries = Readonly<Record<string, Entry>>

/** Adds options, arguments and an action to `command`; a group returns its subcommands, in order. */
export type CommandModule = (command: Command, context: Context) => Entries | undefined
