import { accessSync, constants, readdirSync, rmSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { makeFolder } from '../files/directories.ts'
import { fileFault, readIfThere } from '../files/file_fault.ts'
import { openToAppend } from '../files/open_private.ts'
import { replaceContent } from '../files/private_file.ts'
import { explainingFaults } from '../files/storage_fault.ts'
import { say } from '../words/text.ts'
import type { Holder } from './lookups.ts'

/** Members of an answer to save. */
const savedMembers = ['status', 'name', 'document_number', 'currency', 'entity_name', 'reason'] as const

/** Answer from the service, or the reason why there is none. */
export type Answer = Partial<Pick<Holder, Exclude<(typeof savedMembers)[number], 'reason'>>> & {
  readonly reason?: string
}

/** Result of looking up one value. `invalid`: the value is not a phone number or an IBAN, or the service refused it. */
export type Outcome = 'found' | 'not_found' | 'invalid' | 'failed'

/** An answer without `reason` contains a holder, whatever its status. */
export function outcomeOf({ status, reason }: Answer): Outcome {
  if (reason === undefined) return 'found'
  return status === 'not_found' || status === 'failed' ? status : 'invalid'
}

/** Answers in a private file, one line each: the lines of a killed process remain usable. */
export class AnswerFile {
  readonly #path: string | undefined
  readonly #answers: Map<string, Answer>
  #file: Promise<FileHandle> | undefined

  /**
   * Reads the answers that are still valid and deletes all other answers from disk: they contain people's names.
   * Without a path nothing is saved. `found`, `notFound`: milliseconds for which an answer is valid.
   */
  constructor(path: string | undefined, { found, notFound }: { readonly found: number; readonly notFound: number }) {
    this.#path = path
    const entries = path === undefined ? [] : entriesIn(path)
    const now = Date.now()
    const fresh = entries.filter(
      ({ at, answer }) => at <= now && now - at < (answer.reason === undefined ? found : notFound),
    )
    if (path !== undefined && fresh.length < entries.length) {
      explainingFaults(
        () => replaceContent(path, fresh.map(lineOf).join('')),
        (fault) => writeError(path, fault),
      )
    }
    this.#answers = new Map(fresh.map(({ key, answer }) => [key, answer]))
  }

  get size(): number {
    return this.#answers.size
  }

  /** True if a later run can use the answers. */
  get isSaved(): boolean {
    return this.#path !== undefined && this.#answers.size > 0
  }

  get(key: string): Answer | undefined {
    return this.#answers.get(key)
  }

  async add(key: string, row: Answer): Promise<Answer> {
    const answer: Answer = Object.fromEntries(
      savedMembers.flatMap((name) => (row[name] == null ? [] : [[name, row[name]]])),
    )
    if (this.#path !== undefined) await this.#append(this.#path, lineOf({ key, at: Date.now(), answer }))
    this.#answers.set(key, answer)
    return answer
  }

  async #append(path: string, line: string): Promise<void> {
    // Ends a line that an earlier process left incomplete.
    const start = this.#file ? '' : '\n'
    this.#file ??= openToAppend(path)
    try {
      await (await this.#file).appendFile(start + line)
    } catch (error) {
      throw writeError(path, error)
    }
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined)
    await file?.close()
  }

  async remove(): Promise<void> {
    await this.close()
    this.#file = undefined
    if (this.#path !== undefined) rmSync(this.#path, { force: true })
  }
}

interface Entry {
  readonly key: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly answer: Answer
}

const lineOf = ({ key, at, answer }: Entry): string => `${JSON.stringify({ key, at, answer })}\n`

const writeError = (path: string, error: unknown): UsageError =>
  new UsageError(
    say`${path} can't be written: ${fileFault(error)}.`,
    'Make room, or name another folder in PAYCTL_STATE_DIR',
  )

/** Skips lines that a killed process or a full disk cut off. */
function entriesIn(path: string): Entry[] {
  const text = readIfThere(path) ?? ''
  return text.split('\n').flatMap((line) => {
    try {
      const entry = JSON.parse(line)
      return typeof entry.key === 'string' && typeof entry.at === 'number' && entry.answer ? [entry] : []
    } catch {
      return []
    }
  })
}

/** Milliseconds for which a file of answers is kept after the last write to it. */
export const longestRun = 7 * 86_400_000

/**
 * Deletes files that were last written more than `longestRun` ago, and returns the folder of saved answers. Returns
 * undefined if the folder can't be written.
 */
export function openAnswerFolder(stateDir: string): string | undefined {
  const folder = join(stateDir, 'lookups')
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch {
    return undefined
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const there = statSync(path, { throwIfNoEntry: false })
    if (there && Date.now() - there.mtimeMs > longestRun) rmSync(path, { recursive: true, force: true })
  }
  return folder
}
