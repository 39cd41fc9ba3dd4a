import type { AnsweredRequest, EmulatorOptions } from '../../../emulator/index.ts'
import type { Context } from '../../cli/command.ts'
import { redactText } from '../../client/trace.ts'
import { printable } from '../../run/sanitise.ts'
import { clockTime } from '../../run/time.ts'

/** Callbacks of an emulator that write to its log. */
type Callbacks = Pick<EmulatorOptions, 'onFault' | 'onNotice' | 'onRequest' | 'onWorld'>

/** Writes the log of an emulator to stderr: lines for people, or a JSON object on each line. */
export interface EmulatorLog {
  readonly callbacks: Callbacks
  /** True if stderr has JSON only, so that notes for people do not belong there. */
  readonly isJson: boolean
  /** Writes an event of the process, in the JSON log only. */
  event(name: 'ready' | 'stopped', facts: Readonly<Record<string, unknown>>): void
}

interface LogSettings {
  /** Value of `--log`; undefined: lines for people. */
  readonly format: 'json' | undefined
  /** Secrets that the log must not contain, wherever a client sends them. */
  readonly secrets: readonly string[]
  /** Limits the size of the log of a detached emulator. */
  readonly bounded: (write: (line: string) => void) => (line: string) => void
}

export async function emulatorLog(context: Context, { format, secrets, bounded }: LogSettings): Promise<EmulatorLog> {
  const { io, trace } = context
  const write = bounded((line) => void io.stderr.write(`${line}\n`))
  if (format === 'json') return (await import('./json_log.ts')).jsonLog(write, secrets)
  return textLog(write, trace && bounded(trace), secrets)
}

/** `trace` writes a line for each request; undefined: without --verbose. */
function textLog(
  write: (line: string) => void,
  trace: ((line: string) => void) | undefined,
  secrets: readonly string[],
): EmulatorLog {
  const onRequest = trace && ((request: AnsweredRequest) => trace(lineOf(request, secrets)))
  return {
    callbacks: {
      onFault: (error) => write(`emulator fault: ${printable(String(error))}`),
      onNotice: (text) => write(`emulator: ${text}`),
      ...(onRequest && { onRequest }),
    },
    isJson: false,
    event() {},
  }
}

function lineOf({ method, path, endpoint, status, durationMs }: AnsweredRequest, secrets: readonly string[]): string {
  const words = [
    clockTime(new Date().toISOString()),
    method,
    redactText(path, secrets),
    status ?? 'no answer',
    `${durationMs} ms`,
  ]
  return [...words, ...(endpoint ? [endpoint] : [])].join('  ')
}
