import { clearLine, cursorTo, moveCursor } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { main } from '../../src/main.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A program that runs in a terminal. */
export interface Program {
  onData(listener: (data: string) => void): unknown
  onExit(listener: (end: { exitCode: number; signal?: number | undefined }) => void): unknown
  write(keys: string): void
  resize(columns: number, rows: number): void
  kill(signal: string): void
  /** Closes the terminal; missing for a simulated terminal. */
  destroy?(): void
}

/** A stream of `main` that is a terminal. */
export class TerminalStream extends Writable {
  readonly isTTY = true
  columns: number
  rows: number
  readonly #show: (text: string) => void

  constructor({ columns, rows }: Size, show: (text: string) => void) {
    super()
    this.columns = columns
    this.rows = rows
    this.#show = show
  }

  cursorTo = (x: number, y?: number) => cursorTo(this, x, y)
  moveCursor = (dx: number, dy: number) => moveCursor(this, dx, dy)
  clearLine = (direction: -1 | 0 | 1) => clearLine(this, direction)
  getWindowSize = () => [this.columns, this.rows]
  getColorDepth = () => 8
  hasColors = () => true

  /** Does nothing, like `end` of process.stderr, because a prompt ends its output stream. */
  override end(): this {
    return this
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#show(String(chunk).replaceAll('\n', '\r\n'))
    done()
  }
}

/** Keys as a terminal delivers them: line by line, Ctrl-C as a signal, until the program reads each key itself. */
class Keyboard extends PassThrough {
  readonly isTTY = true
  isRaw = false

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw
    return this
  }
}

/** Starts `main` in a simulated terminal. A signal interrupts `main`. */
export function startMain(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  size: Size,
): Program {
  const interruption = new AbortController()
  const keyboard = new Keyboard()
  let show: (text: string) => void = () => {}
  const streams = [0, 1].map(() => new TerminalStream(size, (text) => show(text)))
  const [stdout, stderr] = streams as [TerminalStream, TerminalStream]
  const kill = (signal: string) => interruption.abort(signal === 'SIGKILL' ? 'SIGTERM' : signal)
  return {
    onData(listener) {
      show = listener
    },
    onExit(listener) {
      const io = { stdin: keyboard, stdout, stderr }
      main(argv, env, io, interruption.signal).then((exitCode) => listener({ exitCode }))
    },
    write(keys) {
      if (keyboard.isRaw) keyboard.write(keys)
      else if (keys === '\x03') kill('SIGINT')
      else if (keys === '\x04') keyboard.end()
      else keyboard.write(keys.replaceAll('\r', '\n'))
    },
    resize(columns, rows) {
      for (const stream of streams) {
        Object.assign(stream, { columns, rows })
        stream.emit('resize')
      }
    },
    kill,
  }
}
