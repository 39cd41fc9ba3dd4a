import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import emulator from '../../docs/reference/emulator-openapi.json' with { type: 'json' }
import service from '../../docs/reference/openapi.json' with { type: 'json' }

/** What the recommended rules of Redocly would rather have, and why it is not so. */
const justified = [
  // The answer to the consent form is a redirect, whatever the user says.
  'warn operation-2xx-response at #/paths/~1oauth~1authorize/post/responses',
  // There is nothing to refuse: it takes no input and anybody may ask.
  'warn operation-4xx-response at #/paths/~1_emulator~1health/get/responses',
]

describe.each([
  ['service', service],
  ['emulator', emulator],
])('the document of the %s', (_, document) => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  it('has nothing for Redocly to find', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
    const found = problems.map(
      ({ severity, ruleId, location }) => `${severity} ${ruleId} at ${location[0]?.pointer ?? 'the document'}`,
    )
    expect(found.filter((problem) => !justified.includes(problem))).toEqual([])
  })
})
