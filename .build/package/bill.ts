import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import bill from '../../dist/sbom.cdx.json' with { type: 'json' }
import type { Library } from './libraries.ts'
import { keyringFor, nodeLicence } from './npm_packages.ts'
import { type PlatformName, platforms } from './platforms.ts'

// Documents in each package that list its parts: licences, and a bill of materials.

/**
 * Licences of all parts: payctl, the packages bundled with it, better-sqlite3, the keyring's package, and Node with its
 * own parts.
 */
export function licences(platform: PlatformName): string {
  const parts = {
    payctl: readFileSync('LICENSE', 'utf8'),
    'packages bundled with payctl': readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8'),
    'better-sqlite3 (contains SQLite, which is in the public domain)': readFileSync(
      'node_modules/better-sqlite3/LICENSE',
      'utf8',
    ),
    '@napi-rs/keyring': readFileSync('node_modules/@napi-rs/keyring/LICENSE', 'utf8'),
    'libraries in the binary of @napi-rs/keyring': readFileSync(
      join(keyringFor(platform), 'LICENSE.third-party.md'),
      'utf8',
    ),
    [`Node ${process.version}`]: nodeLicence(),
  }
  const line = '='.repeat(80)
  return Object.entries(parts)
    .map(([name, text]) => `${line}\n${name}\n${line}\n\n${text.trim()}\n`)
    .join('\n')
}

/** The bill of materials of payctl's npm package, with the keyring's binary for the given platform. */
function billOfPackage(platform: PlatformName): typeof bill {
  const binary = basename(platforms[platform].keyring)
  return JSON.parse(JSON.stringify(bill).replaceAll(/keyring-(?:linux|darwin|win32)-[\w-]+/g, binary))
}

/**
 * The bill of materials of payctl's npm package, plus Node, the libraries in Node, and the Debian libraries of the
 * image.
 */
export function billOfMaterials(platform: PlatformName, debian: readonly Library[] = []): object {
  const sbom = billOfPackage(platform)
  const { node, ...libraries } = process.versions
  const ref = `pkg:generic/node@${node}`
  const component = {
    type: 'application',
    'bom-ref': ref,
    name: 'node',
    version: node,
    licenses: [{ license: { id: 'MIT' } }],
    purl: ref,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    components: Object.entries(libraries).map(([name, version]) => ({
      type: 'library',
      'bom-ref': `${ref}#${name}`,
      name,
      version,
    })),
  }
  const packages = new Map(debian.map((each) => [each.package, each.version]))
  const besides = [...packages].map(([name, version]) => {
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}`
    return { type: 'library', 'bom-ref': purl, name, version, purl }
  })
  const dependencies = sbom.dependencies.map((each, index) =>
    index === 0 ? { ...each, dependsOn: [...each.dependsOn, ref] } : each,
  )
  return {
    ...sbom,
    components: [...sbom.components, component, ...besides],
    dependencies: [
      ...dependencies,
      { ref, dependsOn: besides.map(({ purl }) => purl) },
      ...besides.map(({ purl }) => ({ ref: purl, dependsOn: [] })),
    ],
  }
}
