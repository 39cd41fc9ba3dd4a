import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import manifest from '../package.json' with { type: 'json' }

/**
 * Writes the declarations that the package's entries use; other declarations would refer to packages that are not
 * installed. Returns the names of the declared classes.
 */
export function declare(outDir: string): ReadonlySet<string> {
  const tsc = spawnSync('node_modules/.bin/tsc', ['-p', '.build/declarations.json', '--outDir', outDir], {
    stdio: 'inherit',
  })
  if (tsc.status !== 0) throw new Error('The declarations could not be written.')
  const { '.': client, './emulator': emulator, './jest': jest, './msw': msw, './vitest': vitest } = manifest.exports
  const reached = new Set<string>()
  for (const { types } of [client.import, emulator.import, jest.import, msw.import, vitest])
    reach(resolve(types.replace('./dist/types', outDir)), reached)
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    const file = resolve(join(outDir, name))
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
  }
  const texts = [...reached].map((file) => readFileSync(file, 'utf8'))
  return new Set(
    texts.flatMap((text) => Array.from(text.matchAll(/^export declare class (\w+)/gm), ([, name]) => name ?? '')),
  )
}

function reach(file: string, reached: Set<string>): void {
  if (reached.has(file)) return
  reached.add(file)
  const { module } = parseSync(file, readFileSync(file, 'utf8'))
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ]
  for (const request of requests.filter((name) => name.startsWith('.'))) {
    reach(resolve(dirname(file), request.replace(/\.(ts|js)$/, '.d.ts')), reached)
  }
}

/** An entry of the library that is built as CommonJS. */
interface LibraryEntry {
  /** File name without extension. */
  readonly name: string
  /** Exported values. */
  readonly values: readonly string[]
}

/**
 * Paths of the declarations that `tsc` writes, by entry. Entries that are missing here have no declarations, because
 * Jest loads them by path.
 */
const declarations: Readonly<Record<string, string>> = {
  index: './src/index.ts',
  emulator: './src/testing/index.ts',
  jest: './src/testing/jest.ts',
  msw: './src/testing/msw.ts',
}

/**
 * For each entry with declarations, writes the ES module and the declarations for CommonJS. An ES module loads the
 * CommonJS build: two builds would have separate error classes, and `instanceof` would fail in a project that loads both.
 */
export function writeEntries(dist: string, entries: readonly LibraryEntry[], classes: ReadonlySet<string>): void {
  for (const { name, values } of entries.filter(({ name }) => Object.hasOwn(declarations, name))) {
    const module = `import library from './${name}.cjs'\nexport const { ${values.join(', ')} } = library\n`
    writeFileSync(join(dist, 'lib', `${name}.js`), module)
    writeDeclarations(dist, name, values, classes)
  }
}

/** Writes the declarations of an entry for CommonJS. */
export function writeDeclarations(
  dist: string,
  name: string,
  values: readonly string[],
  classes: ReadonlySet<string>,
): void {
  writeFileSync(join(dist, 'types', `${name}.d.cts`), declared(name, values, classes))
}

/**
 * The declarations of payctl and typebox belong to ES modules: a CommonJS declaration can import only types from them.
 */
function declared(name: string, values: readonly string[], classes: ReadonlySet<string>): string {
  const from = `from '${declarations[name]}' with { 'resolution-mode': 'import' }`
  return [
    `import type * as library ${from}`,
    `export type * ${from}`,
    ...values.map((value) => `export declare const ${value}: typeof library.${value}`),
    ...values.filter((value) => classes.has(value)).map((value) => `export type ${value} = library.${value}`),
    '',
  ].join('\n')
}
