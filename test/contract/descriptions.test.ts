import { describe, expect, it } from 'vitest'
import { emulatorDocument, serviceDocument } from '../../src/contract/openapi.ts'

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const service = serviceDocument() as unknown as Document
const emulator = emulatorDocument('1.2.3') as unknown as Document

interface Described {
  /** Place of the description: `Account.iban`. */
  readonly place: string
  readonly description: string
}

const operationsOf = ({ paths, webhooks = {} }: Document): readonly Operation[] =>
  [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
    Object.values(item).filter(({ operationId }) => operationId),
  )

/** Every operation, parameter and member of an object, with its description or the description of its named schema. */
function* partsOf(document: Document): Generator<Described> {
  for (const { operationId, summary, description = '', parameters = [] } of operationsOf(document)) {
    yield { place: operationId, description: description === summary ? '' : description }
    for (const parameter of parameters) {
      yield { place: `${operationId}.${parameter.name}`, description: parameter.description ?? '' }
    }
  }
  const { schemas } = document.components
  for (const [name, schema] of Object.entries(schemas)) yield* membersOf(schema, { place: name, schemas })
  for (const { schema, place } of inlineSchemas(document.paths)) yield* membersOf(schema, { place, schemas })
}

interface Place {
  readonly place: string
  readonly schemas: Document['components']['schemas']
}

function* membersOf(schema: Schema, { place, schemas }: Place): Generator<Described> {
  const { properties = {}, anyOf = [], allOf = [], items } = schema
  for (const [name, member] of Object.entries(properties)) {
    const at = `${place}.${name}`
    yield { place: at, description: descriptionOf(member, schemas) }
    yield* membersOf(member, { place: at, schemas })
  }
  for (const branch of [...anyOf, ...allOf, ...(items ? [items] : [])]) yield* membersOf(branch, { place, schemas })
}

function descriptionOf({ description, $ref, anyOf = [] }: Schema, schemas: Place['schemas']): string {
  if (description) return description
  const named = $ref && schemas[$ref.split('/').at(-1) ?? '']
  if (named) return descriptionOf(named, schemas)
  return anyOf.map((branch) => descriptionOf(branch, schemas)).find(Boolean) ?? ''
}

/** The schemas of requests and answers, with their paths. */
function* inlineSchemas(node: unknown, place = ''): Generator<{ schema: Schema; place: string }> {
  if (typeof node !== 'object' || node === null) return
  for (const [name, member] of Object.entries(node)) {
    if (name === 'examples' || name === 'parameters') continue
    if (name === 'schema') yield { schema: member as Schema, place }
    else yield* inlineSchemas(member, `${place}/${name}`)
  }
}

const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !['a', 'an', 'the', 'of', 'its', 'this'].includes(word))

/** True if the name contains every word of its description. */
function repeatsName({ place, description }: Described): boolean {
  const name = new Set(wordsOf(place))
  return wordsOf(description).every((word) => name.has(word))
}

describe.each([
  ['service', service],
  ['emulator', emulator],
])('the document of the %s', (_, document) => {
  const parts = [...partsOf(document)]

  it('describes every operation, parameter and property', () => {
    expect(parts.length).toBeGreaterThan(200)
    expect(parts.filter(({ description }) => description === '').map(({ place }) => place)).toEqual([])
  })

  it('says more than the name', () => {
    expect(parts.filter(repeatsName).map(({ place, description }) => `${place}: ${description}`)).toEqual([])
  })
})
