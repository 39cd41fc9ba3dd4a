import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type IPty, spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { demo } from '../../emulator/worlds/seed.ts'

/** Answers that a person types at questions. */
const answers: readonly (readonly [question: RegExp, typed: string])[] = [
  [/\(y\/N\)/, 'y\r'],
  [/From:\s+❯/, '\r'],
  [/To \(IBAN or phone/, '87000001\r'],
  [/Amount in \w+/, '10\r'],
  [/Description \(optional/, '\r'],
  [/Client id/, `${demo.clientId}\r`],
  [/Secret of client/, `${demo.clientSecret}\r`],
]

/** Time limit of a block, in milliseconds. */
const patience = 60_000

/** Settings of the shell: each prompt names the commands of the last block that failed. */
const setUp = `
failed=
trap 'failed="$failed $BASH_COMMAND ($?)"' ERR
set -E -o pipefail
PS1='[ready:$failed]'
`

interface Settings {
  /** Working folder of the shell, which also contains the files of the blocks. */
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** Called when a command says that Ctrl-C stops it, before the person types Ctrl-C. */
  readonly beforeInterrupt: () => Promise<void>
}

/** A shell in a terminal, and a person who types blocks into it, answers questions, and ends commands that run on. */
export class GuideShell {
  readonly #settings: Settings
  readonly #pty: IPty
  #written = ''
  /** Position in the output up to which the person has reacted. */
  #seen = 0
  /** True from an answer until the question is marked as answered. Meanwhile each key redraws the question. */
  #isAnswering = false
  readonly #isSetUp: Promise<unknown>
  #onNews = () => {}
  #blocks = 0

  constructor(settings: Settings) {
    this.#settings = settings
    const { home, env } = settings
    const rcfile = join(home, '.guide_rc')
    writeFileSync(rcfile, setUp)
    this.#pty = spawn('/bin/bash', ['--noprofile', '--noediting', '--rcfile', rcfile, '-i'], {
      cols: 200,
      rows: 40,
      cwd: home,
      env,
    })
    this.#pty.onData((data) => {
      this.#written += stripVTControlCharacters(data)
      this.#onNews()
    })
    onTestFinished(() => this.#pty.kill('SIGKILL'))
    this.#isSetUp = this.#untilReady()
  }

  /** The whole output so far, without control sequences. */
  get written(): string {
    return this.#written
  }

  /** Runs a block to its end, and returns its failures; empty if there were none. */
  async run(text: string): Promise<string> {
    await this.#isSetUp
    this.#type(`failed=; . ${this.#file(text)}`)
    return await this.#untilReady()
  }

  /** Starts a block that runs beside the others, and returns its output when it is ready. */
  async start(text: string): Promise<string> {
    await this.#isSetUp
    const before = this.#written.length
    this.#type(`. ${this.#file(text)} &`)
    await this.#until(() => /Ctrl-C\s+stops/.test(this.#written.slice(before)))
    const said = this.#written.slice(before)
    this.#type('')
    await this.#untilReady()
    return said
  }

  #file(text: string): string {
    this.#blocks += 1
    const name = `.guide_${this.#blocks}`
    writeFileSync(join(this.#settings.home, name), text)
    return `./${name}`
  }

  #type(line: string): void {
    this.#seen = this.#written.length
    this.#pty.write(`${line}\r`)
  }

  async #untilReady(): Promise<string> {
    let failed: string | undefined
    await this.#until(() => {
      this.#react()
      failed = /\[ready:((?:(?!\[ready:).)*)\]$/s.exec(this.#written.slice(this.#seen))?.[1]
      return failed !== undefined
    })
    return failed?.trim() ?? ''
  }

  #react(): void {
    if (this.#isAnswering && this.#passes(/✔[^\n]*\n/)) this.#isAnswering = false
    const [, typed] = answers.find(([question]) => !this.#isAnswering && this.#passes(question)) ?? []
    if (typed !== undefined) {
      this.#isAnswering = true
      this.#pty.write(typed)
    }
    if (this.#passes(/Ctrl-C\s+stops(\.|\s+it)/))
      void this.#settings.beforeInterrupt().then(() => this.#pty.write('\x03'))
  }

  /** True if the output contains the text; later searches begin after it. */
  #passes(text: RegExp): boolean {
    const found = text.exec(this.#written.slice(this.#seen))
    if (found) this.#seen += found.index + found[0].length
    return found !== null
  }

  async #until(isSeen: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`It does not end:\n${this.#written.slice(-3000)}`)), patience)
      this.#onNews = () => {
        if (!isSeen()) return
        clearTimeout(late)
        this.#onNews = () => {}
        resolve()
      }
      this.#onNews()
    })
  }
}
