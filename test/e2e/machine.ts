import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { installed } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { type Ended, startProcess } from '../support/running.ts'
import { type StartOptions, startRun } from '../support/started.ts'

/** A user's machine: separate folders, and the command line. */
export async function machine({ baseUrl, token }: Pick<Emulator, 'baseUrl' | 'token'>) {
  const home = await temporaryDirectory()
  const env: Readonly<Record<string, string>> = {
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    PAYCTL_BASE_URL: baseUrl,
    PAYCTL_TOKEN: token,
  }
  return {
    home,
    env,
    start: (args: readonly string[], options: Partial<StartOptions> = {}) => startRun(args, { env, ...options }),
  }
}

/** The seeded account in colones. */
export const crcAccount = (emulator: Emulator): string =>
  emulator.accounts().find(({ currency }) => currency === 'CRC')?.id ?? ''

const killAtStep = fileURLToPath(new URL('kill_at_step.cjs', import.meta.url))

/** Kill of a process before its work is done: none, SIGKILL at a step, or a signal when a promise resolves. */
export type Death = 'none' | { readonly step: number } | { readonly when: Promise<void>; readonly by: NodeJS.Signals }

export interface Login {
  readonly token: string
  readonly user: string
  /** True if the login lacks the scope to read its user. */
  readonly isNarrow: boolean
}

/** An intent. */
export interface JournalRow {
  readonly id: string
  readonly user: string
  /** Minor units. */
  readonly amount: number
  readonly status: string
  readonly payment_id: string | null
  readonly batch: string | null
  readonly in_doubt_since: string | null
}

/** A machine on which users log in, processes are killed, and hours pass. */
export class LivedInMachine {
  readonly #home = mkdtempSync(join(tmpdir(), 'payctl-machine-'))
  readonly #url: string
  readonly #env: Readonly<Record<string, string>>
  readonly #journalFile = join(this.#home, 'state', 'journal.db')

  constructor(url: string) {
    this.#url = url
    this.#env = {
      PAYCTL_BASE_URL: url,
      PAYCTL_STATE_DIR: join(this.#home, 'state'),
      PAYCTL_CONFIG_DIR: join(this.#home, 'config'),
    }
    mkdirSync(join(this.#home, 'config'), { mode: 0o700 })
    onTestFinished(() => rmSync(this.#home, { recursive: true, force: true }))
  }

  file(name: string, text: string): string {
    const path = join(this.#home, name)
    writeFileSync(path, text)
    return path
  }

  saveLogin({ token, user: name, isNarrow }: Login): void {
    const login = {
      ...{ kind: 'dashboard', base_url: this.#url, auth_url: this.#url, access_token: token },
      ...{ obtained_at: new Date().toISOString(), login_id: `login-of-${token}` },
      ...(!isNarrow && { user: { id: `id-of-${name}`, name, email: `${name}@example.com` } }),
    }
    const file = join(this.#home, 'config', 'credentials.json')
    writeFileSync(`${file}.new`, JSON.stringify({ version: 1, profiles: { default: login } }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  async run(args: readonly string[], death: Death): Promise<Ended> {
    const step = death !== 'none' && 'step' in death ? death.step : undefined
    const running = startProcess(args, {
      env: { ...this.#env, KILL_AT_STEP: step?.toString() },
      nodeArgs: step === undefined || installed ? [] : ['--require', killAtStep],
      stdin: 'ignore',
    })
    // An installed payctl can't count its steps, so it is killed after the same number of milliseconds.
    if (step !== undefined && installed) setTimeout(() => running.kill('SIGKILL'), step)
    if (death !== 'none' && 'when' in death) death.when.then(() => running.kill(death.by))
    return running
  }

  journal(): readonly JournalRow[] {
    return this.#withJournal((database) =>
      database
        .prepare<[], JournalRow>(
          `SELECT id, user, body ->> 'amount' AS amount, status, payment_id, batch,
           (SELECT min(began_at) FROM attempts WHERE intent = intents.seq) AS in_doubt_since FROM intents ORDER BY seq`,
        )
        .all(),
    )
  }

  /** Moves all times of the journal back, because a process's clock can't be moved forward. */
  makeOlder(ms: number): void {
    const older = (column: string) => `${column} = strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '-${ms / 1000} seconds')`
    this.#withJournal((database) => {
      database.exec(`UPDATE intents SET ${older('created_at')}, ${older('updated_at')}`)
      database.exec(`UPDATE attempts SET ${['began_at', 'sent_at', 'lost_at'].map(older).join(', ')}`)
      return []
    })
  }

  /** Reads the journal; returns an empty list before the journal exists. */
  #withJournal<T>(work: (database: Sqlite.Database) => readonly T[]): readonly T[] {
    let database: Sqlite.Database
    try {
      database = new Sqlite(this.#journalFile, { fileMustExist: true })
    } catch {
      return []
    }
    try {
      const [known] = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").all()
      return known ? work(database) : []
    } finally {
      database.close()
    }
  }
}
