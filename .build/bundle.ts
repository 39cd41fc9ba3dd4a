import { copyFileSync, globSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, isAbsolute, join, resolve } from 'node:path'
import {
  type ChunkingContext,
  type CodeSplittingGroup,
  type InputOptions,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown'
import { manifestModule } from './manifest.ts'
import { wireTableModule } from './wire_table.ts'

/** Native code, installed beside the bundles. typebox is a dependency for the declarations alone. */
const external = ['better-sqlite3']

/** Modules that cost time at every start and that their importer seldom or never uses (or, jq_files, that know the source tree). */
const replacements = [
  { source: 'node:child_process', importer: 'commander/', replacement: '.build/unused.mjs' },
  { source: 'node:fs', importer: 'commander/', replacement: '.build/unused.mjs' },
  { source: 'node:path', importer: 'commander/', replacement: '.build/unused.mjs' },
  { source: 'node:process', importer: 'commander/', replacement: '.build/process.mjs' },
  { source: 'node:assert', importer: 'undici/', replacement: '.build/late_assert.cjs' },
  { source: './client-h2.js', importer: 'undici/lib/dispatcher/client.js', replacement: '.build/late_http2.cjs' },
  { source: 'string-width', importer: 'src/run/cell_lines.ts', replacement: '.build/late_string_width.cjs' },
  { source: 'ajv', importer: 'emulator/validation.ts', replacement: '.build/late_ajv.cjs' },
  { source: 'node:os', importer: 'src/files/directories.ts', replacement: '.build/late_os.cjs' },
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

/** What commander looks for at the end of an option's flags. Unicode's class takes 1 ms to build, and no flag here needs it. */
const plainFlags: Plugin = {
  name: 'plain flags',
  transform: {
    filter: { id: /commander\/lib\/option\.js$/ },
    handler(code) {
      const plain = code.replace('/\\p{ID_Continue}\\.\\.\\.[>\\]]$/u', '/\\w\\.\\.\\.[>\\]]$/')
      if (plain === code) throw new Error('commander looks for the end of flags in another way')
      return plain
    },
  },
}

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
  resolve: { alias: { undici: resolve('.build/undici.cjs') } },
  // undici's own switch to leave out its experimental HTTP parser: 160 KB.
  transform: { define: { esbuildDetection: 'true' } },
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

type ModuleSet = (graph: ChunkingContext) => ReadonlySet<string>

/** What every run loads. */
const start: ModuleSet = (graph) => withImports(['src/main.ts'], graph)

/** What every command's action has, and small files that a quarter of the commands load, or a call to the service and others besides. */
const common: ModuleSet = (graph) => {
  const all = withImports(['src/output/create_output.ts', ...paymentWords], graph)
  const service = withImports(serviceModules, graph)
  const commands = commandModules(graph)
  const uses = commands.flatMap((command) => [...withImports([command], graph)])
  for (const [id, { length }] of Map.groupBy(uses, (id) => id)) {
    const isLight = [...withImports([id], graph)].every((file) => all.has(file) || !file.includes('/node_modules/'))
    if (isLight && (length > commands.length / 4 || service.has(id))) all.add(id)
  }
  return all.difference(start(graph))
}

/** What else every call to the service needs: 300 KB that no help should load. */
const call: ModuleSet = (graph) => withImports(serviceModules, graph).difference(start(graph)).difference(common(graph))

/** What the emulator, and what steers one, have of the contract: files with schemas, or those without. */
const contract =
  (schemas: boolean): ModuleSet =>
  (graph) => {
    const others = withImports(everydayModules, graph).union(common(graph))
    const files = [...withImports(['src/contract/index.ts'], graph).difference(others)]
    return new Set(files.filter((id) => [...withImports([id], graph)].some(isOfTypebox) === schemas))
  }

const isOfTypebox = (file: string): boolean => file.includes('/node_modules/typebox/')

/** Short files that most commands on payments load: of the contract's other names they need none. */
const paymentWords = ['src/contract/money.ts', 'src/contract/payment_names.ts']

const serviceModules = ['src/client/create_client.ts', 'src/config/target.ts']

/** What most runs load, or a login. */
const everydayModules = [
  'src/main.ts',
  ...serviceModules,
  'src/config/proven_emulators.ts',
  'src/auth/token_endpoint.ts',
]

/** The files that the tables of commands name. */
const commandModules = (graph: ChunkingContext): readonly string[] =>
  globSync('src/commands/**/*.ts').filter((file) =>
    graph.getModuleInfo(resolve(file))?.dynamicImporters.some((importer) => basename(importer) === 'index.ts'),
  )

/** A chunk of what is always loaded together: one file is found and read faster than ten. */
function chunk(name: string, modules: ModuleSet): CodeSplittingGroup {
  let members: ReadonlySet<string> | undefined
  return {
    debugName: name,
    name(id, graph) {
      members ??= modules(graph)
      return members.has(id) ? name : null
    },
  }
}

/** The modules that are loaded with these. */
function withImports(entries: readonly string[], graph: ChunkingContext): Set<string> {
  const all = new Set<string>()
  const add = (id: string): void => {
    if (all.has(id)) return
    all.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) add(imported)
  }
  for (const entry of entries) add(resolve(entry))
  return all
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
      plugins: [late, ...plugins, wireTable, manifest, plainFlags],
    },
    {
      dir,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      // A payctl that is running must not load a part of another build: after an update it finds none instead.
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          chunk('start', start),
          chunk('common', common),
          chunk('call', call),
          chunk('contract', contract(true)),
          chunk('contract_names', contract(false)),
        ],
      },
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
      transform: { ...shared.transform, inject: machineTime },
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
