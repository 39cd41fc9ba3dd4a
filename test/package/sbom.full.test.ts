import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { packed } from './packed.ts'

interface Component {
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
  readonly components?: readonly Component[]
}

interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const { payctl, contents } = packed()
const text = readFileSync(join(payctl, 'dist/sbom.cdx.json'), 'utf8')
const bom = JSON.parse(text) as Bom

const fullName = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`)

/** Validation errors of a document; undefined if it is valid. */
async function faultsOf(json: string): Promise<unknown> {
  const faults = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(json)
  return faults ?? undefined
}

describe('the bill of materials', () => {
  it('is CycloneDX, as its own validator says', async () => {
    expect(await faultsOf(text)).toBeUndefined()
    expect(await faultsOf(text.replaceAll('"MIT"', '"MTI"'))).toBeDefined()
  })

  it('names the version that it is of, and is shipped', () => {
    expect(contents).toContain('dist/sbom.cdx.json')
    expect(bom.metadata.component).toMatchObject({ name: 'payctl', version: manifest.version })
  })

  it('names every package whose code is in the library, which says where its code is from', () => {
    const code = readdirSync(join(payctl, 'dist/lib')).map((name) =>
      readFileSync(join(payctl, 'dist/lib', name), 'utf8'),
    )
    const origins = code.join('\n').matchAll(/^\s*\/\/(?:#region)? node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm)
    const names = new Set([...origins].map(([, name]) => name))
    expect(names).toContain('ajv')
    const bundled = bom.components.filter(({ properties }) =>
      properties?.some(({ name, value }) => name === 'cdx:npm:package:bundled' && value === 'true'),
    )
    expect([...names].filter((name) => !bundled.some((each) => fullName(each) === name))).toEqual([])
    expect(bundled.map(fullName)).toEqual(expect.arrayContaining(['commander', 'undici', 'jq-wasm', 'chalk']))
  })

  it('names what is installed with it', () => {
    const names = bom.components.map(fullName)
    expect(names).toEqual(expect.arrayContaining([...Object.keys(manifest.dependencies), 'node-addon-api']))
  })

  it.each([
    ['undici', 'llhttp'],
    ['jq-wasm', 'jq'],
    ['jq-wasm', 'oniguruma'],
    ['better-sqlite3', 'sqlite'],
  ])('names what is inside %s: %s, with its version', (outside, inside) => {
    const parts = bom.components.find((each) => fullName(each) === outside)?.components
    expect(parts).toContainEqual(expect.objectContaining({ name: inside, version: expect.stringMatching(/^\d/) }))
  })

  it('says of everything what has brought it', () => {
    const needed = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const reached = new Set([bom.metadata.component['bom-ref']])
    for (const ref of reached) for (const next of needed.get(ref) ?? []) reached.add(next)
    expect(bom.components.map((each) => each['bom-ref']).filter((ref) => !reached.has(ref))).toEqual([])
  })
})
