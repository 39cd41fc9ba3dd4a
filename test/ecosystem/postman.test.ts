import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import service from '../../docs/reference/openapi.json' with { type: 'json' }
import { type EmulateProcess, startEmulate } from '../conformance/targets/payctl_emulate.ts'

const require = createRequire(new URL('generators/', import.meta.url))
const { convertV2 } = require('openapi-to-postmanv2')
const newman = require('newman')

interface Request {
  readonly name: string
  readonly request: { readonly method: string; readonly url: { readonly path: string[]; variable?: Variable[] } }
  event?: object[]
}

interface Variable {
  readonly key: string
  value: string
}

interface Folder {
  readonly name: string
  item: Request[]
}

interface Collection {
  item: Folder[]
}

/** The document as a collection with a folder for each tag, with values from its examples. */
const convert = (document: object): Promise<Collection> =>
  new Promise((resolve, reject) => {
    const options = { folderStrategy: 'Tags', parametersResolution: 'Example', enableOptionalParameters: false }
    convertV2({ type: 'json', data: structuredClone(document) }, options, (error: unknown, result: Converted) =>
      result?.result ? resolve(result.output[0].data) : reject(error ?? new Error(result.reason)),
    )
  })

interface Converted {
  readonly result: boolean
  readonly reason: string
  readonly output: readonly [{ readonly data: Collection }]
}

interface Run {
  readonly failures: readonly object[]
  readonly executions: readonly {
    readonly item: { readonly name: string }
    readonly response: { readonly code: number }
  }[]
}

const run = (collection: Collection, { base_url, token }: EmulateProcess['ready']): Promise<Run> =>
  new Promise((resolve, reject) => {
    const envVar = [
      { key: 'baseUrl', value: base_url },
      { key: 'bearerToken', value: token },
    ]
    newman.run({ collection, envVar }, (error: unknown, summary: { run: Run }) =>
      error ? reject(error) : resolve(summary.run),
    )
  })

/** Saves the id that a request creates, for later requests of its folder with an id in their path. */
function useIds({ name, item }: Folder): void {
  for (const request of item) {
    const keep = `if (pm.response.code === 201) pm.environment.set('${name}', pm.response.json().data.id)`
    request.event = [{ listen: 'test', script: { exec: [keep] } }]
    for (const variable of request.request.url.variable ?? []) {
      if (variable.key === 'id') variable.value = `{{${name}}}`
    }
  }
  item.sort((a, b) => Number(a.request.method === 'DELETE') - Number(b.request.method === 'DELETE'))
}

let emulate: EmulateProcess

beforeAll(async () => {
  emulate = await startEmulate(['--settle', 'manual'])
})

afterAll(() => emulate.stop())

describe('a Postman collection made of the document', () => {
  it('runs green from its examples', async () => {
    const collection = await convert(service)
    collection.item = collection.item.filter(({ name }) => name !== 'oauth')
    expect(collection.item.map(({ name }) => name)).toContain('payments')
    collection.item.forEach(useIds)
    const { failures, executions } = await run(collection, emulate.ready)
    expect(failures).toEqual([])
    expect(executions.length).toBeGreaterThan(18)
    expect(
      executions.filter(({ response }) => response.code > 201).map(({ item, response }) => [item.name, response.code]),
    ).toEqual([])
  })
})
