import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { json, ndjson } from '../../src/output/text_formats.ts'
import { yaml } from '../../src/output/yaml.ts'
import { hostileText, unseen } from './hostile_text.ts'
import { rendered } from './rendered.ts'

/** Invisible characters, except line ends, which belong to the format. */
const harmful = new RegExp(`(?!\\n)(?:${unseen.source})`, 'u')

const object = fc.dictionary(
  hostileText.filter((name) => name !== '__proto__'),
  fc.oneof(hostileText, fc.integer(), fc.boolean(), fc.constant(null), fc.array(hostileText)),
)
const objects = fc.array(object, { maxLength: 4 })

describe('json', () => {
  it('written as a stream is what JSON.stringify gives for the list', async () => {
    const list = [{ a: [1, { b: 'c' }] }, { d: {} }]
    expect(await rendered(json, list, [])).toBe(`${JSON.stringify(list, null, 2)}\n`)
    expect(await rendered(json, [], [])).toBe('[]\n')
  })

  it('is the same data, and safe to show', async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (list) => {
        const text = await rendered(json, list, [])
        expect(JSON.parse(text)).toEqual(list)
        expect(text).not.toMatch(harmful)
      }),
    )
  })
})

describe('yaml of characters beyond 16 bits', () => {
  it('has one escape for each, as other readers want it', () => {
    expect(yaml.record({ name: 'Ana\u{e0041}' }, [])).toBe('name: "Ana\\U000e0041"\n')
  })
})

describe('ndjson', () => {
  it('has a line for each row', async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (list) => {
        const text = await rendered(ndjson, list, [])
        expect(
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
        ).toEqual(list)
        expect(text).not.toMatch(harmful)
      }),
    )
  })
})

describe('yaml', () => {
  it('is the same data, in one document, and safe to show', async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (list) => {
        const text = await rendered(yaml, list, [])
        expect(parseAllDocuments(text)).toHaveLength(1)
        expect(parse(text)).toEqual(list)
        expect(text).not.toMatch(harmful)
        expect(parse(yaml.whole?.(list) ?? '')).toEqual(list)
      }),
    )
  })
})
