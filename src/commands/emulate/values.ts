import { InvalidArgumentError } from 'commander'
import type { RailSettle, Settle } from '../../../emulator/index.ts'
import { emulatedDuration, instant } from '../../cli/arguments.ts'
import { isEmulatorName } from '../../config/emulator_label.ts'
import { chaosProfileNames, maintenancePattern, providerPattern } from '../../contract/emulator_names.ts'
import { ownHeaderPattern } from '../../contract/headers.ts'
import { channels } from '../../contract/payment_names.ts'
import type { Channel } from '../../contract/schemas/payment.ts'

/**
 * Checks the name of a chaos profile, or of a file that contains one. Refuses an empty name, which comes from an unset
 * variable.
 */
export function chaosProfile(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError(`Give ${chaosProfileNames.join(', ')}, or a YAML file.`)
}

/** Name for `--emulator=<name>`. */
export function emulatorName(text: string): string {
  if (isEmulatorName(text)) return text
  throw new InvalidArgumentError(
    'Give 1 to 63 lower case letters, digits, dots, dashes and underscores, not only digits.',
  )
}

/** Parses the clock of new worlds: the time of a frozen clock, or `running`. */
export const clockStart = (text: string): string => (text === 'running' ? text : instant(text))

/**
 * Parses the settlement time of payments: `instant`, `manual`, `1s`, `3s..15s`, or by rail
 * `pin=5s,sinpe_movil=3s..15s`. Durations become milliseconds.
 */
export function settle(text: string): Settle {
  if (!text.includes('=')) return railSettle(text)
  const times = new Map<Channel, RailSettle>()
  for (const part of text.split(',')) {
    const [name, time = '', ...others] = part.split('=')
    const rail = channels.find((known) => known === name)
    if (!rail || others.length > 0) {
      throw new InvalidArgumentError(`Give each rail (${channels.join(', ')}) its time, not ${part}.`)
    }
    if (times.has(rail)) throw new InvalidArgumentError(`The rail ${rail} is there twice.`)
    times.set(rail, railSettle(time))
  }
  return Object.fromEntries(times)
}

function railSettle(text: string): RailSettle {
  if (text === 'manual' || text === 'instant') return text
  const [first = '', last, ...others] = text.split('..')
  const from = emulatedDuration(first)
  if (last === undefined) return from
  const to = emulatedDuration(last)
  if (others.length > 0) throw new InvalidArgumentError('Give a range with two ends: 3s..15s.')
  if (from <= to) return { from, to }
  throw new InvalidArgumentError(`The range ends before it begins: write ${last}..${first}.`)
}

/** Parses a rate limit, in requests a minute. */
export function rateLimit(text: string): number | 'off' {
  if (text === 'off') return text
  const [, number] = /^([1-9]\d{0,8})(?:\/min)?$/.exec(text) ?? []
  if (number !== undefined) return Number(number)
  throw new InvalidArgumentError('Give requests a minute like 60/min, or off.')
}

/** Parses a window in which a rail is offline, in Costa Rica's time. */
export function maintenanceWindow(text: string): string {
  const window = text.trim().toLowerCase()
  if (new RegExp(maintenancePattern).test(window)) return window
  throw new InvalidArgumentError(
    'Give a window in Costa Rica’s time like 02:00-04:00, "sun 22:00-23:30" or "mon-fri 23:30-01:00".',
  )
}

type MaintenanceByRail = Readonly<Partial<Record<Channel, readonly string[]>>>

/** Adds a window like `pin=02:00-04:00` to the earlier windows. */
export function railMaintenance(text: string, before: MaintenanceByRail = {}): MaintenanceByRail {
  const [, name, window] = /^([a-z_]+)=(.+)$/.exec(text) ?? []
  const rail = channels.find((channel) => channel === name)
  if (rail === undefined || window === undefined) {
    throw new InvalidArgumentError(`Give a rail, ${channels.join(' or ')}, and a window: pin=02:00-04:00.`)
  }
  return { ...before, [rail]: [...(before[rail] ?? []), maintenanceWindow(window)] }
}

/** Checks the name of a rate provider, which is one segment of an endpoint's path. */
export function providerName(text: string): string {
  if (new RegExp(providerPattern).test(text)) return text
  throw new InvalidArgumentError('Give a name of lower case letters, digits and underscores.')
}

/** An OAuth client, as an option of the emulator. */
interface NamedClient {
  readonly id: string
  readonly secret?: string
  readonly redirectUris: readonly string[]
}

/**
 * Adds a client like `shop:secret@https://shop.example/callback`, or without a secret `wallet@com.example:/callback`,
 * to the earlier clients. Further redirect URIs follow after spaces. In id and secret `%3A` is a colon, `%40` an at
 * sign, `%25` a percent sign.
 */
export function oauthClient(text: string, before: readonly NamedClient[] = []): readonly NamedClient[] {
  const [, name = '', uris = ''] = /^([^@]+)@(.+)$/.exec(text) ?? []
  const [, id, secret] = /^([^:]+)(?::(.+))?$/.exec(name)?.map(decoded) ?? []
  const redirectUris = uris.split(' ').filter((uri) => uri !== '')
  if (!id || redirectUris.length === 0) {
    throw new InvalidArgumentError('Give id:secret@redirect-uri, or id@redirect-uri for a client without a secret.')
  }
  if (before.some((client) => client.id === id)) {
    throw new InvalidArgumentError('The id is given twice. Separate the redirect URIs of one client by spaces.')
  }
  return [...before, { id, redirectUris, ...(secret !== undefined && { secret }) }]
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text)
  } catch {
    throw new InvalidArgumentError('Write a percent sign in id or secret as %25.')
  }
}

/** Checks the name of the header that carries the signatures of deliveries. */
export function headerName(text: string): string {
  if (new RegExp(ownHeaderPattern).test(text)) return text
  throw new InvalidArgumentError('Give the name of a header that is not reserved, like X-Signature.')
}
