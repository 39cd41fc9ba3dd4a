import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundled } from './bundled.ts'

/** Third-party code inside a package. */
export interface Part {
  readonly name: string
  /** Undefined if the package does not state it. */
  readonly version?: string
  /** An SPDX expression. */
  readonly license: string
  readonly purl?: string
  /** Name in security advisories. */
  readonly cpe?: string
}

interface Vendored {
  /** Name of the containing package. */
  readonly inside: string
  /** File that contains the third-party code, and the SHA-256 of the version that was examined. */
  readonly file: string
  readonly sha256: string
  /** Empty if the file contains only a few lines of third-party code. */
  readonly parts: readonly Part[]
  /** File with the licence texts, in .build/licences. */
  readonly text: string
}

/**
 * Third-party code that packages contain but their metadata does not name. If a file has changed, look up the new
 * version in the package's repository.
 */
const vendored: readonly Vendored[] = [
  {
    inside: 'undici',
    file: 'lib/llhttp/llhttp-wasm.js',
    sha256: '5d8313d6fe8145d832e6af9959b2810523c9a6993d5b93cee09bd7e5f1f2c085',
    parts: [
      {
        name: 'llhttp',
        version: '9.3.1',
        license: 'MIT',
        purl: 'pkg:github/nodejs/llhttp@v9.3.1',
        cpe: 'cpe:2.3:a:llhttp:llhttp:9.3.1:*:*:*:*:node.js:*:*',
      },
    ],
    text: 'llhttp.txt',
  },
  {
    inside: 'jq-wasm',
    file: 'dist/build/jq.wasm',
    sha256: '27d493c06601e9cbc7112ef4198ee71a0dc3e9c9a4a1754e73888841da6c450a',
    parts: [
      {
        name: 'jq',
        version: '1.8.2',
        license: 'MIT AND BSD-2-Clause AND dtoa',
        purl: 'pkg:github/jqlang/jq@jq-1.8.2',
        cpe: 'cpe:2.3:a:jqlang:jq:1.8.2:*:*:*:*:*:*:*',
      },
      {
        name: 'oniguruma',
        version: '6.9.10',
        license: 'BSD-2-Clause',
        purl: 'pkg:github/kkos/oniguruma@v6.9.10',
        cpe: 'cpe:2.3:a:oniguruma_project:oniguruma:6.9.10:*:*:*:*:*:*:*',
      },
      { name: 'decNumber', version: '3.68', license: 'ICU' },
      { name: 'musl', license: 'MIT' },
      { name: 'emscripten', license: 'MIT' },
    ],
    text: 'jq.wasm.txt',
  },
  {
    inside: 'fast-querystring',
    file: 'lib/internals/querystring.js',
    sha256: '508ead48cd16547b101a8744b177549320c7d722abc6fd404fc81c9bf22a4e22',
    parts: [],
    text: 'node.txt',
  },
  {
    inside: 'undici',
    file: 'lib/dispatcher/fixed-queue.js',
    sha256: '5d72c9de20e74d2437afc97f9f9e8e202d79983a77d2a598ac9ab1e0a8d0052d',
    parts: [],
    text: 'node.txt',
  },
]

/** Third-party code in a package. Throws if a file differs from the examined version. */
export function vendoredIn({ name, folders }: Bundled): readonly Vendored[] {
  const inside = vendored.filter((entry) => entry.inside === name)
  for (const { file, sha256 } of inside) {
    for (const folder of folders) {
      const found = createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')
      if (found !== sha256)
        throw new Error(`${name}/${file} has changed (${found}): see what it contains, .build/vendored.ts`)
    }
  }
  return inside
}
