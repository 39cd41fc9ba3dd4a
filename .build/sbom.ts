import { resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import manifest from '../package.json' with { type: 'json' }
import { type Bundled, idOf, installedFolder, read } from './bundled.ts'
import { type Part, vendoredIn } from './vendored.ts'

/**
 * Bill of materials in CycloneDX 1.6 for scanners, which do not find bundled packages in node_modules. It contains no
 * time or serial number, so that equal sources give equal files.
 */
export function sbom(bundled: readonly Bundled[]): object {
  const all = new Map([...installed(), ...bundled.map((each) => [idOf(each), each] as const)])
  const isBundled = new Set(bundled.map(idOf))
  const root = { name: manifest.name, version: manifest.version }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      authors: [{ name: manifest.author }],
      component: { ...component(root, manifest.license), type: 'application', description: manifest.description },
    },
    components: [...all.values()].map((each) => ({
      ...component(each, each.license),
      ...(isBundled.has(idOf(each)) && { properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }),
      ...nested(parts(each), each),
    })),
    dependencies: [
      { ref: purlOf(root), dependsOn: among(all, dependenciesOf(direct, resolve('.'))) },
      ...[...all.values()].map((each) => ({ ref: purlOf(each), dependsOn: among(all, needs(each)) })),
    ],
    compositions: [{ aggregate: 'complete', assemblies: [purlOf(root)] }],
  }
}

const { dependencies, optionalDependencies, devDependencies } = manifest

const direct = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })

const among = (all: ReadonlyMap<string, Bundled>, some: readonly Bundled[]): readonly string[] => [
  ...new Set(some.filter((each) => all.has(idOf(each))).map(purlOf)),
]

/** Packages that npm installs with payctl on this platform, in the versions that the tests use. */
function installed(): Map<string, Bundled> {
  const found = new Map<string, Bundled>()
  const add = (each: Bundled): void => {
    if (found.has(idOf(each))) return
    found.set(idOf(each), each)
    needs(each).forEach(add)
  }
  dependenciesOf(Object.keys({ ...dependencies, ...optionalDependencies }), resolve('.')).forEach(add)
  return found
}

const needs = ({ dependencies, folders }: Bundled): readonly Bundled[] =>
  folders.flatMap((folder) => dependenciesOf(dependencies, folder))

const dependenciesOf = (names: readonly string[], from: string): readonly Bundled[] =>
  names.flatMap((name) => {
    const folder = installedFolder(name, from)
    return folder === undefined ? [] : read(folder)
  })

type Identity = Pick<Bundled, 'name' | 'version'>

function component({ name, version }: Identity, license: string): object {
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = purlOf({ name, version })
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: rest,
    version,
    licenses: licences(license),
    purl,
  }
}

const purlOf = ({ name, version }: Identity): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

const licences = (license: string): object[] =>
  license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }]

/** better-sqlite3 includes a compiled SQLite. */
const parts = (each: Bundled): readonly Part[] =>
  each.name === 'better-sqlite3' ? [sqlite()] : vendoredIn(each).flatMap((entry) => entry.parts)

function sqlite(): Part {
  const version = new Sqlite(':memory:').prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  const purl = `pkg:generic/sqlite@${version}`
  return { name: 'sqlite', version, license: 'blessing', purl, cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*` }
}

function nested(parts: readonly Part[], inside: Identity): object {
  if (parts.length === 0) return {}
  const components = parts.map(({ license, ...part }) => ({
    type: 'library',
    'bom-ref': `${purlOf(inside)}#${part.name}`,
    ...part,
    licenses: licences(license),
  }))
  return { components }
}
