import { InvalidArgumentError } from 'commander'
import { type EventName, eventNames } from '../../contract/event_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { editDistance } from '../../errors/nearest.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Route } from '../../webhooks/routes.ts'
import { type Condition, conditionIn } from '../../webhooks/where.ts'

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
  const near = eventNames.find((event) => editDistance(lower, event) <= 4 || event.split('.')[1] === lower)
  const remedy = near ? `Perhaps you mean ${near}.` : `Give some of: ${eventNames.join(', ')}, or all.`
  throw new InvalidArgumentError(`'${name}' is no event. ${remedy}`)
}

/** A parser of `event=URL`, `a,b=URL`; repeated, the flag adds another route. An event has one at most. */
export function routeList(text: string, before: readonly Route[] = []): readonly Route[] {
  const [, names = '', url = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (url === '') throw new InvalidArgumentError('Give an event and a URL: payment.failed=localhost:3000/failed')
  const events = eventList(names)
  const twice = before.flatMap((route) => route.events).find((event) => events.includes(event))
  if (twice !== undefined) throw new InvalidArgumentError(`${twice} has a route already.`)
  return [...before, { events, url: receiverUrl(url) }]
}

/** A parser of `field=value`; repeated, the flag adds another condition. */
export const conditionList = (text: string, before: readonly Condition[] = []): readonly Condition[] => [
  ...before,
  conditionIn(text),
]

/**
 * A parser of a receiver's URL. Without a scheme it is http: `localhost:3000/hook`. Its errors do not repeat the URL,
 * which may hold a password.
 */
export function receiverUrl(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || /\s/.test(text) || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(
      'That is not the URL of a receiver.',
      'Give an http or https URL like https://example.com/hook',
    )
  }
  if (parsed.username || parsed.password) {
    throw new UsageError(
      'The URL of a receiver must not hold a user name or password.',
      toRun(['webhooks', 'create', '...', '--header', 'X-Secret=@file'], 'A header tells it that a delivery is true'),
    )
  }
  return url
}
