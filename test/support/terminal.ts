import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { full } from './full.ts'
import { type Program, type Size, startMain } from './main_program.ts'
import { payctlCommand, payctlInShell } from './program.ts'
import { Screen } from './screen.ts'

export interface Settings {
  /** The program's whole environment, besides PATH, HOME and TERM. */
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
}

/** A program in a separate terminal, killed when the test ends. */
export class Terminal {
  /** The whole output, escape sequences included. */
  written = ''
  /** The exit code, or 128 plus the number of the signal. */
  readonly ended: Promise<number>
  readonly #program: Program
  readonly #screen: Screen
  #onNews = () => {}
  #hasEnded = false

  constructor({ columns = 100, rows = 40 }: Settings, start: (size: Size) => Program) {
    this.#screen = new Screen(columns, rows)
    this.#program = start({ columns, rows })
    this.#program.onData((data) => {
      this.written += data
      this.#screen.write(data)
      this.#onNews()
    })
    this.ended = new Promise((resolve) => {
      this.#program.onExit(({ exitCode, signal }) => {
        this.#hasEnded = true
        this.#onNews()
        resolve(signal ? 128 + signal : exitCode)
      })
    })
    onTestFinished(() => this.kill('SIGKILL'))
  }

  /** The text on the screen, and the text that has scrolled away above it. */
  get screen(): string {
    return this.#screen.text
  }

  /** Resolves when the screen shows the text; rejects if the program ends without it. */
  async shows(text: string | RegExp): Promise<void> {
    while (!(typeof text === 'string' ? this.screen.includes(text) : text.test(this.screen))) {
      if (this.#hasEnded) throw new Error(`It ended without showing ${text}:\n${this.screen}`)
      await this.#news(text)
    }
  }

  /** Waits for the question, then types keys. */
  async answer(question: string | RegExp, keys: string): Promise<void> {
    await this.shows(question)
    this.type(keys)
  }

  type(keys: string): void {
    this.#program.write(keys)
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.#screen, { columns, rows })
    this.#program.resize(columns, rows)
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasEnded) this.#program.kill(signal)
  }

  /** Closes the terminal, as when its window is closed. */
  hangUp(): void {
    if (this.#program.destroy) this.#program.destroy()
    else this.kill('SIGHUP')
  }

  #news(text: string | RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`It does not show ${text}:\n${this.screen}`)), patience)
      this.#onNews = () => {
        clearTimeout(late)
        resolve()
      }
    })
  }
}

/** Milliseconds without output after which a wait for the screen fails. */
const patience = 15_000

export const keys = {
  enter: '\r',
  up: '\x1b[A',
  down: '\x1b[B',
  backspace: '\x7f',
  interrupt: '\x03',
  endOfInput: '\x04',
} as const

/** Starts a program in a terminal of the system. */
export function openProgram(file: string, argv: readonly string[], settings: Settings = {}): Terminal {
  const { env = {}, cwd } = settings
  return new Terminal(settings, ({ columns, rows }) =>
    spawn(file, [...argv], {
      cols: columns,
      rows,
      env: { ...surroundings(), ...env },
      ...(cwd !== undefined && { cwd }),
    }),
  )
}

const surroundings = () => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TERM: 'xterm-256color',
  TZ: 'UTC',
  NO_COLOR: '1',
})

/** Starts the built payctl in a terminal. */
export const openPayctl = (argv: readonly string[], settings?: Settings): Terminal =>
  openProgram(...payctlCommand(argv), settings)

/** Starts `main` in a simulated terminal; in the full tests the built payctl in a terminal of the system. */
export function openMain(argv: readonly string[], settings: Settings = {}): Terminal {
  if (full) return openPayctl(argv, settings)
  return new Terminal(settings, (size) => startMain(argv, { ...surroundings(), ...settings.env }, size))
}

/**
 * Runs a command line of the shell in a terminal, with the built payctl as `payctl`, to test pipes and redirections.
 */
export const openShell = (line: string, settings?: Settings): Terminal =>
  openProgram('/bin/sh', ['-c', `payctl() { ${payctlInShell} "$@"; }; ${line}`], settings)
