import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { referenceFiles } from '../../.build/reference.ts'

const folder = new URL('../../docs/reference/', import.meta.url)
const files = await referenceFiles()

describe('docs/reference', () => {
  it.each(Object.entries(files))('%s is what npm run docs writes', (name, text) => {
    expect(readFileSync(new URL(name, folder), 'utf8')).toBe(text)
  })

  it('holds nothing that is written by hand', () => {
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(files).toSorted())
  })
})
