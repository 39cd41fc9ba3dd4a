import {
  type Breach,
  type BreachKind,
  type Channel,
  type Endpoint,
  endpoints,
  type SendPaymentBody,
} from '../../src/contract/index.ts'
import { defaultDescriptions } from '../domain/initiate.ts'
import { InvalidRequest, Refusal } from '../domain/refusal.ts'
import type { Request } from '../http/message.ts'

type PlainKind = Exclude<BreachKind, 'invalid' | 'unknown_member' | 'key_reused'>

const inWords: Readonly<Record<PlainKind, string>> = {
  unknown_path: 'there is no such path',
  wrong_method: 'the path has no such method',
  media_type: 'the media type of the body is not one that the endpoint takes',
  too_large: 'the body is over 1 MiB',
  malformed: 'the body, or the path, can’t be read',
  missing_key: 'a payment has to have a key',
}

/** Breaches of the contract by a request that was handled. They never repeat values of the request. */
export function breachesOf(request: Request): readonly Breach[] {
  const { error, differs } = request.notes
  const breaches: Breach[] = []
  if (error instanceof InvalidRequest) breaches.push(...invalidIn(request, error))
  else if (error instanceof Refusal) {
    const kind = kindOf(request, error)
    if (kind) breaches.push({ kind, what: inWords[kind] })
  }
  const row = rowOf(request)
  if (!row) return breaches
  const unknown = unknownMembers(row, request)
  if (unknown.length > 0) breaches.push({ kind: 'unknown_member', what: `${listed(unknown)}: not known, and ignored` })
  if (differs.length > 0) {
    const what = `its key was used before, with another ${differs.join(', ')}: no payment was made`
    breaches.push({ kind: 'key_reused', what })
  }
  return breaches
}

/** Null for a fault on purpose: the request is not to blame. */
function kindOf({ route, fault }: Request, { status }: Refusal): PlainKind | undefined {
  if (fault !== null) return undefined
  if (status === 413) return 'too_large'
  if (status === 415) return 'media_type'
  if (status === 400) return 'malformed'
  if (status === 405) return 'wrong_method'
  return route === null && status === 404 ? 'unknown_path' : undefined
}

function invalidIn({ headers }: Request, { status, errors }: InvalidRequest): Breach[] {
  return Object.entries(errors)
    .slice(0, repeated.names)
    .map(([field, messages]) => {
      if (status === 400 && !headers[field.toLowerCase()]) return { kind: 'missing_key', what: inWords.missing_key }
      return { kind: 'invalid', what: `${field}: ${[messages].flat().join(' ')}` }
    })
}

const rows: Readonly<Record<string, Endpoint>> = endpoints

/** Row of the service's table. OAuth requests have none here, because OAuth wants unknown parameters ignored. */
export const rowOf = ({ route }: Request): Endpoint | undefined => rows[route?.endpoint ?? '']

/** Number of names that a breach lists, and characters of each. */
const repeated = { names: 5, length: 40 }

function listed(names: readonly string[]): string {
  const shown = names.slice(0, repeated.names).map((name) => name.slice(0, repeated.length))
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function unknownMembers({ body: bodySchema, query: querySchema }: Endpoint, { body, query }: Request): string[] {
  const unknown: string[] = []
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  const collect = (values: object, known: object) => {
    for (const name in values) if (!Object.hasOwn(known, name)) unknown.push(name)
  }
  if (bodySchema) collect(members, bodySchema.properties)
  collect(query as object, querySchema?.properties ?? {})
  return unknown
}

/** First answer to a key, reduced to the members that a request contains too. */
interface FirstAnswer {
  readonly channel: Channel
  readonly source_account_id: string
  readonly recipient_iban: string | null
  readonly recipient_phone: string | null
  readonly amount: { readonly value: number }
  readonly description: string
}

/** Members of a request with a used key that differ from the first request with the key. */
export function differences(body: unknown, first: FirstAnswer): readonly string[] {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Partial<SendPaymentBody>
  const last8 = (phone: unknown) => String(phone ?? '').slice(-8)
  return Object.entries({
    source_account_id: String(given.source_account_id).toLowerCase() === first.source_account_id,
    amount: given.amount === first.amount.value,
    recipient:
      first.recipient_phone === null
        ? given.recipient_iban === first.recipient_iban
        : last8(given.recipient_phone) === last8(first.recipient_phone),
    description: (given.description ?? defaultDescriptions[first.channel]) === first.description,
  }).flatMap(([name, same]) => (same ? [] : [name]))
}
