import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import emulator from '../../docs/reference/emulator-openapi.json' with { type: 'json' }
import service from '../../docs/reference/openapi.json' with { type: 'json' }

const require = createRequire(new URL('generators/', import.meta.url))
const { Spectral } = require('@stoplight/spectral-core')
const { oas } = require('@stoplight/spectral-rulesets')
const { SwaggerParser } = require('@apidevtools/swagger-parser')

describe.each([
  ['service', service],
  ['emulator', emulator],
])('the document of the %s', (_, document) => {
  it('has nothing for Spectral’s OpenAPI rules to find', async () => {
    const spectral = new Spectral()
    spectral.setRuleset({ extends: [[oas, 'recommended']] })
    expect(await spectral.run(document)).toEqual([])
  })

  it('is valid for Swagger Parser', async () => {
    await expect(SwaggerParser.validate(structuredClone(document))).resolves.toMatchObject({ info: document.info })
  })
})
