import { subcommandsOf } from '../../src/cli/register.ts'
import { root } from '../../src/commands/index.ts'
import { layers } from './layers.ts'
import type { Import, SourceFile } from './source_tree.ts'

/**
 * Returns the breaches in a tree: `path: reason`. `users` are files outside the tree that may import from it: tests,
 * the build.
 */
export type Rule = (files: readonly SourceFile[], users?: readonly SourceFile[]) => string[]

const isIn = (path: string, ...folders: string[]): boolean => folders.some((folder) => path.startsWith(`${folder}/`))

/** One complaint for every import that is not allowed. */
const importRule =
  (isWrong: (file: SourceFile, imported: Import) => boolean, why: string): Rule =>
  (files) =>
    files.flatMap((file) =>
      file.imports
        .filter((imported) => isWrong(file, imported))
        .map(({ to, kind }) => `${file.path}: ${kind === 'static' ? 'imports' : `${kind} import of`} ${to}; ${why}`),
    )

/** One complaint for every use of a name outside the files that may use it. */
const useRule =
  (isAllowed: (path: string) => boolean, isWrong: (use: string) => boolean, why: string): Rule =>
  (files) =>
    files
      .filter(({ path }) => !isAllowed(path))
      .flatMap(({ path, uses }) => uses.filter(isWrong).map((use) => `${path}: ${use}; ${why}`))

/** Imports of types count as well as imports of code, because a reader must know the imported files first. */
export const noCycles: Rule = (files) => cyclesOf(files, ['static', 'type'])

/** Dynamic imports count too: no file may depend, at any time, on a file that loads it. */
export const noLateCycles: Rule = (files) => cyclesOf(files, ['static', 'dynamic'])

