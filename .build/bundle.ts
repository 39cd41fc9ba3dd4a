import { copyFileSync, globSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import {
  type ChunkingContext,
  type CodeSplittingGroup,
  type InputOptions,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown'
import { contractData } from './contract_data.ts'
import { wireTable } from './wire_table.ts'

/** Native code, installed beside the bundles. typebox is a dependency for the declarations alone. */
const external = ['better-sqlite3']

/** Modules that their importer loads at start but seldom uses, or that know the source tree, and what to load in their place. */
const lateModules = [
  { source: 'node:assert', importer: 'undici/', replacement: '.build/late_assert.cjs' },
  { source: 'node:assert', importer: 'find-my-way/', replacement: '.build/late_assert.cjs' },
  { source: 'node:assert', importer: 'fastify/lib/plugin-utils.js', replacement: '.build/late_assert.cjs' },
  { source: 'semver', importer: 'fastify/lib/plugin-utils.js', replacement: '.build/late_semver.cjs' },
  { source: 'node:http', importer: 'undici/', replacement: '.build/late_http.cjs' },
  { source: './client-h2.js', importer: 'undici/lib/dispatcher/client.js', replacement: '.build/late_http2.cjs' },
  { source: 'node:https', importer: 'fastify/lib/server.js', replacement: '.build/late_https.cjs' },
  { source: 'node:http2', importer: 'fastify/lib/server.js', replacement: '.build/late_http2_server.cjs' },
  { source: 'node:perf_hooks', importer: 'fastify/lib/logger-factory.js', replacement: '.build/late_perf_hooks.cjs' },
  { source: 'node:child_process', importer: 'commander/lib/command.js', replacement: '.build/late_child_process.cjs' },
  { source: 'ajv', importer: 'emulator/validation.ts', replacement: '.build/late_ajv.cjs' },
  { source: 'undici', importer: 'src/client/proxy.ts', replacement: '.build/undici_proxy.cjs' },
  { source: './jq_files.ts', importer: 'src/output/jq.ts', replacement: '.build/jq_files.cjs' },
]

const plugins: Plugin[] = [
  {
    name: 'late modules',
    resolveId(source, importer) {
      const late = lateModules.find((module) => source === module.source && importer?.includes(module.importer))
      return late && resolve(late.replacement)
    },
  },
  {
    // Otherwise the bundler copies every property of a builtin's exports, at every start.
    name: 'builtins as they are',
    transform: (code) =>
      code.replace(
        /^import (\w+) from '(node:(?!child_process)\w+)';?$/gm,
        "const $1 = globalThis.process.getBuiltinModule('$2')",
      ),
  },
]

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

export interface Chunk {
  readonly fileName: string
  /** Whether it was asked for, and not split off. */
  readonly isEntry: boolean
  readonly exports: readonly string[]
  /** The files that went into it. */
  readonly files: readonly string[]
}

async function bundle(input: InputOptions, output: OutputOptions): Promise<Chunk[]> {
  const build = await rolldown({ ...shared, ...input })
  const { output: files } = await build.write(output)
  await build.close()
  const chunks = files.filter((file) => file.type === 'chunk')
  refuseUnknownImports(chunks)
  return chunks.map(({ fileName, isEntry, exports, moduleIds }) => ({
    fileName,
    isEntry,
    exports,
    files: moduleIds.filter((id) => isAbsolute(id)),
  }))
}

/** An import that can't be resolved is a warning at most to the bundler, and inside a try block not even that. */
function refuseUnknownImports(chunks: readonly OutputChunk[]): void {
  const known = new Set([...chunks.map((chunk) => chunk.fileName), ...external])
  for (const { fileName, imports, dynamicImports } of chunks) {
    const unknown = [...imports, ...dynamicImports].filter((id) => !known.has(id) && !isBuiltin(id))
    if (unknown.length > 0) throw new Error(`${fileName} imports what is not in the package: ${unknown.join(', ')}`)
  }
}

type ModuleSet = (graph: ChunkingContext) => ReadonlySet<string>

/** What every run loads, and the small files that most commands share. */
const start: ModuleSet = (graph) =>
  withImports(
    [
      'src/main.ts',
      'src/commands/examples.ts',
      'src/commands/payments/index.ts',
      'src/commands/uuid.ts',
      'src/output/columns.ts',
      'src/output/json.ts',
      'src/output/tsv.ts',
      'src/errors/service_errors.ts',
      'src/client/decode.ts',
      'src/client/paging.ts',
      'src/config/base_url.ts',
      'src/contract/errors.ts',
      'src/contract/event_names.ts',
      'src/contract/headers.ts',
      'src/contract/iban.ts',
      'src/contract/money.ts',
      'src/contract/phone.ts',
      'src/contract/scopes.ts',
      // Of the client and of the emulator: in the chunk of either, the other would load that.
      '.build/late_assert.cjs',
    ],
    graph,
  )

/** Reading a payment, as scripts do in a loop. */
const payments: ModuleSet = (graph) => withImports(['src/commands/payments/get.ts'], graph).difference(start(graph))

/**
 * What every call to the service needs, but for what a command is made of: its help would load everything here, 300 KB.
 * What only a command that runs loads may be here.
 */
const call: ModuleSet = (graph) =>
  withImports(['src/client/create_client.ts', 'src/config/target.ts'], graph).difference(
    withImports(commandModules(graph), graph),
  )

/** The whole of the wire with its schemas, for the emulator and for what speaks of all endpoints. */
const contract: ModuleSet = (graph) =>
  withImports(['src/contract/index.ts'], graph).difference(
    // Those that steer the emulator are made of schemas themselves.
    withImports(
      commandModules(graph).filter((file) => dirname(file) !== join('src', 'commands', 'emulator')),
      graph,
    ),
  )

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
      input: { main: 'src/main.ts', jq_worker: 'src/output/jq_worker.ts' },
      external,
      preserveEntrySignatures: 'allow-extension',
      plugins: [...plugins, wireTable, contractData],
    },
    {
      dir,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      // A payctl that is running must not load a part of another build: after an update it finds none instead.
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [chunk('start', start), chunk('payments', payments), chunk('call', call), chunk('contract', contract)],
      },
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

/** What other projects load, as CommonJS: Jest can't `require` an ES module. */
export const bundleLibrary = (dir: string): Promise<Chunk[]> =>
  bundle(
    {
      input: { index: 'src/client/index.ts', emulator: 'emulator/index.ts' },
      external,
      transform: { ...shared.transform, inject: machineTime },
    },
    { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  )
