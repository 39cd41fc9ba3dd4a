import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An entry of the library, built as CommonJS. */
interface LibraryEntry {
  /** File name without extension. */
  readonly name: string
  /** Exported values. */
  readonly values: readonly string[]
}

/** Path of each entry's declarations as `tsc` writes them. Other entries have none: Jest loads them by path. */
const declarations: Readonly<Record<string, string>> = {
  index: './src/index.ts',
  emulator: './src/testing/index.ts',
  jest: './src/testing/jest.ts',
}

/**
 * Writes the ES module of an entry and the declarations for CommonJS. Both load one build: two would have separate
 * error classes, and `instanceof` would fail in a project that loads both.
 */
export function writeEntries(dist: string, entries: readonly LibraryEntry[], classes: ReadonlySet<string>): void {
  for (const { name, values } of entries.filter(({ name }) => Object.hasOwn(declarations, name))) {
    const module = `import library from './${name}.cjs'\nexport const { ${values.join(', ')} } = library\n`
    writeFileSync(join(dist, 'lib', `${name}.js`), module)
    writeFileSync(join(dist, 'types', `${name}.d.cts`), declared(name, values, classes))
  }
}

/** The declarations belong to ES modules, like those of typebox: CommonJS may import only types from them. */
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