function cyclesOf(files: readonly SourceFile[], kinds: readonly string[]): string[] {
  const graph = new Map(
    files.map(({ path, imports }) => [path, imports.filter(({ kind }) => kinds.includes(kind)).map(({ to }) => to)]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}: a cycle`)
    if (done.has(path) || trail.includes(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Module of a path: a folder of a layer, or a single file. */
const moduleOf = (path: string): string | undefined =>
  layers.flat().find((module) => path === module || path.startsWith(`${module}/`))

const layerOf = (module: string): number => layers.findIndex((modules) => modules.includes(module))

/** An import, even of a type, must go to a lower layer or stay in its module. */
export const importsGoDown: Rule = (files) =>
  files
    .filter(({ path }) => isIn(path, 'src'))
    .flatMap(({ path, imports }) => {
      const module = moduleOf(path)
      if (module === undefined) return [`${path}: is in no layer`]
      return imports
        .filter(({ to }) => {
          const other = moduleOf(to)
          return isIn(to, 'src') && other !== module && !(other !== undefined && layerOf(other) < layerOf(module))
        })
        .map(({ to }) => `${path}: imports ${to}; an import goes down`)
    })

export const contractStandsAlone = importRule(
  ({ path }, { to }) => isIn(path, 'src/contract') && isIn(to, 'src', 'emulator') && !isIn(to, 'src/contract'),
  'the contract imports nothing of ours',
)

export const clientKnowsNoCommandLine = importRule(
  ({ path }, { to }) =>
    isIn(path, 'src/client') &&
    isIn(to, 'src') &&
    !isIn(to, 'src/client', 'src/contract') &&
    !['src/version.ts', 'src/real_time.ts', 'src/errors/service_errors.ts'].includes(to),
  'the client may use the contract, the errors of a service and real time only',
)

/** True for browser code of the emulator's page: a separate program, with the browser's timers and connections. */
const isPage = (path: string): boolean => isIn(path, 'emulator/page')

/** Files of the contract that contain no schemas: the emulator's page may load them. */
const withoutSchemas = ['headers', 'sent_request', 'shell_word'].map((name) => `src/contract/${name}.ts`)

export const emulatorImportsTheContractOnly = importRule(
  ({ path }, { to }) =>
    isIn(path, 'emulator') &&
    isIn(to, 'src') &&
    !['src/contract/index.ts', 'src/real_time.ts'].includes(to) &&
    !(isPage(path) && withoutSchemas.includes(to)),
  'the emulator may use src/contract/index.ts and src/real_time.ts only',
)

/**
 * Importing types costs nothing; a command loads the emulator's code only when it needs the emulator. `src/testing`,
 * the library for test suites, joins the emulator with the client and is not part of the command line.
 */
export const emulatorIsLoadedOnDemand = importRule(
  ({ path }, { to, kind }) =>
    isIn(path, 'src') &&
    !isIn(path, 'src/testing') &&
    isIn(to, 'emulator') &&
    !(isIn(path, 'src/commands/emulate') && kind !== 'static'),
  'only commands/emulate and src/testing reach the emulator, commands by dynamic import',
)

/**
 * The page knows the emulator only by its control endpoints. Schemas are too large for the page: only `routes.ts` reads
 * the table.
 */
export const pageStandsAlone = importRule(({ path }, { to, kind }) => {
  if (!isPage(path)) return isPage(to)
  if (isPage(to) || withoutSchemas.includes(to) || /^(preact|@preact\/signals)(\/|$)/.test(to)) return false
  return !(to === 'src/contract/index.ts' && (kind === 'type' || path === 'emulator/page/frame/routes.ts'))
}, 'the page may use preact, types of the contract and its files without schemas only, and nothing uses the page')

const socketModules = /^(node:)?(http|https|http2|net|tls|dgram)$|^undici$|^ws$/

/** True if an import takes only address functions and HTTP constants, which open no sockets. */
const isHarmless = ({ names }: Import): boolean =>
  names.length > 0 &&
  names.every((name) => /^(isIP(v4|v6)?|BlockList|SocketAddress|maxHeaderSize|STATUS_CODES)$/.test(name))

export const socketsInTheirPlaces: Rule = (files) => {
  const mayConnect = (path: string) =>
    isIn(path, 'src/client', 'src/auth', 'src/webhooks') ||
    path === 'emulator/webhooks/transport.ts' ||
    ['emulator/http/drain.ts', 'emulator/http/server.ts'].includes(path) ||
    // This file opens no sockets: it only reads named pipes.
    path === 'src/files/named_pipe.ts' ||
    isPage(path)
  const why = 'sockets belong in src/client, src/auth, src/webhooks and emulator/webhooks/transport.ts'
  return [
    ...importRule(
      ({ path }, imported) =>
        !mayConnect(path) && imported.kind !== 'type' && socketModules.test(imported.to) && !isHarmless(imported),
      why,
    )(files),
    ...useRule(mayConnect, (use) => use === 'fetch' || /^new (WebSocket|EventSource)\//.test(use), why)(files),
  ]
}

const realTime = 'src/real_time.ts'

/**
 * Forbids timers and clocks that the fake timers of a test runner replace. The calendar (`Date`) may be fake: only
 * waiting must be real.
 */
export const timersAreReal: Rule = (files) =>
  files
    .filter(({ path }) => path !== realTime && !isPage(path))
    .flatMap(({ path, imports, uses }) => {
      const real = imports.filter(({ to }) => to === realTime).flatMap(({ names }) => names)
      const faked = uses.filter(
        (use) =>
          (/^(set|clear)(Timeout|Interval|Immediate)$|^queueMicrotask$/.test(use) && !real.includes(use)) ||
          /^(globalThis|window)\.((set|clear)(Timeout|Interval|Immediate)|queueMicrotask)$/.test(use) ||
          ['performance.now', 'process.hrtime', 'process.nextTick'].includes(use),
      )
      const modules = imports.filter(
        ({ to, kind }) => kind !== 'type' && /^((node:)?(timers|timers\/promises|perf_hooks))$/.test(to),
      )
      return [...faked, ...modules.map(({ to }) => to)].map(
        (use) => `${path}: ${use}; import it from ${realTime}, which fake timers do not reach`,
      )
    })

export const timeInItsPlaces: Rule = (files) => {
  const mayKeepTime = (path: string) => !isIn(path, 'emulator') || path === 'emulator/clock.ts' || isPage(path)
  const why = 'the emulator’s clock and timers are in clock.ts'
  const isTime = (use: string) => ['Date', 'Date.now', 'new Date/0', 'AbortSignal.timeout'].includes(use)
  return [
    ...useRule(mayKeepTime, isTime, why)(files),
    ...importRule(
      ({ path }, { to, names }) =>
        !mayKeepTime(path) && to === realTime && names.some((name) => !['setImmediate', 'nextTurn'].includes(name)),
      why,
    )(files),
  ]
}

// `…` replaces an expression in a template. SQL words in lower case may be English, so only whole clauses in lower case
// count as SQL.
const sql =
  /\b(SELECT\s.+\sFROM|INSERT\s+(OR \w+ )?INTO|UPDATE\s+[\w…]+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|UNIQUE|INDEX)|PRAGMA\s|BEGIN IMMEDIATE)/s

const sqlInLowerCase =
  /\b(select\s[\w*…, ]+\sfrom\s[\w…]+\s(where|order by|limit|join)\b|insert\s+into\s[\w…]+\s*(\(|values)|delete\s+from\s[\w…]+\swhere\b|update\s[\w…]+\sset\s)/

/**
 * The lock between processes is a transaction of an empty database: no other lock is released on every system when its
 * holder dies.
 */
export const sqlInItsPlaces: Rule = (files) =>
  files
    .filter(({ path }) => !isIn(path, 'emulator/store', 'src/journal', 'src/lock'))
    .flatMap(({ path, strings }) =>
      strings
        .filter((text) => sql.test(text) || (sqlInLowerCase.test(text) && !text.startsWith('payctl ')))
        .map((text) => `${path}: "${text.slice(0, 40)}"; SQL belongs in emulator/store, src/journal and src/lock`),
    )

export const pathsOnceInTheContract: Rule = (files) => {
  const paths = files.flatMap(({ path, strings }) =>
    strings.filter((text) => /^\/(api|_emulator|oauth)(\/|$)/.test(text)).map((text) => ({ path, text })),
  )
  // A path may have a row for each method, in the same file.
  const homes = Map.groupBy(paths, ({ text }) => text)
  return paths
    .filter(({ path, text }) => !isIn(path, 'src/contract') || homes.get(text)?.some((other) => other.path !== path))
    .map(({ path, text }) => `${path}: "${text}"; a path of the API appears once, in the contract`)
}

/**
 * Matches `payctl payments send` and `payctl -p prod login`, but not `payctl emulator` alone, because that is also the
 * emulator's name.
 */
const commandLine = new RegExp(
  `\\bpayctl (-\\S+ (\\S+ )?)*(--help|emulator [a-z]|(${subcommandsOf(root)
    .map(({ name }) => name)
    .filter((name) => name !== 'emulator')
    .join('|')})\\b)`,
)

/**
 * Commands in messages need the flags of the run, so one file makes these commands. The contract and the library do not
 * know these flags.
 */
export const commandLinesInOnePlace: Rule = (files) =>
  files
    .filter(({ path }) => isIn(path, 'src') && !isIn(path, 'src/contract', 'src/testing', 'src/words'))
    .filter(({ path }) => !['src/cli/next_step.ts', 'src/cli/help_topics.ts'].includes(path))
    .flatMap(({ path, messages }) =>
      messages
        .filter((text) => commandLine.test(text))
        .map((text) => `${path}: "${text.slice(0, 60)}"; say it as a NextStep (src/errors/next_step.ts)`),
    )

/** Engines describe next steps as data. Only the command line names its commands. */
export const enginesNameNoCommands = importRule(
  ({ path }, { to, names }) =>
    to === 'src/errors/next_step.ts' && names.includes('toRun') && !isIn(path, 'src/cli', 'src/commands'),
  'toRun is for src/cli and src/commands; give the step a kind of its own (src/errors/next_step.ts)',
)

/**
 * Skips exports of the library, which are for its users, and the contract's schemas, whose exported names OpenAPI uses.
 */
export const exportsAreUsed: Rule = (files, users = []) => {
  const homes = new Map<string, number>()
  for (const name of [...files, ...users].flatMap(({ names }) => [...names]))
    homes.set(name, (homes.get(name) ?? 0) + 1)
  return files
    .filter(({ path }) => path !== 'src/index.ts' && !isIn(path, 'src/testing', 'src/contract'))
    .flatMap(({ path, exports }) =>
      exports
        .filter((name) => (homes.get(name) ?? 0) < 2)
        .map((name) => `${path}: exports ${name}, which no other file names`),
    )
}

export const noVagueFolders: Rule = (files) =>
  files
    .filter(({ path }) => /\/(utils?|lib|common|types|helpers?|misc|shared)\//.test(path))
    .map(({ path }) => `${path}: name the folder by what it holds`)

export const smallFiles: Rule = (files) =>
  files.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines} lines; is it one thing?`)

/**
 * Streams, environment and exit are arguments of main, so that tests can replace them. Fixtures of a suite have no
 * `main` function: they read the environment from `payctl emulate -- npm test`.
 */
export const noGlobalsOfTheProcess = useRule(
  (path) => !isIn(path, 'src') || isIn(path, 'src/testing'),
  (use) => /^console\.|^process\.(exit|exitCode|stdin|stdout|stderr|argv|env|on)$/.test(use),
  'main passes in streams, environment and signals',
)
