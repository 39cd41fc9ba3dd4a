import type { AnsweredRequest, EmulatorOptions } from '../../emulator/index.ts'
import { redactText } from '../client/redaction.ts'
import { clockTime } from '../run/time.ts'

/** The option of an emulator that writes a line for each request, secrets hidden; none without `write`. */
export function requestLog(
  write: ((line: string) => void) | undefined,
  secrets: readonly (string | undefined)[],
): Pick<EmulatorOptions, 'onRequest'> {
  if (!write) return {}
  const known = secrets.filter((secret) => secret !== undefined)
  return { onRequest: (request) => write(lineOf(request, known)) }
}

function lineOf({ method, path, endpoint, status, durationMs }: AnsweredRequest, secrets: readonly string[]): string {
  const words = [clockTime(new Date().toISOString()), method, redactText(path, secrets), status, `${durationMs} ms`]
  return [...words, ...(endpoint ? [endpoint] : [])].join('  ')
}
