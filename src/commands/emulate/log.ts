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
  /** True if stderr must contain only JSON, and no notes for people. */
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
  const clean: Clean = (text) => redactText(printable(text), secrets).replace(generatedSecret, '***')
  if (format === 'json') return (await import('./json_log.ts')).jsonLog(write, clean)
  return textLog(write, trace && bounded(trace), clean)
}

/** Removes secrets and invisible characters from a text that comes from a client or an error. */
export type Clean = (text: string) => string

/**
 * Tokens, keys of teams and secrets of clients: 32 random bytes in base64url. The emulator knows only their digests.
 * The pattern requires an upper-case letter, which no name of a world has.
 */
const generatedSecret = /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g

/** `trace` writes a line for each request; undefined: without --verbose. */
function textLog(
  write: (line: string) => void,
  trace: ((line: string) => void) | undefined,
  clean: Clean,
): EmulatorLog {
  const onRequest = trace && ((request: AnsweredRequest) => trace(lineOf(request, clean)))
  return {
    callbacks: {
      onFault: (error) => write(`emulator fault: ${clean(String(error))}`),
      onNotice: (text) => write(`emulator: ${clean(text)}`),
      ...(onRequest && { onRequest }),
    },
    isJson: false,
    event() {},
  }
}

function lineOf({ method, path, endpoint, status, durationMs }: AnsweredRequest, clean: Clean): string {
  const words = [clockTime(new Date().toISOString()), method, clean(path), status ?? 'no answer', `${durationMs} ms`]
  return [...words, ...(endpoint ? [endpoint] : [])].join('  ')
}
