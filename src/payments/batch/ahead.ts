import type { Intent } from '../../journal/intent.ts'
import type { Crew } from '../batch_runner.ts'

/** Intents that are marked as sent in one write to disk. A run that is killed leaves no more of them in doubt. */
const groupSize = 64

/** Items of which the intents are marked as sent, until the crew stops. Those it does not get to must be retracted. */
export function* ahead<Item extends { readonly intent: Intent }>(
  items: Iterable<Item>,
  crew: Crew,
): Generator<Item, void> {
  let group: Item[] = []
  for (const item of items) {
    if (crew.stopped) return
    group.push(item)
    if (group.length < groupSize) continue
    yield* marked(group, crew)
    group = []
  }
  yield* marked(group, crew)
}

function* marked<Item extends { readonly intent: Intent }>(group: readonly Item[], crew: Crew): Generator<Item, void> {
  const open = group.filter(({ intent }) => intent.status !== 'settled').map(({ intent }) => intent.id)
  crew.orFail(() => crew.journal.markSentAhead(open))
  for (const item of group) {
    if (crew.stopped) return
    yield item
  }
}
