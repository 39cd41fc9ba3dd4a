import type { Client } from '../client/client.ts'
import type { RequestGate } from '../client/retry.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import { OtherHolderAnswered } from '../payees/holder.ts'
import { grouped } from '../run/counts.ts'
import type { Reporter } from '../run/reporter.ts'
import { say, type Text } from '../words/text.ts'
import { type Answer, type AnswerFile, type Outcome, outcomeOf } from './answers.ts'
import { type Holder, inOrder } from './lookups.ts'
import type { LookupKindName } from './sheet_columns.ts'

/** Client and settings for looking up the holders of the values in a file. */
export interface HolderSource {
  readonly find: Readonly<Record<LookupKindName, (value: string, client: Client) => Promise<Holder>>>
  readonly client: Client
  readonly gate: RequestGate
  /** Concurrent requests. */
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly reporter: Reporter
}

/** Number of consecutive failures after which the service counts as unavailable. */
const mostFailures = 5

interface Answers {
  /** Receives each answer. */
  readonly answers: Map<string, Answer>
  readonly run: AnswerFile
  readonly cache: AnswerFile | undefined
}

/** Looks up the holder of each key. Returns the number of failed lookups; throws after many consecutive failures. */
export async function askForHolders(
  keys: readonly string[],
  source: HolderSource,
  { answers, run, cache }: Answers,
): Promise<number> {
  const { concurrency, signal, reporter } = source
  const total = keys.length + answers.size
  const counts: Record<Outcome, number> = { found: 0, not_found: 0, invalid: 0, failed: 0 }
  for (const answer of answers.values()) counts[outcomeOf(answer)] += 1
  const ask = asking(source, { run, cache })
  const asked = inOrder(
    keys,
    async (key) => {
      const answer = await ask(key)
      answers.set(key, answer)
      return answer
    },
    { concurrency, signal },
  )
  try {
    for await (const answer of asked) {
      counts[outcomeOf(answer)] += 1
      const done = Object.values(counts).reduce((sum, count) => sum + count)
      reporter.progress({ done, total, detail: inWords(counts) })
    }
  } catch (error) {
    reporter.progress(null)
    if (run.isSaved) {
      const answered = [...answers.values()].filter((answer) => outcomeOf(answer) !== 'failed').length
      reporter.remark(
        say`Stopped with ${grouped(answered)} of ${grouped(total)} answered. Run the command again: it continues from there.`,
      )
    }
    throw error
  }
  return counts.failed
}

const inWords = ({ found, not_found, invalid, failed }: Readonly<Record<Outcome, number>>): Text =>
  [
    say`${grouped(found)} found`,
    say`${grouped(not_found)} not registered`,
    ...(invalid > 0 ? [say`${grouped(invalid)} refused`] : []),
    ...(failed > 0 ? [say`${grouped(failed)} failed`] : []),
  ].reduce((before, one) => say`${before}   ${one}`)

/** A function that looks up one key and saves every answer except failures. Throws after many consecutive failures. */
function asking(
  { client, gate, find }: HolderSource,
  { run, cache }: Omit<Answers, 'answers'>,
): (key: string) => Promise<Answer> {
  let failuresInARow = 0
  return async (key) => {
    await gate.released()
    const [kind, value] = key.split(':') as [LookupKindName, string]
    const row = await find[kind](value, client).then(answerOf, (error: unknown): Answer => {
      const failed = answerOfError(error)
      if (failed.status !== 'failed') return failed
      failuresInARow += 1
      if (failuresInARow >= mostFailures) throw error
      return failed
    })
    if (outcomeOf(row) === 'failed') return row
    failuresInARow = 0
    if (outcomeOf(row) !== 'invalid') await cache?.add(key, row)
    return run.add(key, row)
  }
}

/** The members of a holder that are written to the file; a service may send others, such as `reason`. */
const answerOf = ({ status, name, document_number, currency, entity_name }: Holder): Answer => ({
  status,
  name,
  document_number,
  currency,
  entity_name,
})

/** Answer for a value without a holder, or for a failed lookup. Rethrows errors that concern the run, not the value. */
function answerOfError(error: unknown): Answer {
  if (error instanceof OtherHolderAnswered) return { status: 'failed', reason: error.message }
  if (!(error instanceof ApiError)) throw error
  const { status, message: reason } = error
  if (isServiceAnswer(error, 404)) return { status: 'not_found', reason }
  if (isServiceAnswer(error, 400, 422)) return { status: 'invalid', reason }
  if (status >= 500 || [400, 404, 422].includes(status)) return { status: 'failed', reason }
  throw error
}
