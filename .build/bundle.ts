import { copyFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { clearImmediate, clearTimeout, queueMicrotask, setImmediate, setTimeout } from '../src/real_time.ts'
import { manifestModule, wireTableModule } from './written_modules.ts'

/**
 * Native code, which is installed next to the bundles; `@napi-rs/keyring` is optional. typebox is bundled: it is a
 * dependency of the package only because the package's declarations import it.
 */
const external = ['better-sqlite3', '@napi-rs/keyring']

const empty = '.build/empty.mjs'

/** Replacements of modules. Each applies to imports in files whose path contains `importer`. */
const replacements = [
  // commander uses this module for subcommands that are separate programs. payctl has none, and loading the module
  // takes 3 ms.
  { source: 'node:child_process', importer: 'commander/', replacement: empty },
  // cli-table3 uses this package for coloured borders. The borders of payctl's tables have no colours.
  { source: '@colors/colors/safe', importer: 'cli-table3/', replacement: empty },
  { source: 'string-width', importer: 'cli-table3/', replacement: '.build/cell_width.cjs' },
  // conf writes only drafts, so it needs no atomic writes. `atomically` treats a short write as complete, and re-raises
  // signals that payctl handles.
  { source: 'atomically', importer: 'node_modules/conf/', replacement: '.build/write_draft.mjs' },
  { source: 'string-width', importer: 'src/run/cell_lines.ts', replacement: '.build/late_string_width.cjs' },
]

const plugins: Plugin[] = [
  {
    name: 'replacements',
    resolveId(source, importer) {
      const found = replacements.find((one) => source === one.source && importer?.includes(one.importer))
      return found && resolve(found.replacement)
    },
  },
]

const wireTable: Plugin = {
  name: 'wire table',
  load: (id) => (id === resolve('src/contract/wire_table.ts') ? wireTableModule() : null),
}

const manifest: Plugin = {
  name: 'manifest',
  load: (id) => (id === resolve('src/cli/manifest.ts') ? manifestModule() : null),
}

/** Packages that are loaded late, each in a separate file. */
const latePackages = ['string-width']

const late: Plugin = {
  name: 'late packages',
  resolveId: (source, importer) =>
    latePackages.includes(source) && importer?.includes('/.build/late_')
      ? { id: `./${source}.cjs`, external: true }
      : null,
}

const shared: InputOptions = {
  platform: 'node',
  // The bundler's check of its timings warns on a slow machine, and warnings fail the build.
  checks: { bundlerTimings: false },
  plugins,
  onLog(level, log) {
    const file = log.id ?? log.loc?.file ?? ''
    if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && !file.includes('/node_modules/'))
      throw new Error(log.message)
  },
}

interface Chunk {
  readonly fileName: string
  /** True for an entry of the build; false for a shared or lazy chunk. */
  readonly isEntry: boolean
  readonly exports: readonly string[]
  /** Source files in the chunk. */
  readonly files: readonly string[]
}

async function bundle(input: InputOptions & { external: string[] }, output: OutputOptions): Promise<Chunk[]> {
  const build = await rolldown({ ...shared, ...input })
  const { output: files } = await build.write(output)
  await build.close()
  const chunks = files.filter((file) => file.type === 'chunk')
  refuseUnknownImports(chunks, input.external)
  return chunks.map(({ fileName, isEntry, exports, moduleIds }) => ({
    fileName,
    isEntry,
    exports,
    files: moduleIds.filter((id) => isAbsolute(id)),
  }))
}

/** The bundler only warns about an import that can't be resolved, and gives no warning at all inside a try block. */
function refuseUnknownImports(chunks: readonly OutputChunk[], external: readonly string[]): void {
  const known = new Set([...chunks.map((chunk) => chunk.fileName), ...external])
  for (const { fileName, imports, dynamicImports } of chunks) {
    const unknown = [...imports, ...dynamicImports].filter(
      (id) => !known.has(id) && !isBuiltin(id) && !known.has(basename(id)),
    )
    if (unknown.length > 0) throw new Error(`${fileName} imports what is not in the package: ${unknown.join(', ')}`)
  }
}

/**
 * The bundle is CommonJS, because Node starts CommonJS faster than ES modules. Each dynamic import is a separate file,
 * loaded on demand.
 */
