import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { UsageError } from '../errors/cli_error.ts'
import { auditFile } from '../files/directories.ts'
import { foreign, say } from '../words/text.ts'
import type { AuditLine } from './audit.ts'

interface AuditFilter {
  /** Selects lines written at or after `since` and before `until`, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Maximum number of lines; the newest are returned. */
  readonly last?: number | undefined
}

/**
 * Reads lines of the audit file, oldest first; returns none if the file does not exist. Memory grows with the number of
 * lines requested. `damaged`: count of lines that can't be parsed, because they were cut off or changed by hand.
 */
export async function readAudit(
  stateDir: string,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, last = Number.POSITIVE_INFINITY }: AuditFilter,
): Promise<{ readonly lines: readonly AuditLine[]; readonly damaged: number }> {
  const isBetween = (time: number) => time >= since && time < until
  const lines: AuditLine[] = []
  let damaged = 0
  for await (const text of linesOf(auditFile(stateDir))) {
    if (text === '') continue
    const line = parse(text)
    if (!line) damaged += 1
    else if (isBetween(Date.parse(line.time))) lines.push(line)
    if (lines.length > last * 2) lines.splice(0, lines.length - last)
  }
  return { lines: lines.slice(-last), damaged }
}

async function* linesOf(file: string): AsyncGenerator<string, void> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    throw new UsageError(say`The audit file ${file} can't be read: ${foreign(message)}.`, 'Let this user read the file')
  }
}

function parse(text: string): AuditLine | undefined {
  try {
    const line = JSON.parse(text) as AuditLine
    return typeof line.time === 'string' && typeof line.event === 'string' ? line : undefined
  } catch {
    return undefined
  }
}
