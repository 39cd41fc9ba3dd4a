import { optionSchemas } from '../src/contract/index.ts'
import { endOfTime } from './clock.ts'
import { isEndless } from './domain/maintenance.ts'
import { timeOf } from './domain/time.ts'
import { type EmulatorOptions, EmulatorRefusal } from './options.ts'

// Checks emulator options at run time: not all callers have types.

/**
 * Keywords of JSON Schema that the schema of options uses. payctl checks them without ajv, which would have to load and
 * compile the schema at every start.
 */
interface OptionSchema {
  readonly type?: string
  readonly anyOf?: readonly OptionSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: OptionSchema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: false
  /**
   * Noun phrase for messages: "The option port takes …". `x-flag`: noun phrase for messages about a command line, if
   * the flag's value is written differently from the option's value.
   */
  readonly description?: string
  readonly 'x-flag'?: string
  readonly 'x-secret'?: true
}

const schemas: Readonly<Record<keyof EmulatorOptions, OptionSchema>> = optionSchemas
const optionNames: readonly (keyof EmulatorOptions)[] = Object.keys(optionSchemas) as (keyof typeof optionSchemas)[]

/** Options that exclude each other, and why. */
const exclusive: readonly (readonly [keyof EmulatorOptions, keyof EmulatorOptions, string])[] = [
  ['data', 'worlds', 'The first keeps the default world in a file, the second keeps all worlds in a folder.'],
  ['socket', 'port', 'A socket has its own port.'],
  ['socket', 'host', 'A socket has its own address.'],
  ['seed', 'seedFile', 'A seed file can extend the demo.'],
  ['teams', 'rngSeed', 'Anyone who knows the seed knows the secrets of every team.'],
  ['teams', 'oauthClients', 'Every team would know the OAuth clients of the other teams.'],
]

/** Throws EmulatorRefusal for unknown options, wrong values, and options that exclude each other. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new EmulatorRefusal(
      `startEmulator takes an options object, but got ${shown(options)}.`,
      'Give {}, or nothing.',
    )
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    const option = optionNames.find((known) => known === name)
    if (option === undefined) throw unknownOption(name, 'startEmulator', optionNames)
    const { description, 'x-flag': forFlag = description } = schemas[option]
    const got = faultIn(schemas[option], value, '') ?? ruleFault(option, value)
    if (got === null) continue
    throw new EmulatorRefusal(
      (named, caller) =>
        `The option ${named(option)} takes ${caller === 'program' ? description : forFlag}, but got ${got}.`,
      (named) => `Change it, or leave ${named(option)} out.`,
    )
  }
  const names = new Set(given.map(([name]) => name))
  if (names.has('host') && (options as EmulatorOptions).port === false) {
    throw new EmulatorRefusal('An emulator without a port does not listen on any address.', 'Leave port or host out.')
  }
  if (names.has('auditLog') && !names.has('teams')) {
    throw new EmulatorRefusal(
      (named) => `The option ${named('auditLog')} needs ${named('teams')}: the audit log names the key of each call.`,
      (named) => `Give ${named('teams')}, or leave ${named('auditLog')} out.`,
    )
  }
  for (const [one, other, why] of exclusive) {
    if (!names.has(one) || !names.has(other)) continue
    throw new EmulatorRefusal(
      (named) => `The options ${named(one)} and ${named(other)} exclude each other. ${why}`,
      (named) => `Leave ${named(one)} or ${named(other)} out.`,
    )
  }
}

/**
 * Describes the part of a value that its schema does not allow; null: none. `place`: path of the value within the
 * option, such as `[0].id`; empty for the whole option.
 */
function faultIn(schema: OptionSchema, value: unknown, place: string): string | null {
  const { anyOf, type, items, minItems = 0, properties, required = [] } = schema
  if (anyOf) {
    const branches = anyOf.flatMap((branch) => branch.anyOf ?? [branch])
    if (branches.some((branch) => faultIn(branch, value, place) === null)) return null
    const closest = closestTo(value, branches)
    return closest ? faultIn(closest, value, place) : at(place, shown(value))
  }
  const text = typeof value === 'string' ? value : undefined
  const number = typeof value === 'number' ? value : undefined
  const isAllowed =
    (type === undefined || type === typeOf(value) || (type === 'number' && typeOf(value) === 'integer')) &&
    (schema.const === undefined || schema.const === value) &&
    (schema.enum === undefined || schema.enum.includes(value)) &&
    (number === undefined || (number >= (schema.minimum ?? number) && number <= (schema.maximum ?? number))) &&
    (text === undefined ||
      (text.length >= (schema.minLength ?? 0) && text.length <= (schema.maxLength ?? text.length))) &&
    (text === undefined || schema.pattern === undefined || new RegExp(schema.pattern).test(text)) &&
    (!Array.isArray(value) || value.length >= minItems)
  if (!isAllowed) return at(place, schema['x-secret'] && text ? 'another string' : shown(value))
  if (Array.isArray(value)) return first(value, (item, index) => items && faultIn(items, item, `${place}[${index}]`))
  if (properties === undefined) return null
  const members = value as Readonly<Record<string, unknown>>
  const missing = required.find((name) => members[name] === undefined)
  if (missing !== undefined) return within(place, `no ${missing}`)
  return first(Object.entries(members), ([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known) return member === undefined ? null : faultIn(known, member, place === '' ? name : `${place}.${name}`)
    return schema.additionalProperties === false ? within(place, `another member, ${shown(name)}`) : null
  })
}

