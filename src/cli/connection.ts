import { existsSync } from 'node:fs'
import type { LoginOptions, TokenSource } from '../auth/access_token.ts'
import type { Credentials } from '../auth/credentials.ts'
import type { Change, Client, ClientOptions } from '../client/client.ts'
import { flagsOf } from '../config/emulator_label.ts'
import type { Target } from '../config/target.ts'
import { CliError, reasonOf, UsageError } from '../errors/cli_error.ts'
import { journalFile, limitsFile } from '../files/directories.ts'
import { monotonicClock } from '../real_time.ts'
import { foreign, type Said, say } from '../words/text.ts'
import type { Context } from './command.ts'

/** The connection of one run to the service. Each part is resolved and loaded at its first use. */
export class Connection {
  readonly #run: Context
  /** Called when the service has carried out a write, or may have done so. */
  readonly #onChange: () => void
  #target: Promise<Target> | undefined
  #client: Promise<Client> | undefined
  #login: Promise<TokenSource> | undefined
  /** End of the wait that was last reported, in milliseconds of the monotonic clock. */
  #reportedUntil = 0
  readonly #retryListeners: ((delay: number) => void)[] = []

  constructor(run: Context, onChange: () => void) {
    this.#run = run
    this.#onChange = onChange
  }

  target(): Promise<Target> {
    this.#target ??= this.#resolveTarget()
    return this.#target
  }

  async client(need: 'token' | 'payment' | 'anonymous'): Promise<Client> {
    const target = await this.target()
    const { signal } = this.#run
    if (need === 'payment') requireNamedEmulator(target)
    if (need !== 'anonymous' && target.token === undefined) await this.login()
    this.#client ??= this.#connect(target, {
      signal,
      onRetry: ({ delay, reason }) => {
        this.#reportWait(delay, reason)
        for (const listener of this.#retryListeners) listener(delay)
      },
    })
    return this.#client
  }

  /** Reports a wait only once if several requests wait together. */
  #reportWait(ms: number, reason: string): void {
    const now = monotonicClock()
    if (now < this.#reportedUntil) return
    this.#reportedUntil = now + ms
    this.#run.output.note(say`Trying again in ${(ms / 1000).toFixed(1)} s: ${foreign(reason)}`)
  }

  async clientUntil(signal: AbortSignal, manner?: Pick<ClientOptions, 'delay' | 'onRetry'>): Promise<Client> {
    return this.#connect(await this.target(), { ...manner, signal })
  }

  onRetry(listener: (delay: number) => void): void {
    this.#retryListeners.push(listener)
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.close()
  }

  async #resolveTarget(): Promise<Target> {
    const { resolveTarget } = await import('../config/target.ts')
    const run = this.#run
    return resolveTarget({
      globals: run.globals,
      env: run.env,
      stateDir: run.stateDir,
      signal: run.signal,
      config: () => run.config,
      note: (text) => run.output.note(text),
    })
  }

  /**
   * Source of the run's token. All clients without their own source share this source, because a later login may belong
   * to another user.
   */
  login(): Promise<TokenSource> {
    this.#login ??= storedToken(this.#run)
    return this.#login
  }

  /**
   * The journal checks a payment against the limits when the payment is marked as sent; this function checks every
   * other change.
   */
  async #requireChangeable(target: Target, { isPayment }: Change): Promise<void> {
    requireNamedEmulator(target)
    if (isPayment) return
    const { configDir, stateDir } = this.#run
    if (!existsSync(limitsFile(configDir)) && !existsSync(journalFile(stateDir))) return
    const { requireChangesAllowed } = await import('../limits/read_only.ts')
    const { profile, baseUrl } = target
    try {
      await requireChangesAllowed({ configDir, stateDir, profile, baseUrl, client: () => this.client('token') })
    } catch (error) {
      if (error instanceof CliError) await this.#recordRefusal(error, target)
      throw error
    }
  }

  /** Records in the audit file that limits refused a request. */
  async #recordRefusal(error: CliError, { profile, baseUrl }: Target): Promise<void> {
    const { Audit } = await import('../audit/audit.ts')
    const audit = new Audit(this.#run.stateDir)
    try {
      audit.add({ event: 'refused', profile, service: baseUrl, what: String(reasonOf(error)) }, { durable: true })
    } finally {
      audit.close()
    }
  }

  async #connect(target: Target, how: Partial<ClientOptions> & { readonly signal: AbortSignal }): Promise<Client> {
    const { token } = target
    let source: Promise<TokenSource> | undefined
    const stored = () => {
      source ??= this.login().then((login) => (how.signal === this.#run.signal ? login : login.until(how.signal)))
      return source
    }
    return openClient(this.#run, target.baseUrl, {
      ...how,
      beforeChange: (change) => this.#requireChangeable(target, change),
      onChange: this.#onChange,
      token: token ?? (async () => (await stored()).token()),
      ...(token === undefined && { renew: async (refused) => (await stored()).renew(refused) }),
    })
  }
}

/** A client with the options of the run's flags and environment, overridden by `own`. */
export async function openClient(run: Context, baseUrl: string, own: Partial<ClientOptions>): Promise<Client> {
  const { createClient } = await import('../client/create_client.ts')
  const proxy = await run.proxyFor(baseUrl)
  return createClient({
    baseUrl,
    ...(proxy !== undefined && { proxy }),
    ...clientOptions(run),
    ...own,
  })
}

/** Options for any client, from the run's flags. */
export function clientOptions({ trace, globals }: Context): Pick<ClientOptions, 'timeout' | 'retries' | 'trace'> {
  const { timeout, retries } = globals
  return {
    ...(timeout !== undefined && { timeout }),
    ...(retries !== undefined && { retries }),
    ...(trace && { trace }),
  }
}

/**
 * A client for checks: it tries once, for `timeout` milliseconds, and does not renew the token. The caller closes the
 * client.
 */
export async function plainClient(
  context: Context,
  { token, timeout }: { readonly token: string | undefined; readonly timeout: number },
): Promise<Client> {
  const { baseUrl } = await context.target()
  const { signal } = context
  return openClient(context, baseUrl, { signal, timeout, retries: 0, ...(token !== undefined && { token }) })
}

/** Options for renewing a login, from the flags and settings of this run. */
export function renewalOptions(context: Context): LoginOptions {
  const { configDir, signal, trace, proxyFor, globals } = context
  const { timeout, retries = 3 } = globals
  return { configDir, signal, trace, proxyFor, timeout, retries, note: (text) => context.output.note(text) }
}

/** The login that this run uses, or undefined. Throws CliError if the login belongs to another service. */
export async function storedCredentials(context: Context): Promise<Credentials | undefined> {
  const { findCredentials } = await import('../auth/access_token.ts')
  return await findCredentials(await context.target(), renewalOptions(context))
}

/** The token that this run uses. Throws CliError with exit 4 if there is none. */
export async function storedToken(context: Context): Promise<TokenSource> {
  const { tokenSource } = await import('../auth/access_token.ts')
  return await tokenSource(await context.target(), renewalOptions(context))
}

/** Throws UsageError if several emulators run and none is named: a change must not go to the wrong emulator. */
export function requireNamedEmulator({ unnamedEmulators: running }: Target): void {
  if (running.length === 0) return
  const flags: readonly Said[] = flagsOf(running)
  throw new UsageError(
    say`${running.length} emulators are running, and nothing says which one to change. Nothing was sent.`,
    say`Name one: ${flags.reduce((one, other) => say`${one}, or ${other}`)}`,
  )
}
