import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Bundled {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

/** The folder of the package a bundled file belongs to, or null for a file of this project. */
function packageFolder(file: string): string | null {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)
  return match?.[1] ?? null
}

function read(folder: string): Bundled {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `By ${author?.name ?? author}; without a file.`
  return { name, version, license, text }
}

/** The licences of all packages whose code is in the bundles, and of what jq.wasm was compiled from, which its package lacks. */
export function notices(files: readonly string[]): string {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== null))
  const packages = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(read)
  const texts = packages
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
  const compiledIn = packages.some(({ name }) => name === 'jq-wasm')
    ? [readFileSync('.build/licences/jq.wasm.txt', 'utf8')]
    : []
  return [...texts, ...compiledIn].join(`\n${'-'.repeat(80)}\n\n`)
}
