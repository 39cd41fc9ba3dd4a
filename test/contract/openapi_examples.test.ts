import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import emulator from '../../docs/reference/emulator-openapi.json' with { type: 'json' }
import service from '../../docs/reference/openapi.json' with { type: 'json' }

type Json = Readonly<Record<string, unknown>>

interface Found {
  readonly pointer: string
  readonly value: unknown
}

/** Every schema with its examples: a media type may have several examples, a parameter has one. */
function* examplesIn(node: unknown, pointer = ''): Generator<Found> {
  if (typeof node !== 'object' || node === null) return
  const { schema, examples, example } = node as { schema?: Json; examples?: Record<string, Json>; example?: unknown }
  if (schema) {
    for (const { value } of Object.values(examples ?? {})) yield { pointer: `${pointer}/schema`, value }
    if (example !== undefined) yield { pointer: `${pointer}/schema`, value: example }
    return
  }
  for (const [name, member] of Object.entries(node)) {
    yield* examplesIn(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

interface Operation {
  readonly operationId?: string
  readonly responses?: Record<string, { content?: Record<string, Json>; $ref?: string }>
}

/** Each operation with a JSON answer that has no example, followed by the status of that answer. */
function unexemplified({ paths, components }: { paths: object; components: object }): string[] {
  const { responses: shared } = components as { responses: NonNullable<Operation['responses']> }
  const operations: Operation[] = Object.values(paths).flatMap((item) => Object.values(item))
  return operations.flatMap(({ operationId, responses = {} }) =>
    Object.entries(responses)
      .map(([status, answer]) => [status, answer.$ref ? shared[answer.$ref.split('/').at(-1) ?? ''] : answer] as const)
      .filter(([, answer]) => answer?.content?.['application/json'] && !answer.content['application/json'].examples)
      .map(([status]) => `${operationId} ${status}`),
  )
}

/** Answers without an example: the emulator sends them only while it stops or in the middle of a delivery. */
const withoutExample = { service: [], emulator: ['controlHealth 503', 'controlDeliveriesResend 409'] }

describe.each([
  ['service' as const, service],
  ['emulator' as const, emulator],
])('the document of the %s', (name, document) => {
  it('has examples that are valid by its own schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    ajv.addSchema(document, 'document')
    const faults = [...examplesIn(document)].flatMap(({ pointer, value }) => {
      const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}` })
      return validate(value) ? [] : [{ pointer, value, errors: validate.errors }]
    })
    expect(faults).toEqual([])
  })

  it('has an example of every answer', () => {
    expect(unexemplified(document)).toEqual(withoutExample[name])
  })
})

it('every event has an example', () => {
  for (const [name, { post }] of Object.entries(service.webhooks)) {
    expect(post.requestBody.content['application/json'].examples.example.value.event).toBe(name)
  }
})
