import type { TSchema } from 'typebox'
import type { TokenSource } from '../auth/access_token.ts'
import type { Client, ClientOptions } from '../client/client.ts'
import type { Config } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import type { Columns, Output } from '../output/output.ts'
import type { Environment, Globals, Io, Language } from '../run/invocation.ts'
import type { Translate } from '../words/text.ts'

/**
 * One record describes each command. The parser, the help, the man pages, Tab completion, `--columns help`,
 * `payctl schema`, the reference and the tests all use this record.
 */
export interface CommandRecord {
  /** One sentence. Lists of commands show the sentence without its full stop. */
  readonly summary: string
  /** Text at the top of `--help`, if it is longer than the summary. */
  readonly about?: string
  /** Arguments, keyed by their form in the usage line: `<id>`, `[account]`, `<file...>`. */
  readonly args?: Readonly<Record<string, ArgumentRecord>>
  /** Flags, keyed by flag and value: `--name <name>`, `-f, --field <name=value>`, `--replace`. */
  readonly flags?: Readonly<Record<string, FlagRecord>>
  /** Global flags with a special meaning in this command, keyed by their long names. */
  readonly globals?: Readonly<Record<string, string | { readonly about: string; readonly heading: string }>>
  /**
   * Output with --json. If an argument or flag (`<id>`, `--dry-run`) changes the shape, there is one output for each
   * shape.
   */
  readonly prints?: Prints | { readonly [variant: string]: Prints }
  /**
   * Columns of the list that the command prints. If set, the command has `--columns` and, unless `unsorted` is set,
   * `--sort`.
   */
  readonly columns?: Columns<never> | ColumnsLater
  readonly unsorted?: true
  readonly examples?: readonly string[]
  /** Number of examples in `--help`; default: all. `payctl help <command>` shows all examples. */
  readonly fewExamples?: number
  /** Text after the options. `details` is shown only in `payctl help <command>`. */
  readonly notes?: string
  readonly details?: string
  /** True if all words after the first argument belong to another program. */
  readonly passesThrough?: true
  run?(input: never, context: Context): Promise<void> | void
  /** Subcommands in the order of the help, perhaps grouped by heading. */
  readonly commands?: Subcommands | { readonly [heading: string]: Subcommands }
}

/** Returns the record of a command; loads the module of the command if necessary. */
export type Loader = () => CommandRecord | Promise<CommandRecord>

export type Subcommands = { readonly [name: string]: Loader }

/** Returns the columns for the arguments; null if the columns depend on the answer. */
type ColumnsLater = (input: never) => Promise<Columns<never> | null>

interface ValueRecord {
  readonly about: string
  /** Kind of thing that the value names, for Tab completion. */
  readonly of?: ValueKind
  readonly choices?: readonly string[]
  /**
   * Throws InvalidArgumentError or UsageError. `before`: the result for an earlier value of a flag that may be
   * repeated.
   */
  readonly parse?: (text: string, before?: never) => unknown
}

export interface ArgumentRecord extends ValueRecord {
  /** Name of the argument in the input; default: the name of the placeholder. */
  readonly as?: string
}

export interface FlagRecord extends ValueRecord {
  readonly required?: true
  readonly default?: unknown
  /** The default as the help shows it: `30s` for 30000. */
  readonly defaultText?: string
  /**
   * Values of other flags, keyed by the names of these flags in the input. Each value applies if this flag is set and
   * the other flag is not.
   */
  readonly implies?: Readonly<Record<string, unknown>>
  /** Other names of the flag, hidden from help: `--result`. */
  readonly aliases?: readonly string[]
  /** Flags that can't be combined with this flag: their names in the input. */
  readonly conflicts?: string | readonly string[]
  readonly heading?: string
  /** Hidden from help. */
  readonly hidden?: boolean
  /** `--help` shows only the name of the flag. */
  readonly rare?: true
}

/** Kinds of things whose names Tab can complete. */
export type ValueKind =
  | 'account'
  | 'account id'
  | 'chaos profile'
  | 'command'
  | 'emulator'
  | 'fault'
  | 'file'
  | 'help topic'
  | 'intent'
  | 'output'
  | 'payee'
  | 'payment'
  | 'profile'
  | 'program'
  | 'running emulator'
  | 'saved payee'
  | 'snapshot'
  | 'subscription'
  | 'user'
  | 'world'

/** With `lines`, the schema describes each line. */
export type Prints =
  | { readonly shape: 'object' | 'array' | 'lines'; readonly schema: () => Promise<TSchema> }
  | { readonly shape: 'text' | 'nothing' }

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

type Long<Spec> = Spec extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never

type FlagName<Spec> = Camel<Long<Spec> extends `no-${infer Name}` ? Name : Long<Spec>>

