import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import schema from '../../docs/reference/seed-file.schema.json' with { type: 'json' }

const guide = readFileSync(new URL('../../docs/guide/seeds.md', import.meta.url), 'utf8')
const [, example = ''] = /```yaml\n(# yaml-language-server[\s\S]*?)```/.exec(guide) ?? []

const ajv = new Ajv2020({ allErrors: true, strict: false })
formats.default(ajv)
const validate = ajv.compile(schema)

describe('the JSON Schema of seed files', () => {
  it('takes the example of the guide, and refuses what is misspelt', () => {
    expect(validate(parse(example))).toBe(true)
    expect(validate({ account: [] })).toBe(false)
    expect(validate({ accounts: [{ balance: 1500.25 }] })).toBe(false)
  })

  it('is in the package', () => {
    const file = createRequire(import.meta.url).resolve('payctl/seed-file.schema.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema)
  })

  it('describes each list, and each field with a separate meaning', () => {
    for (const list of Object.values(schema.properties)) expect(list).toHaveProperty('description')
  })
})
