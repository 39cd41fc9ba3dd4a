import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import emulatorDocument from '../../docs/reference/emulator-openapi.json' with { type: 'json' }
import service from '../../docs/reference/openapi.json' with { type: 'json' }
import { type Emulator, startEmulator } from '../../emulator/index.ts'

type Named = Readonly<Record<string, { readonly value: unknown }>>

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: Named }>> }
  readonly responses: Readonly<Record<string, { readonly links?: Readonly<Record<string, Link>> }>>
}

interface Link {
  readonly parameters: Readonly<Record<string, string>>
}

/** An operation with one of its examples. */
interface Example extends Operation {
  readonly method: string
  readonly path: string
  readonly name: string
  readonly body: unknown
}

interface Answer {
  readonly status: number
  readonly body: { readonly data: Readonly<Record<string, unknown>> }
}

function examplesIn(document: { readonly paths: object }): readonly Example[] {
  const items = Object.entries(document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>)
  return items.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { operationId, requestBody } = operation
      const json = requestBody?.content['application/json']
      // Skips the servers of a path, and requests that send a file: no printed example can contain a file.
      if (!operationId || (requestBody && !json)) return []
      const bodies = json?.examples ?? { example: { value: undefined } }
      return Object.entries(bodies).map(([name, { value }]) => ({ ...operation, method, path, name, body: value }))
    }),
  )
}

let emulator: Emulator

beforeEach(async () => {
  emulator = await startEmulator({ settle: 'manual' })
})

afterEach(() => emulator.close())

/** Sends an example unchanged, or with other values in its path. */
async function send({ method, path, parameters = [], body }: Example, values: Record<string, unknown> = {}) {
  const given = parameters.filter(({ example }) => example !== undefined)
  const segment = (name: string): string => String(values[name] ?? given.find((one) => one.name === name)?.example)
  const valuesIn = (place: string) =>
    given
      .filter((one) => one.in === place)
      .flatMap(({ name, example }) => [example].flat().map((value): [string, string] => [name, String(value)]))
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(segment(name))),
    emulator.baseUrl,
  )
  url.search = String(new URLSearchParams(valuesIn('query')))
  const answer = await fetch(url, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...Object.fromEntries(valuesIn('header')),
      Authorization: `Bearer ${emulator.token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  return { status: answer.status, body: isJson ? await answer.json() : {} } as Answer
}

/** For some operations, the operation that is sent first. */
const before: Readonly<Record<string, string>> = {
  webhooksResume: 'webhooksSuspend',
  controlWorldsCreate: 'controlSnapshotsCreate',
}

/** Makes the resource of an example, as a link of the document describes it, then sends the example. */
async function sendPrepared(example: Example, all: readonly Example[]): Promise<Answer> {
  const { operationId } = example
  const maker = all.find(({ responses }) => responses[201]?.links?.[operationId])
  const values: Record<string, unknown> = {}
  if (maker) {
    const { body } = await sendPrepared(maker, all)
    for (const [name, expression] of Object.entries(maker.responses[201]?.links?.[operationId]?.parameters ?? {})) {
      values[name] = body.data[expression.split('/').at(-1) ?? '']
    }
  }
  const first = all.find((one) => one.operationId === before[operationId])
  if (first) await send(first, values)
  return send(example, values)
}

/** Examples whose printed form can't succeed in a new world, and the reason. */
const unprintable: Readonly<Record<string, string>> = {
  oauthToken: 'a code comes back from the consent page once',
  controlClockSet: 'a time that is printed is soon past',
  controlClockAt: 'a time that is printed is soon past',
  controlPageEnter: 'a code of the page is accepted once',
  controlWorldsMoved: 'the world must be exported first',
  controlWait: 'the demo has no payment or delivery to wait for',
}

describe.each([
  ['service', service],
  ['emulator', emulatorDocument],
])('examples of the %s', (name, document) => {
  const all = examplesIn(document).filter(({ operationId }) => !(operationId in unprintable))

  it.each(all.map((example) => [`${example.operationId} ${example.name}`, example] as const))(
    '%s succeeds in a new demo world',
    async (_, example) => {
      const documented = Number(Object.keys(example.responses).find((status) => Number(status) < 400))
      let { status } = await send(example)
      if (status === 404) {
        await emulator.control.reset()
        status = (await sendPrepared(example, all)).status
      }
      // True for examples that may get 404: only requests to the service make their resources, such as payments and
      // deliveries.
      const isMadeElsewhere =
        name === 'emulator' && !all.some(({ responses }) => responses[201]?.links?.[example.operationId])
      expect(isMadeElsewhere ? [documented, 404] : [documented]).toContain(status)
    },
  )
})