type Placeholder<Spec> = Spec extends `${'<' | '['}${infer Name}${'>' | ']'}`
  ? Name extends `${infer One}...`
    ? Camel<One>
    : Camel<Name>
  : never

type ArgumentName<Spec, One> = One extends { as: infer Name extends string } ? Name : Placeholder<Spec>

/** A flag without a value is true; a flag that may be repeated is an array. */
type Plain<Spec> = Spec extends `${string}...${string}`
  ? readonly string[]
  : Spec extends `${string}<${string}` | `[${string}`
    ? string
    : Spec extends `${string}[${string}`
      ? string | true
      : Long<Spec> extends `no-${string}`
        ? boolean
        : true

type Value<Spec, One> = One extends { parse: (...given: never[]) => infer Parsed }
  ? Parsed
  : One extends { choices: readonly (infer Choice)[] }
    ? Spec extends `${string}...${string}`
      ? readonly Choice[]
      : Choice
    : Plain<Spec>

type Args<A> = {
  readonly [Spec in keyof A as ArgumentName<Spec, A[Spec]>]:
    | Value<Spec, A[Spec]>
    | (Spec extends `[${string}...]` | `<${string}` ? never : undefined)
}

type Flags<F> = {
  readonly [Spec in keyof F as FlagName<Spec>]:
    | Value<Spec, F[Spec]>
    | (F[Spec] extends { required: true } | { default: unknown } ? never : undefined)
}

/** The arguments and flags of a command line, keyed by name. */
export type Input<A, F> = Args<A> & Flags<F>

/** Returns the record; the types of its arguments and flags become the types of the handler's input. */
export const command = <
  const A extends Readonly<Record<string, ArgumentRecord>> = Record<never, never>,
  const F extends Readonly<Record<string, FlagRecord>> = Record<never, never>,
>(
  record: Omit<CommandRecord, 'args' | 'flags' | 'columns' | 'run'> & {
    readonly args?: A
    readonly flags?: F
    readonly columns?: Columns<never> | ((input: Input<A, F>) => Promise<Columns<never> | null>)
    readonly run?: (input: Input<A, F>, context: Context) => Promise<void> | void
  },
): CommandRecord => record as CommandRecord

/** Tools for a command's handler. Configuration, target, clients and tokens are loaded on first use. */
export interface Context {
  /** Record that contains all commands. */
  readonly root: CommandRecord
  readonly io: Io
  /** Environment variables that are not empty. */
  readonly env: Environment
  /**
   * Aborted by Ctrl-C, SIGTERM, SIGHUP and SIGQUIT; the abort reason is the signal's name. Later signals are `further`
   * events: see bin/payctl.js.
   */
  readonly signal: AbortSignal
  /**
   * The global flags. They, and the members that depend on them, are available only after the command line has been
   * parsed.
   */
  readonly globals: Globals
  /** Language of the text that the command prints for people. */
  readonly language: Language
  /** Translates a message into the language of the run. */
  readonly translate: Translate
  /** The words of the command line, with its short form or alias expanded. */
  readonly argv: readonly string[]
  readonly output: Output
  /** True if the user can be asked: stdin and stderr are terminals, and --no-input is not set. */
  readonly interactive: boolean
  /** Prints a line about a request or answer, without secrets; undefined without --verbose. */
  readonly trace: ((line: string) => void) | undefined
  /** The proxy that the environment names for a URL. Throws UsageError if the proxy can't be used. */
  readonly proxyFor: (url: string) => Promise<string | undefined>
  /**
   * Folder of the payment journal and of the records of running emulators. The folder can be missing until the first
   * file is written.
   */
  readonly stateDir: string
  /** Folder of profiles and credentials. The folder can be missing until the first file is written. */
  readonly configDir: string
  /** The configuration, read at the first use. Throws UsageError if the file can't be read. */
  readonly config: Config
  target(): Promise<Target>
  /**
   * Returns the client of the run, which main closes. Throws (exit code 4) if the token is missing, unless `need` is
   * `anonymous`. For `payment`, throws even with a token if several emulators are running and none is named.
   */
  client(need?: 'token' | 'payment' | 'anonymous'): Promise<Client>
  /** Source of the run's tokens. All clients of the run without their own source share this source. */
  login(): Promise<TokenSource>
  /**
   * Calls `listener` before every wait for another attempt, with the wait in milliseconds, so that other requests can
   * wait too.
   */
  readonly onRetry: (listener: (delay: number) => void) => void
  /**
   * Creates another client, which only this signal aborts and which prints no notes about retries. It is for background
   * work, for clean-up, and for a command with its own waits between attempts.
   */
  clientUntil(signal: AbortSignal, manner?: Pick<ClientOptions, 'delay' | 'onRetry'>): Promise<Client>
  /** Sets the exit code of a run that throws nothing. */
  exitWith(code: number): void
}
