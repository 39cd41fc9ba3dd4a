import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import emulator from '../../docs/reference/emulator-openapi.json' with { type: 'json' }
import service from '../../docs/reference/openapi.json' with { type: 'json' }

describe.each([
  ['service', service],
  ['emulator', emulator],
])('the document of the %s', (_, document) => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  it('has nothing for Redocly’s strict rules to find', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
    const found = problems.map(
      ({ severity, ruleId, location }) => `${severity} ${ruleId} at ${location[0]?.pointer ?? 'the document'}`,
    )
    expect(found).toEqual([])
  })
})
