import { copyFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { manifestModule } from './manifest.ts'
import { wireTableModule } from './wire_table.ts'

/** Native code, installed beside the bundles. typebox is a dependency for the declarations alone. */
const external = ['better-sqlite3']

/** Modules that cost milliseconds at every start and are seldom used, and two that know the source tree. */
const replacements = [
  { source: 'node:child_process', importer: 'commander/', replacement: '.build/no_child_process.mjs' },
  { source: 'string-width', importer: 'src/run/cell_lines.ts', replacement: '.build/late_string_width.cjs' },
  { source: './jq_files.ts', importer: 'src/output/jq.ts', replacement: '.build/jq_files.cjs' },
  {
    source: '../store/sql_process_file.ts',
    importer: 'emulator/control/sql.ts',
    replacement: '.build/sql_process_file.cjs',
  },
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

/** Packages that are loaded late, each in a file of its own. */
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
  // On a slow machine they are warnings, and warnings end the build.
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
  /** Whether it was asked for, and not split off. */
  readonly isEntry: boolean
  readonly exports: readonly string[]
  /** The files that went into it. */
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

/** An import that can't be resolved is a warning at most to the bundler, and inside a try block not even that. */
function refuseUnknownImports(chunks: readonly OutputChunk[], external: readonly string[]): void {
  const known = new Set([...chunks.map((chunk) => chunk.fileName), ...external])
  for (const { fileName, imports, dynamicImports } of chunks) {
    const unknown = [...imports, ...dynamicImports].filter(
      (id) => !known.has(id) && !isBuiltin(id) && !known.has(basename(id)),
    )
    if (unknown.length > 0) throw new Error(`${fileName} imports what is not in the package: ${unknown.join(', ')}`)
  }
}

/** CommonJS, because its loader starts faster; every dynamic import is a file of its own, loaded when asked for. */
export async function bundleCli(dir: string): Promise<Chunk[]> {
  const chunks = await bundle(
    {
      input: {
        main: 'src/main.ts',
        jq_worker: 'src/output/jq_worker.ts',
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
      // A payctl that is running must not load a part of another build: after an update it finds none instead.
      chunkFileNames: '[name]-[hash].cjs',
      // What many commands share is one file: a file is found and read in 0.3 ms.
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'shared', minShareCount: 40 }] },
      // One character beyond Latin-1, and V8 keeps the whole file with two bytes a character.
      charset: 'ascii',
      minify: true,
      comments: false,
    },
  )
  copyFileSync(createRequire(import.meta.url).resolve('jq-wasm/jq.wasm'), join(dir, 'jq.wasm'))
  return chunks
}

/** The words for time in the library's code, and what each is in machine_time.cjs. */
const machineTime = Object.fromEntries(
  Object.entries({
    Date: 'Date',
    clearImmediate: 'clearImmediate',
    clearInterval: 'clearInterval',
    clearTimeout: 'clearTimeout',
    'performance.now': 'now',
    'process.nextTick': 'nextTick',
    queueMicrotask: 'queueMicrotask',
    setImmediate: 'setImmediate',
    setInterval: 'setInterval',
    setTimeout: 'setTimeout',
  }).map(([word, name]): [string, [string, string]] => [word, [resolve('.build/machine_time.cjs'), name]]),
)

const machinePauses: Plugin = {
  name: 'machine pauses',
  resolveId(source, importer) {
    const bound = resolve('.build/machine_pauses.cjs')
    return source === 'node:timers/promises' && importer !== bound ? bound : null
  },
}

/** What other projects load, as CommonJS: Jest can't `require` an ES module. */
export const bundleLibrary = (dir: string): Promise<Chunk[]> =>
  bundle(
    {
      input: {
        index: 'src/index.ts',
        emulator: 'src/testing/index.ts',
        jest: 'src/testing/jest.ts',
        jest_setup: 'src/testing/jest_setup.ts',
        jest_teardown: 'src/testing/jest_teardown.ts',
        sql_process: 'emulator/store/sql_process.ts',
      },
      external,
      plugins: [...plugins, machinePauses],
      transform: { inject: machineTime },
    },
    { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  )

/** Vitest can't be required, so its fixtures are an ES module. They share the emulator's code with `payctl/emulator`. */
export const bundleVitest = (dir: string): Promise<Chunk[]> =>
  bundle(
    {
      input: { vitest: 'src/testing/vitest.ts' },
      external: ['vitest', './emulator.js'],
      plugins: [
        {
          name: 'emulator',
          resolveId: (source) => (source === './index.ts' ? { id: './emulator.js', external: true } : null),
        },
      ],
    },
    { dir, format: 'es', entryFileNames: '[name].js' },
  )