/**
 * The branch that shares the most members with an object; undefined if `value` is not an object or no branch allows
 * objects.
 */
function closestTo(value: unknown, branches: readonly OptionSchema[]): OptionSchema | undefined {
  if (typeOf(value) !== 'object') return undefined
  const members = Object.keys(value as object)
  const unknown = ({ properties = {} }: OptionSchema) =>
    members.filter((name) => !Object.hasOwn(properties, name)).length
  return branches
    .filter(({ type }) => type === 'object')
    .toSorted((one, other) => unknown(other) - unknown(one))
    .at(-1)
}

const at = (place: string, what: string): string => (place === '' ? what : `${what} as ${place}`)
const within = (place: string, what: string): string => (place === '' ? what : `${what} in ${place}`)

/** The first fault among the items; null: no item has a fault. */
function first<Item>(
  all: readonly Item[],
  faultOf: (item: Item, index: number) => string | null | undefined,
): string | null {
  for (const [index, item] of all.entries()) {
    const fault = faultOf(item, index)
    if (fault != null) return fault
  }
  return null
}

/** Checks a value that its schema allows against the rules that a schema can't express. */
function ruleFault(option: keyof EmulatorOptions, value: unknown): string | null {
  const given: EmulatorOptions = { [option]: value }
  const { publicUrl, clock, settle, maintenance = {}, oauthClients = [] } = given
  if (publicUrl !== undefined) {
    const { protocol = '', username, password, search, hash } = URL.parse(publicUrl) ?? {}
    if (username || password) return 'one with a user name or password'
    if (!/^https?:$/.test(protocol) || search || hash) return shown(publicUrl)
  }
  if (clock !== undefined && clock !== 'running' && !(timeOf(clock) <= endOfTime)) return shown(clock)
  const times = Object.entries(typeof settle === 'object' && !('from' in settle) ? settle : { '': settle })
  const wrongRange = first(times, ([rail, time]) =>
    typeof time === 'object' && time.from > time.to
      ? at(rail, `a range whose from (${time.from}) is larger than its to (${time.to})`)
      : null,
  )
  const endless = Object.entries(maintenance).find(([, windows]) => windows && isEndless(windows))
  if (endless) return at(endless[0], 'windows that cover the whole week')
  const ids = oauthClients.map(({ id }) => id)
  return (
    wrongRange ??
    first(oauthClients, ({ id, redirectUris }, index) => {
      if (id === 'payctl' || ids.indexOf(id) < index) return at(`[${index}].id`, shown(id))
      const wrong = redirectUris.findIndex((uri) => !URL.canParse(uri))
      return wrong < 0 ? null : at(`[${index}].redirectUris[${wrong}]`, shown(redirectUris[wrong]))
    })
  )
}

/**
 * Refusal of an unknown option. Suggests an option of `known` whose name is nearly the same, or else lists all options.
 */
export function unknownOption(name: string, taker: string, known: readonly string[]): EmulatorRefusal {
  const letters = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, '')
  const meant =
    known.find((option) => letters(option) === letters(name)) ??
    known.find((option) => letters(option).slice(0, 4) === letters(name).slice(0, 4))
  return new EmulatorRefusal(
    `${taker} has no option ${shown(name)}.`,
    meant ? `Did you mean ${meant}?` : `The options are ${known.join(', ')}.`,
  )
}

/** Name of a value's type in JSON Schema, or of its JavaScript type if JSON has no such values. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isSafeInteger(value) ? 'integer' : typeof value
}

/** Maximum length of a value in a message, in characters. */
const maxShownLength = 60

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, maxShownLength)}'`
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, maxShownLength)
}
