import { spawn } from '@lydell/node-pty'
import stringWidth from 'string-width'
import { freshMachine } from '../support/installed_payctl.ts'
import { payctlCommand } from '../support/program.ts'

interface Settings {
  readonly columns: number
  readonly env?: Readonly<Record<string, string>>
}

export interface Shown {
  readonly code: number
  /** The raw text, with its colour codes. */
  readonly raw: string
  readonly lines: readonly string[]
  /** Width of the widest line, in terminal cells. */
  readonly width: number
}

/** Output of the built command line in a real terminal. */
export async function show(args: readonly string[], { columns, env = {} }: Settings): Promise<Shown> {
  const machine = await freshMachine()
  const { NO_COLOR: _, ...plain } = machine.env
  const terminal = spawn(...payctlCommand(args), {
    cols: columns,
    rows: 24,
    name: env.TERM ?? 'xterm-256color',
    env: { ...plain, ...env },
  })
  let raw = ''
  terminal.onData((data) => {
    raw += data
  })
  const code = await new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
  const introducer = String.fromCharCode(27)
  const lines = raw
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split(new RegExp(`${introducer}\\[[0-9;]*m`)).join(''))
  return { code, raw, lines: lines.slice(0, -1), width: Math.max(...lines.map((line) => stringWidth(line))) }
}
