import { createHash } from 'node:crypto'
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { controlEndpoints, type Endpoint, endpoints } from '../src/contract/index.ts'

const folder = 'emulator/page'

/** Replaces the endpoint tables with a table of methods and paths only: the page needs no schemas. */
const routes: Plugin = {
  name: 'routes of the page',
  load(id) {
    if (id !== resolve(folder, 'frame/routes.ts')) return null
    const rows = Object.entries<Endpoint>({ ...endpoints, ...controlEndpoints })
    const table = Object.fromEntries(rows.map(([name, { method, path }]) => [name, [method, path]]))
    return `export const routes = ${JSON.stringify(table)}`
  },
}

/**
 * Bundles the page's script and style into a folder. File names contain digests, so that browsers can cache the files.
 * Returns the bundled files, for their licences.
 */
export async function bundlePage(dir: string): Promise<{ readonly files: readonly string[] }[]> {
  const build = await rolldown({
    input: { page: join(folder, 'main.tsx') },
    platform: 'browser',
    checks: { bundlerTimings: false },
    plugins: [routes],
    transform: { target: 'es2024' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await build.write({
    dir,
    format: 'es',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    comments: false,
  })
  await build.close()
  const style = globSync([`${folder}/style/*.css`, `${folder}/views/*.css`])
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const digest = createHash('sha256').update(style).digest('base64url').slice(0, 8)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, `page-${digest}.css`), minified(style))
  copyFileSync(join(folder, 'style/icon.svg'), join(dir, 'icon.svg'))
  return output
    .filter((file) => file.type === 'chunk')
    .map(({ moduleIds }) => ({ files: moduleIds.filter((id) => isAbsolute(id)) }))
}

/** A style sheet without comments and indentation. */
const minified = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
