import { InvalidArgumentError } from 'commander'
import { type EventName, eventNames } from '../../contract/event_names.ts'

/** A parser of `a,b`, or `all`. Repeated, the flag adds to what it had. */
export function eventList(text: string, before?: readonly EventName[]): readonly EventName[] {
  const names = text.split(',').map((name) => name.trim())
  const found = names.flatMap((name) => (name === 'all' ? eventNames : eventOf(name)))
  return [...new Set([...(before ?? []), ...found])]
}

const isEvent = (name: string): name is EventName => (eventNames as readonly string[]).includes(name)

function eventOf(name: string): EventName {
  const lower = name.toLowerCase()
  if (isEvent(lower)) return lower
  const near = eventNames.find((event) => distance(lower, event) <= 4 || event.split('.')[1] === lower)
  const remedy = near ? `Perhaps you mean ${near}.` : `Give some of: ${eventNames.join(', ')}, or all.`
  throw new InvalidArgumentError(`'${name}' is no event. ${remedy}`)
}

/** How many letters to put in, take out or change to make one word the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1]
    for (const [at, wanted] of [...other].entries()) {
      const change = (row[at] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