export async function bundleCli(dir: string): Promise<Chunk[]> {
  const chunks = await bundle(
    {
      input: {
        main: 'src/main.ts',
        jq_worker: 'src/output/jq_worker.ts',
        thread_entry: 'emulator/thread_entry.ts',
        sql_process: 'emulator/store/sql_process.ts',
        ...Object.fromEntries(latePackages.map((name) => [name, name])),
      },
      external,
      preserveEntrySignatures: 'allow-extension',
      plugins: [late, ...plugins, wireTable, manifest],
    },
    {
      dir,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      // The hash keeps a running payctl from loading a chunk of a newer build: after an update, the file with the old
      // hash is missing.
      chunkFileNames: '[name]-[hash].cjs',
      // Code that many commands share is in one file: finding and reading a file takes 0.3 ms.
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'shared', minShareCount: 40 }] },
      // A single character beyond Latin-1 would make V8 store the whole file with two bytes per character.
      charset: 'ascii',
      minify: true,
      comments: false,
    },
  )
  copyFileSync(createRequire(import.meta.url).resolve('jq-wasm/jq.wasm'), join(dir, 'jq.wasm'))
  return chunks
}

/** Timers that bundled packages use: the same functions as in payctl's own code. */
const timersOfPackages = { clearImmediate, clearTimeout, queueMicrotask, setImmediate, setTimeout }

/** Bundles the entries for other projects as CommonJS: Jest can't `require` an ES module. */
export const bundleLibrary = (dir: string): Promise<Chunk[]> =>
  bundle(
    {
      input: {
        index: 'src/index.ts',
        emulator: 'src/testing/index.ts',
        jest: 'src/testing/jest.ts',
        jest_setup: 'src/testing/jest_setup.ts',
        jest_teardown: 'src/testing/jest_teardown.ts',
        test_worlds: 'src/testing/test_worlds.ts',
        thread_entry: 'emulator/thread_entry.ts',
        sql_process: 'emulator/store/sql_process.ts',
      },
      external,
      plugins,
      transform: {
        inject: Object.fromEntries(
          Object.keys(timersOfPackages).map((name) => [name, [resolve('src/real_time.ts'), name]]),
        ),
      },
    },
    { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  )

/**
 * Bundles the handlers for MSW twice: as an ES module, which a browser can load, and as CommonJS, for Jest with MSW
 * 2. The handlers share no code with the other entries.
 */
export const bundleMsw = async (dir: string): Promise<Chunk[]> => {
  const input = { input: { msw: 'src/testing/msw.ts' }, external: ['msw'], platform: 'neutral' } as const
  const modules = [
    { format: 'es', entryFileNames: '[name].js' },
    { format: 'cjs', entryFileNames: '[name].cjs' },
  ] as const
  const built = await Promise.all(modules.map((module) => bundle({ ...input, external: ['msw'] }, { dir, ...module })))
  return built.flat()
}

/** Modules that `payctl/vitest` shares with `payctl/emulator`, and their files in the package. */
const sharedWithVitest: Readonly<Record<string, string>> = {
  './index.ts': './emulator.js',
  './test_worlds.ts': './test_worlds.cjs',
}

/**
 * Vitest can't be required, so its fixtures are an ES module. Everything else comes from files of `payctl/emulator`:
 * a second copy of a module would have its own state and its own error classes.
 */
export async function bundleVitest(dir: string): Promise<Chunk[]> {
  const chunks = await bundle(
    {
      input: { vitest: 'src/testing/vitest.ts' },
      external: ['vitest', ...Object.values(sharedWithVitest)],
      plugins: [
        {
          name: 'shared modules',
          resolveId: (source) => {
            const id = sharedWithVitest[source]
            return id === undefined ? null : { id, external: true }
          },
        },
      ],
    },
    { dir, format: 'es', entryFileNames: '[name].js' },
  )
  const copied = chunks.flatMap(({ files }) => files).filter((file) => file !== resolve('src/testing/vitest.ts'))
  if (copied.length > 0) throw new Error(`vitest.js has copies of modules of payctl/emulator: ${copied.join(', ')}`)
  return chunks
}
