import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { documents } from '../../src/contract/index.ts'
import { openWorld } from '../conformance/targets/inject.ts'

const reference = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8'))

it.each([
  [documents.service.path, 'openapi.json'],
  [documents.emulator.path, 'emulator-openapi.json'],
])('%s is %s, for anybody', async (url, name) => {
  const world = await openWorld({ controlToken: 'secret' })
  const { status, headers, text } = await world.exchange({ method: 'GET', url, headers: {} })
  await world.close()
  expect({ status, type: headers['content-type'], body: JSON.parse(text) }).toEqual({
    status: 200,
    type: expect.stringMatching(/^application\/json\b/),
    body: reference(name),
  })
})

it('a document can only be read', async () => {
  const world = await openWorld()
  const { status, headers } = await world.exchange({ method: 'DELETE', url: documents.service.path, headers: {} })
  await world.close()
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
})
