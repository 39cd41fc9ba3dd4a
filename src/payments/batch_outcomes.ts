import type { Intent } from '../journal/intent.ts'
import { ahead } from './batch/ahead.ts'
import { awaitEnds, isOnItsWay, type Numbered } from './batch/await_ends.ts'
import { concurrently } from './batch/concurrently.ts'
import type { Crew } from './batch_runner.ts'

interface Sending {
  /** The batch's rows, in the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  readonly concurrency: number
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait: number | undefined
}

/** Sends what is not sent yet and yields each intent once, as soon as it is known what became of it. */
export async function* outcomes(crew: Crew, sending: Sending): AsyncGenerator<Intent, void> {
  const told = new Uint8Array(sending.total) // a flag for each row: all that is kept of it
  const isLeft = ({ intent }: Numbered) => sending.wait !== undefined && isOnItsWay(intent)
  for await (const row of sent(crew, sending)) {
    if (isLeft(row)) continue
    told[row.number] = 1
    yield row.intent
  }
  if (sending.wait === undefined) return
  const pending = function* () {
    for (const row of numbered(sending.intents(), crew)) {
      if (!told[row.number] && row.intent.status === 'settled') yield row
    }
  }
  for await (const row of awaitEnds(crew, { pending, concurrency: sending.concurrency, timeout: sending.wait })) {
    told[row.number] = 1
    yield row.intent
  }
}

async function* sent(crew: Crew, { intents, concurrency }: Sending): AsyncGenerator<Numbered, void> {
  const suspects: Numbered[] = []
  const send = async ({ intent, number }: Numbered) => ({ intent: await crew.send(intent), number })
  for await (const row of concurrently(ahead(numbered(intents(), crew), crew), concurrency, send)) {
    if (crew.suspects.has(row.intent)) suspects.push(row)
    else yield row
  }
  crew.orFail(() => crew.journal.retract())
  await crew.clearSuspects()
  for (const { intent, number } of suspects) yield { intent: crew.reread(intent), number }
}

/** Ends early, and stops the crew, when they can't be read any more. */
function* numbered(intents: Iterable<Intent>, crew: Crew): Generator<Numbered, void> {
  let number = 0
  const source = intents[Symbol.iterator]()
  for (let next = crew.orFail(() => source.next()); next && !next.done; next = crew.orFail(() => source.next())) {
    yield { intent: next.value, number: number++ }
  }
}
