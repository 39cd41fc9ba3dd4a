import { fileURLToPath } from 'node:url'
import { type IPty, spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { Screen } from './screen.ts'

const payctl = fileURLToPath(new URL('../../../bin/payctl.js', import.meta.url))

interface Settings {
  /** All that the program knows of its surroundings, besides PATH, HOME and TERM. */
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
}

/** A program in a terminal of its own, killed when the test ends. */
export class Terminal {
  /** Everything that was written, escape sequences included. */
  written = ''
  /** The exit code, or 128 and the number of the signal. */
  readonly ended: Promise<number>
  readonly #pty: IPty
  readonly #screen: Screen
  #onNews = () => {}
  #hasEnded = false

  constructor(file: string, argv: readonly string[], settings: Settings = {}) {
    const { env = {}, columns = 100, rows = 40, cwd } = settings
    this.#screen = new Screen(columns, rows)
    this.#pty = spawn(file, [...argv], {
      cols: columns,
      rows,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm-256color', NO_COLOR: '1', ...env },
      ...(cwd !== undefined && { cwd }),
    })
    this.#pty.onData((data) => {
      this.written += data
      this.#screen.write(data)
      this.#onNews()
    })
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#hasEnded = true
        this.#onNews()
        resolve(signal ? 128 + signal : exitCode)
      })
    })
    onTestFinished(() => this.kill('SIGKILL'))
  }

  /** What a person sees, and what has scrolled away above it. */
  get screen(): string {
    return this.#screen.text
  }

  get pid(): number {
    return this.#pty.pid
  }

  /** Resolves when the screen shows the text; fails when the program ends without. */
  async shows(text: string | RegExp): Promise<void> {
    while (!(typeof text === 'string' ? this.screen.includes(text) : text.test(this.screen))) {
      if (this.#hasEnded) throw new Error(`It ended without showing ${text}:\n${this.screen}`)
      await this.#news(text)
    }
  }

  /** Waits for what is asked, then types. */
  async answer(question: string | RegExp, keys: string): Promise<void> {
    await this.shows(question)
    this.type(keys)
  }

  type(keys: string): void {
    this.#pty.write(keys)
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.#screen, { columns, rows })
    this.#pty.resize(columns, rows)
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasEnded) this.#pty.kill(signal)
  }

  /** The terminal goes away, as when its window is closed. */
  hangUp(): void {
    this.kill('SIGHUP')
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

/** Milliseconds without news after which a screen will not show what is waited for. */
const patience = 15_000

export const keys = {
  enter: '\r',
  up: '\x1b[A',
  down: '\x1b[B',
  backspace: '\x7f',
  interrupt: '\x03',
  endOfInput: '\x04',
} as const

/** The built payctl in a terminal. */
export const openPayctl = (argv: readonly string[], settings?: Settings): Terminal =>
  new Terminal(process.execPath, [payctl, ...argv], settings)

/** A command line of the shell, in which `payctl` is the built one: for pipes and redirections at a terminal. */
export const openShell = (line: string, settings?: Settings): Terminal =>
  new Terminal('/bin/sh', ['-c', `payctl() { '${process.execPath}' '${payctl}' "$@"; }; ${line}`], settings)
