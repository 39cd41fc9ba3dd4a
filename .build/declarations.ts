import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import manifest from '../package.json' with { type: 'json' }

/**
 * Writes the declarations that the package's entries use; others would refer to packages that are not installed.
 * Returns the names of their classes.
 */
export function declare(outDir: string): ReadonlySet<string> {
  const tsc = spawnSync('node_modules/.bin/tsc', ['-p', '.build/declarations.json', '--outDir', outDir], {
    stdio: 'inherit',
  })
  if (tsc.status !== 0) throw new Error('The declarations could not be written.')
  const { '.': client, './emulator': emulator, './jest': jest, './vitest': vitest } = manifest.exports
  const reached = new Set<string>()
  for (const { types } of [client.import, emulator.import, jest.import, vitest])
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
