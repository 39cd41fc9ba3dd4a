import type { TokenSource } from '../auth/access_token.ts'
import type { Client, ClientOptions } from '../client/client.ts'
import { type Config, configSettings, savedSetting } from '../config/profile.ts'
import { readSettings } from '../config/settings.ts'
import type { Target } from '../config/target.ts'
import { CliError } from '../errors/cli_error.ts'
import { configDirectory, stateDirectory } from '../files/directories.ts'
import type { Jq } from '../output/jq.ts'
import type { Output } from '../output/output.ts'
import type { Environment, Globals, Io, Language } from '../run/invocation.ts'
import { languageOf } from '../run/locale.ts'
import type { ReportOptions } from '../run/report.ts'
import { printable } from '../run/sanitise.ts'
import { inEnglish, say, type Translate } from '../words/text.ts'
import type { CommandRecord, Context } from './command.ts'
import { Connection } from './connection.ts'

interface Run {
  readonly root: CommandRecord
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
}

/** The context of one run. `begin` sets the global flags after the command line is parsed. */
export class RunContext implements Context {
  readonly root: CommandRecord
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
  exitCode = 0
  language: Language = 'en'
  translate: Translate = inEnglish
  #globals: Globals | undefined
  #argv: readonly string[] = []
  /** The words that name the command: `['payments', 'send']`. */
  #path: readonly string[] | undefined
  #output: Output | undefined
  #stateDir: string | undefined
  #configDir: string | undefined
  #config: Config | undefined
  /** Error of a damaged configuration, if the run has not needed the configuration yet. */
  #passedOver: CliError | undefined
  #jq: Jq | undefined
  #changed = false
  readonly #connection: Connection

  constructor({ root, env, io, signal }: Run) {
    this.root = root
    this.env = env
    this.io = io
    this.signal = signal
    this.#connection = new Connection(this, () => {
      this.#changed = true
    })
  }

  /**
   * Starts the run of a command. Checks a jq program, so that a mistake in the program ends the run before any request.
   */
  async begin(globals: Globals, path: readonly string[], argv: readonly string[] = []): Promise<void> {
    const { io, env, signal } = this
    this.#globals = globals
    this.#path = path
    this.#argv = argv
    const { createOutput } = await import('../output/create_output.ts')
    const { languageOfCommand, translatorOf } = await import('../run/language.ts')
    this.language = languageOfCommand({ path, ...this.#languageSources(globals) })
    this.translate = await translatorOf(this.language)
    const profileFormat = () => this.#profileSetting('output', globals)
    const output = createOutput({ io, env, signal, globals, profileFormat, translate: this.translate })
    this.#output = output
    if (globals.jq === undefined) return
    const [{ Jq }, { filteredOutput }] = await Promise.all([
      import('../output/jq.ts'),
      import('../output/filtered_output.ts'),
    ])
    this.#jq = await Jq.start(globals.jq, signal)
    this.#output = filteredOutput({ io, signal, jq: this.#jq, output, hasChanged: () => this.#changed })
  }

  /** Language in which help is printed, whatever the command. */
  languageOfHelp(globals: Globals): Language {
    return languageOf(this.#languageSources(globals))
  }

  get globals(): Globals {
    return this.#globals ?? {}
  }

  get argv(): readonly string[] {
    return this.#argv
  }

  get output(): Output {
    if (!this.#output) throw new Error('The output is known only once a command runs.')
    return this.#output
  }

  get interactive(): boolean {
    return this.globals.mayAsk !== false && this.io.stdin.isTTY === true && this.io.stderr.isTTY === true
  }

  get trace(): ((line: string) => void) | undefined {
    return this.globals.verbose ? (line) => this.io.stderr.write(`${printable(line)}\n`) : undefined
  }

  get stateDir(): string {
    this.#stateDir ??= stateDirectory(this.env)
    return this.#stateDir
  }

  get configDir(): string {
    this.#configDir ??= configDirectory(this.env)
    return this.#configDir
  }

  get config(): Config {
    this.#passedOver = undefined
    this.#config ??= readSettings(configSettings, this.configDir)
    return this.#config
  }

  target(): Promise<Target> {
    return this.#connection.target()
  }

  client(need: 'token' | 'payment' | 'anonymous' = 'token'): Promise<Client> {
    return this.#connection.client(need)
  }

  clientUntil(signal: AbortSignal, manner?: Pick<ClientOptions, 'delay' | 'onRetry'>): Promise<Client> {
    return this.#connection.clientUntil(signal, manner)
  }

  login(): Promise<TokenSource> {
    return this.#connection.login()
  }

  readonly onRetry = (listener: (delay: number) => void): void => this.#connection.onRetry(listener)

  readonly proxyFor = async (url: string): Promise<string | undefined> => {
    if (!Object.keys(this.env).some((name) => /^https?_proxy$/i.test(name))) return undefined
    const { proxyFor } = await import('../config/proxy.ts')
    return proxyFor(url, this.env)
  }

  /** True once the service has carried out a write, or may have done so. */
  get hasChanged(): boolean {
    return this.#changed
  }

  exitWith(code: number): void {
    this.exitCode = code
  }

  async close(): Promise<void> {
    await Promise.all([this.#connection.close(), this.#jq?.close()])
    if (this.#passedOver) this.#output?.note(say`${this.#passedOver.said} This command ignored the file.`)
  }

  /** Options for reporting a failure. If the command line could not be parsed, its flags are read from `argv`. */
  async reportOptions(argv: readonly string[]): Promise<ReportOptions> {
    const { reportOptionsOf } = await import('./report_options.ts')
    return reportOptionsOf({ context: this, globals: this.#globals, path: this.#path, argv })
  }

  #languageSources(globals: Globals) {
    return { flag: globals.lang, env: this.env, ofProfile: () => this.#profileSetting('lang', globals) }
  }

  /**
   * A saved setting of the profile in use; undefined if there is none. Ignores a damaged configuration, because not
   * every command needs it.
   */
  #profileSetting(key: 'output' | 'lang', globals: Globals): string | undefined {
    try {
      return savedSetting(key, globals, this.env, () => this.config)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      this.#passedOver = error
      return undefined
    }
  }
}
