import { InvalidArgumentError } from 'commander'
import type { Context, Input } from '../../cli/command.ts'
import { isLoopback } from '../../client/base_url.ts'
import { type EventName, eventNames } from '../../contract/event_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { editDistance } from '../../errors/nearest.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Route, Signing } from '../../webhooks/forward.ts'
import { type Condition, conditionIn } from '../../webhooks/where.ts'
import { headerName } from '../emulate/values.ts'

/** Parses `a,b` or `all`. A repeated flag adds to the earlier events. */
export function eventList(text: string, before?: readonly EventName[]): readonly EventName[] {
  const names = text.split(',').map((name) => name.trim())
  const found = names.flatMap((name) => (name === 'all' ? eventNames : eventOf(name)))
  return [...new Set([...(before ?? []), ...found])]
}

function eventOf(name: string): EventName {
  const lower = name.toLowerCase()
  const event = eventNames.find((one) => one === lower)
  if (event) return event
  const near = eventNames.find((event) => editDistance(lower, event) <= 4 || event.split('.')[1] === lower)
  const remedy = near ? `Perhaps you mean ${near}.` : `Events are: ${eventNames.join(', ')}, or all.`
  throw new InvalidArgumentError(`Event '${name}' does not exist. ${remedy}`)
}

/** Parses `event=URL` or `a,b=URL`. A repeated flag adds a route; an event has at most one route. */
export function routeList(text: string, before: readonly Route[] = []): readonly Route[] {
  const [, names = '', url = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (url === '') throw new InvalidArgumentError('Give an event and a URL: payment.failed=localhost:3000/failed')
  const events = eventList(names)
  const twice = before.flatMap((route) => route.events).find((event) => events.includes(event))
  if (twice !== undefined) throw new InvalidArgumentError(`${twice} already has a route.`)
  return [...before, { events, url: receiverUrl(url) }]
}

export const conditionList = (text: string, before: readonly Condition[] = []): readonly Condition[] => [
  ...before,
  conditionIn(text),
]

/**
 * Parses a receiver's URL. The default scheme is http: `localhost:3000/hook`. A URL without a host means a port on this
 * machine: `3000`, `:3000/hook`. Errors do not repeat the URL, which may contain a password.
 */
export function receiverUrl(text: string): string {
  const url = completed(text)
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || /\s/.test(text) || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(
      'This is not the URL of a receiver.',
      'Give an http or https URL like https://example.com/hook, or a port of this machine like 3000/hook',
    )
  }
  if (parsed.username || parsed.password) {
    throw new UsageError(
      'The URL of a receiver must not contain a user name or password.',
      toRun(['webhooks', 'create', '...', '--header', 'X-Secret=@file'], 'A header proves that a delivery is genuine'),
    )
  }
  requireHost(url, parsed)
  return url
}

function completed(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text
  const [, port, rest = ''] = /^:?(\d{1,5})([/?].*)?$/s.exec(text) ?? []
  return port === undefined ? `http://${text}` : `http://localhost:${port}${rest}`
}

/** Throws UsageError for a number that URL parsers read as an address: 3900 would be 0.0.15.60. */
function requireHost(url: string, { hostname }: URL): void {
  if (!/^\d+(\.\d+){3}$/.test(hostname)) return
  const [, typed] = /^[^:]+:\/\/([^:/?#]*)/.exec(url) ?? []
  if (typed === hostname && (hostname === '0.0.0.0' || !hostname.startsWith('0.'))) return
  throw new UsageError(
    `The host of the URL is not a host name: it would be read as the address ${hostname}.`,
    'Give a host name or an IPv4 address, or a port of this machine like 3000/hook',
  )
}

/** Warns of deliveries over plain http to another machine: they contain names and IBANs. */
export function warnOfPlainHttp(urls: readonly (string | undefined)[], { output }: Pick<Context, 'output'>): void {
  const hosts = urls.filter((url) => url?.startsWith('http:') && !isLoopback(url)).map((url) => new URL(url ?? '').host)
  for (const host of new Set(hosts)) {
    output.note(`Deliveries go to ${host} over http: names and IBANs can be read on the way. Use https.`)
  }
}

/** Signing flags of a command that posts deliveries. */
export const signingFlags = {
  '--secret-file <file>': {
    about: 'sign deliveries with the secret in this file\nuse the secret of the receiver’s subscription',
    of: 'file',
  },
  '--signature-header <name>': { about: 'header that carries the signature, with --secret-file', parse: headerName },
} as const

type SigningFlags = Input<Record<never, never>, typeof signingFlags>

/**
 * Signature options; undefined: deliveries keep their headers. Throws a UsageError if only one of the two flags is
 * given.
 */
export async function signingOf({ secretFile, signatureHeader: header }: SigningFlags): Promise<Signing | undefined> {
  if (secretFile === undefined && header === undefined) return undefined
  if (secretFile === undefined || header === undefined) {
    throw new UsageError(
      'A signature needs a secret and a header.',
      'Give both: --secret-file hook.secret --signature-header X-Signature',
    )
  }
  const { secretFromFile } = await import('../../cli/secret_input.ts')
  return { header, secret: await secretFromFile(secretFile, '--secret-file') }
}
